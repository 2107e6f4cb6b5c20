import { ProxmoxCompute, proxmoxLayout } from "@hostledger/providers";
import { defined, type Clock } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { readJsonFile } from "./configuration/json-file.ts";

/** Maximum time for the cluster to accept a request, in milliseconds; longer work is a task. */
const writeLimitMs = 30_000;

/** The adapter of Proxmox VE, where it is configured and lacks nothing. */
export function openProxmox(configuration: Configuration, clock: Clock): ProxmoxCompute | undefined {
  const { compute, proxmoxUrl: url, proxmoxToken: token, proxmoxConfig: file } = configuration;
  if (compute !== "proxmox" || url === undefined || token === undefined || file === undefined)
    return undefined;
  const read = readJsonFile(file, proxmoxLayout);
  if (!("content" in read)) return undefined;
  const access = {
    url,
    token,
    ...defined({ fingerprint: configuration.proxmoxFingerprint }),
    readLimitMs: configuration.providerTimeoutMs,
    writeLimitMs,
    taskLimitMs: configuration.proxmoxTaskLimitMs,
  };
  return new ProxmoxCompute({ access, layout: read.content, clock });
}

/** Returns a sentence for each setting that Proxmox VE lacks. */
export function proxmoxMistakes(configuration: Configuration): readonly string[] {
  const { compute, proxmoxUrl, proxmoxToken, proxmoxConfig: file } = configuration;
  if (compute !== "proxmox") return [];
  const reason = "since HOSTLEDGER_COMPUTE is proxmox.";
  const read = file === undefined ? undefined : readJsonFile(file, proxmoxLayout);
  return [
    ...(proxmoxUrl === undefined
      ? [`HOSTLEDGER_PROXMOX_URL must say where the cluster's API is, ${reason}`]
      : []),
    ...(proxmoxToken === undefined
      ? [`HOSTLEDGER_PROXMOX_TOKEN (or _TOKEN_FILE) must be set, ${reason}`]
      : []),
    ...(read === undefined ? [`HOSTLEDGER_PROXMOX_CONFIG must name a JSON file, ${reason}`] : []),
    ...(read !== undefined && "mistakes" in read
      ? read.mistakes.map((mistake) => `HOSTLEDGER_PROXMOX_CONFIG: ${mistake}`)
      : []),
  ];
}
