import { readFileSync } from "node:fs";

import {
  openEppRegistrar,
  wrong,
  type OpenedEppRegistrar,
  type ProviderFinding,
} from "@hostledger/providers";
import { ConfigurationError } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";

/** RFC 5734 §2. */
const eppPort = 700;

/** What is missing in the settings of a registrar by EPP, one sentence each. */
export function eppMistakes({ eppUrl, eppUser, eppPassword, ...rest }: Configuration): readonly string[] {
  const needed = {
    HOSTLEDGER_EPP_URL: eppUrl,
    HOSTLEDGER_EPP_USER: eppUser,
    HOSTLEDGER_EPP_PASSWORD: eppPassword,
  };
  const missing = Object.entries(needed)
    .filter(([, value]) => value === undefined)
    .map(([variable]) => `${variable} must be set where HOSTLEDGER_REGISTRAR is epp.`);
  const isHalf = (rest.eppCertificate === undefined) !== (rest.eppKey === undefined);
  return [
    ...missing,
    ...(isHalf ? ["HOSTLEDGER_EPP_CERTIFICATE and HOSTLEDGER_EPP_KEY must be set together."] : []),
  ];
}

/**
 * Opens the registrar that the settings name.
 *
 * @throws ConfigurationError when something is missing, or a file cannot be read
 */
export function openEpp(configuration: Configuration): OpenedEppRegistrar {
  const { eppUrl, eppUser: user, eppPassword: password, eppName, eppSessions } = configuration;
  const mistakes = eppMistakes(configuration);
  if (mistakes.length > 0 || eppUrl === undefined || user === undefined || password === undefined)
    throw new ConfigurationError(mistakes);
  // Only of schemes that it knows does a URL read the host as a host.
  const { hostname, port } = new URL(eppUrl.replace(/^epps:/, "https:"));
  const host = hostname.replace(/^\[|\]$/g, "");
  const ca = pemOf("HOSTLEDGER_EPP_CA", configuration.eppCa);
  const certificate = pemOf("HOSTLEDGER_EPP_CERTIFICATE", configuration.eppCertificate);
  const key = pemOf("HOSTLEDGER_EPP_KEY", configuration.eppKey);
  return openEppRegistrar({
    name: eppName ?? host,
    server: {
      host,
      port: portOf(eppUrl, port),
      ...(ca !== undefined && { ca }),
      ...(certificate !== undefined && { certificate }),
      ...(key !== undefined && { key }),
    },
    ...{ user, password },
    sessions: eppSessions,
    timeLimitMs: configuration.providerTimeoutMs,
  });
}

/** Asks the registry for what the adapter needs, in a session of its own. */
export async function checkEpp(configuration: Configuration): Promise<readonly ProviderFinding[]> {
  const mistakes = eppMistakes(configuration);
  if (mistakes.length > 0) return mistakes.map(wrong);
  const opened = openEpp(configuration);
  try {
    return await opened.check();
  } finally {
    await opened.close();
  }
}

/** 443 is what the reading as https leaves out. */
function portOf(url: string, port: string): number {
  if (port !== "") return Number(port);
  return url.endsWith(":443") ? 443 : eppPort;
}

function pemOf(variable: string, value: string | undefined): string | undefined {
  if (value === undefined || value.includes("-----BEGIN ")) return value;
  try {
    return readFileSync(value, "utf8");
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "it failed";
    throw new ConfigurationError([`${variable} names a file that cannot be read (${why}).`]);
  }
}
