import { randomBytes } from "node:crypto";
import { join } from "node:path";

import { openSandbox } from "@hostledger/providers";
import { serveRegistry } from "@hostledger/providers/epp/server";
import { secretFile, systemClock, type Logger } from "@hostledger/runtime";
import { certify, openAuthority } from "@hostledger/runtime/certificates";

import type { Configuration } from "./configuration/index.ts";

/** Options for serving the sandbox's registry in a process of its own. */
export interface SandboxRegistryOptions {
  /** `data` is the directory of the sandbox. */
  readonly configuration: Configuration;
  readonly logger: Logger;
  /** Address to listen on. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Delay of a greeting, in milliseconds. */
  readonly greetingMs: number;
}

export interface SandboxRegistryProcess {
  /** `epps://HOST:PORT` */
  readonly url: string;
  /** The file with the certificate that clients trust. */
  readonly ca: string;
  readonly user: string;
  /** The file with that user's password. */
  readonly passwordFile: string;
  close(): Promise<void>;
}

/** The sandbox's own registrar, and another for transfers in both directions. */
const registrars = [
  ["sandbox", "epp.password"],
  ["sandbox2", "epp2.password"],
] as const;

/** Serves the sandbox of a data directory over EPP. Passwords and the authority are made at the first start. */
export async function startSandboxRegistry({
  configuration,
  logger,
  host,
  port,
  greetingMs,
}: SandboxRegistryOptions): Promise<SandboxRegistryProcess> {
  const file = (name: string): string => join(configuration.data, name);
  const accounts = new Map(
    registrars.map(([user, name]) => [
      user,
      secretFile(file(name), () => randomBytes(12).toString("base64url")),
    ]),
  );
  const authority = await openAuthority(
    { certificate: file("epp-ca.pem"), key: file("epp-ca.key") },
    "Hostledger sandbox registry CA",
  );
  const clock = systemClock(configuration.clockOffsetMs);
  const sandbox = openSandbox({
    path: file("sandbox.sqlite"),
    clock,
    latencyMs: configuration.sandboxLatencyMs,
    limboMs: configuration.sandboxLimboMs,
    lateMs: configuration.sandboxLateMs,
    isDurable: configuration.sandboxDurable,
  });
  try {
    const server = await serveRegistry({
      sandbox,
      clock,
      tls: await certify(authority, { commonName: "Hostledger sandbox registry", hosts: [host] }),
      accounts,
      host,
      port,
      greetingMs,
      onFailure: (error) => {
        logger.error({ err: error }, "a session of the registry failed");
      },
    });
    const [[user, passwordName]] = registrars;
    return {
      url: server.url,
      ca: file("epp-ca.pem"),
      user,
      passwordFile: file(passwordName),
      async close() {
        await server.close();
        sandbox.close();
      },
    };
  } catch (error) {
    sandbox.close();
    throw error;
  }
}
