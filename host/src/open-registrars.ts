import {
  checkSimulated,
  type OpenedEppRegistrar,
  type OpenEppOptions,
  openEppRegistrar,
  type ProviderCheck,
  type ProviderFinding,
  type Registrar,
  type Sandbox,
  wrong,
} from "@hostledger/providers";
import type { Installation } from "@hostledger/store";
import { ConfigurationError, defined, readSecretFile, type Timing } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { readJsonFile } from "./configuration/json-file.ts";
import { type EppEntry, registrarsFile, type RegistrarsFile } from "./configuration/registrars-file.ts";
import { readNamedFile } from "./configuration/named-file.ts";

export interface OpenedRegistrar {
  readonly registrar: Registrar;
  /** Time limit of a call that consists of several requests, in milliseconds; default: the limit of one request. */
  readonly callLimitMs?: number;
  close(): Promise<void>;
}

/** Commands of one call at most: a session, contact, hosts, the order, and its lock. */
const commandsOfACall = 6;

/**
 * The longest that one call of several commands may take, in milliseconds; a longer limit of one command wins. An order and the
 * question after it stay below the 50 s that a customer waits for.
 */
const longestCallMs = 20_000;

type Entry = readonly [name: string, entry: RegistrarsFile[string]];

/**
 * Opens the configured registrar and those of the registrars file.
 * @param context timing and installation.
 * @throws ConfigurationError see `registrarMistakes`
 */
export function openRegistrars(
  configuration: Configuration,
  sandbox: Sandbox,
  { timing, installation }: { readonly timing: Timing; readonly installation: Installation },
): readonly [OpenedRegistrar, ...OpenedRegistrar[]] {
  const read = readRegistrars(configuration);
  if ("mistakes" in read) throw new ConfigurationError(read.mistakes);
  const simulated = { registrar: sandbox.registrar, close: () => Promise.resolve() };
  const timeLimitMs = configuration.providerTimeoutMs;
  const processParts = { timing, installation: () => installation.named() };
  const callLimitMs = Math.max(timeLimitMs, Math.min(commandsOfACall * timeLimitMs, longestCallMs));
  const byEpp = (opened: OpenedRegistrar) => ({ ...opened, callLimitMs });
  const first = configuration.registrar === "epp" ? byEpp(openEpp(configuration, processParts)) : simulated;
  const others = read.others.map(([name, entry]) =>
    entry.adapter === "epp" ? byEpp(openEppEntry(name, entry, { timeLimitMs, ...processParts })) : simulated,
  );
  return [first, ...others];
}

/** Returns a sentence for each mistake in the settings of the registrars. Opens nothing. */
export function registrarMistakes(configuration: Configuration): readonly string[] {
  const read = readRegistrars(configuration);
  return "mistakes" in read ? read.mistakes : [];
}

export interface CheckedRegistrar {
  /** Undefined: the one that the settings name. */
  readonly name?: string;
  readonly adapter: "sandbox" | "epp";
  readonly ask: ProviderCheck;
}

/** Returns the registrars to check, each in a session of its own. */
export function registrarsToCheck(configuration: Configuration): readonly CheckedRegistrar[] {
  const { registrar: adapter, providerTimeoutMs: timeLimitMs } = configuration;
  const read = readRegistrars(configuration);
  if ("mistakes" in read) return [{ adapter, ask: () => Promise.resolve(read.mistakes.map(wrong)) }];
  const first = {
    adapter,
    ask: adapter === "epp" ? () => checkEpp(openEpp(configuration)) : checkSimulated,
  };
  const others = read.others.map(([name, entry]) => ({
    name,
    adapter: entry.adapter,
    ask:
      entry.adapter === "epp" ? () => checkEpp(openEppEntry(name, entry, { timeLimitMs })) : checkSimulated,
  }));
  return [first, ...others];
}

async function checkEpp(opened: ReturnType<typeof openEpp>): Promise<readonly ProviderFinding[]> {
  try {
    return await opened.check();
  } finally {
    await opened.close();
  }
}

/** Reads the further registrars, or returns a sentence for each mistake. Opens nothing. */
function readRegistrars(
  configuration: Configuration,
): { readonly others: readonly Entry[] } | { readonly mistakes: readonly string[] } {
  const isEpp = configuration.registrar === "epp";
  const mistakes = isEpp ? eppMistakes(configuration) : [];
  if (mistakes.length > 0) return { mistakes };
  const { registrarsFile: file } = configuration;
  const read = file === undefined ? { content: {} } : readJsonFile(file, registrarsFile);
  if ("mistakes" in read)
    return { mistakes: read.mistakes.map((mistake) => `HOSTLEDGER_REGISTRARS_FILE: ${mistake}`) };
  const others = Object.entries(read.content);
  const first = isEpp ? eppNameOf(configuration) : "sandbox";
  const twice = others.find(([name]) => name === first);
  if (twice === undefined) return { others };
  const [name] = twice;
  return {
    mistakes: [
      `HOSTLEDGER_REGISTRARS_FILE: ${name} is what the registrar of HOSTLEDGER_REGISTRAR is called.`,
    ],
  };
}

/** RFC 5734 §2. */
const eppPort = 700;

interface EppAccess extends Pick<EppEntry, "url" | "user" | "clientId" | "sessions" | "registry"> {
  /** Undefined: the host's name. */
  readonly name: string | undefined;
  readonly password: string;
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** Returns a sentence for each missing setting of an EPP registrar. */
function eppMistakes({ eppUrl, eppUser, eppPassword, ...rest }: Configuration): readonly string[] {
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

/** Returns the name of the configured registrar; undefined if the settings lack its address. */
function eppNameOf({ eppName, eppUrl }: Configuration): string | undefined {
  return eppName ?? (eppUrl === undefined ? undefined : addressOf(eppUrl).host);
}

/** Parts that the process adds to the settings: a time limit in milliseconds, its clock, and the installation. */
type ProcessParts = Pick<OpenEppOptions, "timeLimitMs" | "timing" | "installation">;

/**
 * Opens the registrar that the settings name.
 *
 * @throws ConfigurationError when something is missing, or a file cannot be read
 */
function openEpp(
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
function openEppEntry(name: string, entry: EppEntry, processParts: ProcessParts): OpenedEppRegistrar {
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

/** URL parsing as https drops port 443. */
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
