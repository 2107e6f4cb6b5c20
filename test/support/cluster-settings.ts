import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { FakeProxmox } from "@hostledger/providers/testing";

/** The part of the fake cluster that is region `fra`. */
export const clusterRegion = {
  nodes: ["pve1", "pve2"],
  firstVmid: 100_000,
  addresses: ["203.0.113.10-203.0.113.99"],
  prefix: 24,
  gateway: "203.0.113.1",
  reverseName: "{address}.fra.example.net",
};

/**
 * Returns the settings of an instance whose servers are on the fake cluster.
 * @param directory of its files.
 * @param regions changes to `clusterRegion` by code.
 * @param templates vmids by distribution.
 */
export function clusterSettings(
  { url, token, fingerprint }: FakeProxmox,
  directory: string,
  regions: Readonly<Record<string, Partial<typeof clusterRegion>>> = { fra: {} },
  templates: Readonly<Record<string, readonly number[]>> = { "Debian 13": [9_000, 9_001] },
): Readonly<Record<string, string>> {
  const [file, tokenFile] = [join(directory, "proxmox.json"), join(directory, "proxmox.token")];
  const layout = {
    resourcePool: "hostledger",
    storage: "local-zfs",
    bridge: "vmbr0",
    nameservers: ["192.0.2.53"],
    templates,
    regions: Object.fromEntries(
      Object.entries(regions).map(([code, region]) => [code, { ...clusterRegion, ...region }]),
    ),
  };
  writeFileSync(file, JSON.stringify(layout));
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
  return {
    HOSTLEDGER_COMPUTE: "proxmox",
    HOSTLEDGER_PROXMOX_URL: url,
    HOSTLEDGER_PROXMOX_TOKEN_FILE: tokenFile,
    HOSTLEDGER_PROXMOX_FINGERPRINT: fingerprint,
    HOSTLEDGER_PROXMOX_CONFIG: file,
  };
}
