import { openEppRegistrar, type OpenedEppRegistrar, type OpenEppOptions } from "@hostledger/providers";
import { ConfigurationError, defined, readSecretFile } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { readNamedFile } from "./configuration/named-file.ts";
import type { EppEntry } from "./configuration/registrars-file.ts";

/** RFC 5734 §2. */
const eppPort = 700;

/** How a registrar by EPP is reached. */
interface EppAccess extends Pick<EppEntry, "url" | "user" | "clientId" | "sessions" | "registry"> {
  /** Undefined: the host's name. */
  readonly name: string | undefined;
  readonly password: string;
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

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

/** What the registrar that the settings name is called; undefined where they do not say where it is. */
export function eppNameOf({ eppName, eppUrl }: Configuration): string | undefined {
  return eppName ?? (eppUrl === undefined ? undefined : addressOf(eppUrl).host);
}

/** What the process gives beside the settings: a time limit in milliseconds, what it is measured by, and whose orders these are. */
type ProcessParts = Pick<OpenEppOptions, "timeLimitMs" | "timing" | "installation">;

/**
 * Opens the registrar that the settings name.
 *
 * @throws ConfigurationError when something is missing, or a file cannot be read
 */
export function openEpp(
  configuration: Configuration,
  processParts: Omit<ProcessParts, "timeLimitMs"> = {},
): OpenedEppRegistrar {
  const { eppUrl: url, eppUser: user, eppPassword: password } = configuration;
  const mistakes = eppMistakes(configuration);
  if (mistakes.length > 0 || url === undefined || user === undefined || password === undefined)
    throw new ConfigurationError(mistakes);
  const access = {
    name: configuration.eppName,
    url,
    user,
    clientId: configuration.eppClientId,
    password,
    sessions: configuration.eppSessions,
    registry: configuration.eppRegistry,
    ca: pemOf("HOSTLEDGER_EPP_CA", configuration.eppCa),
    certificate: pemOf("HOSTLEDGER_EPP_CERTIFICATE", configuration.eppCertificate),
    key: pemOf("HOSTLEDGER_EPP_KEY", configuration.eppKey),
  };
  return open(access, { timeLimitMs: configuration.providerTimeoutMs, ...processParts });
}

/**
 * Opens a registrar of the file.
 *
 * @throws ConfigurationError when one of its files cannot be read
 */
export function openEppEntry(name: string, entry: EppEntry, processParts: ProcessParts): OpenedEppRegistrar {
  const { url, user, clientId, sessions, registry } = entry;
  const said = (member: string) => `HOSTLEDGER_REGISTRARS_FILE: ${name}.${member}`;
  const access = {
    name,
    url,
    user,
    clientId,
    sessions,
    registry,
    password: secretOf(said("passwordFile"), entry.passwordFile),
    ca: pemOf(said("ca"), entry.ca),
    certificate: pemOf(said("certificate"), entry.certificate),
    key: entry.keyFile === undefined ? undefined : secretOf(said("keyFile"), entry.keyFile),
  };
  return open(access, processParts);
}

function open(access: EppAccess, processParts: ProcessParts): OpenedEppRegistrar {
  const { name, url, user, clientId, password, sessions, registry, ca, certificate, key } = access;
  const { host, port } = addressOf(url);
  return openEppRegistrar({
    name: name ?? host,
    server: { host, port, ...defined({ ca, certificate, key }) },
    user,
    password,
    sessions,
    registry,
    ...defined({ clientId }),
    ...processParts,
  });
}

function addressOf(url: string): { readonly host: string; readonly port: number } {
  // Only of schemes that it knows does a URL read the host as a host.
  const { hostname, port } = new URL(url.replace(/^epps:/, "https:"));
  return { host: hostname.replace(/^\[|\]$/g, ""), port: portOf(url, port) };
}

/** 443 is what the reading as https leaves out. */
function portOf(url: string, port: string): number {
  if (port !== "") return Number(port);
  return url.endsWith(":443") ? 443 : eppPort;
}

function pemOf(variable: string, value: string | undefined): string | undefined {
  if (value === undefined || value.includes("-----BEGIN ")) return value;
  return readNamedFile(variable, value);
}

function secretOf(said: string, file: string): string {
  const read = readSecretFile(file);
  if ("value" in read) return read.value;
  throw new ConfigurationError([`${said} ${read.objection}.`]);
}
