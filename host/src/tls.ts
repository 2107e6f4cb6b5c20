import { readFileSync } from "node:fs";

import { defined, ConfigurationError } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";

/** PEM texts: what this part shows to others and, with `ca`, who vouches for those that it talks to. */
export interface Tls {
  readonly certificate: string;
  readonly key: string;
  readonly ca?: string;
}

/**
 * Reads the files that the configuration names; undefined where it names none.
 * @throws ConfigurationError one of them is missing, or is no PEM file.
 */
export function tlsOf({ tlsCertificate, tlsKey, tlsCa }: Configuration): Tls | undefined {
  if (tlsCertificate === undefined && tlsKey === undefined && tlsCa === undefined) return undefined;
  if (tlsCertificate === undefined || tlsKey === undefined)
    throw new ConfigurationError(["HOSTLEDGER_TLS_CERTIFICATE and HOSTLEDGER_TLS_KEY go together."]);
  return {
    certificate: pem("HOSTLEDGER_TLS_CERTIFICATE", tlsCertificate),
    key: pem("HOSTLEDGER_TLS_KEY", tlsKey),
    ...defined({ ca: tlsCa === undefined ? undefined : pem("HOSTLEDGER_TLS_CA", tlsCa) }),
  };
}

function pem(variable: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new ConfigurationError([`${variable} names a file that cannot be read: ${path} (${reason}).`]);
  }
  if (!text.includes("-----BEGIN "))
    throw new ConfigurationError([`${variable} names no PEM file: ${path}.`]);
  return text;
}
