import {
  checkSimulated,
  wrong,
  type ProviderCheck,
  type ProviderFinding,
  type Registrar,
  type Sandbox,
} from "@hostledger/providers";
import type { Installation } from "@hostledger/event-store";
import { ConfigurationError, type Timing } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { readJsonFile } from "./configuration/json-file.ts";
import { registrarsFile, type RegistrarsFile } from "./configuration/registrars-file.ts";
import { eppMistakes, eppNameOf, openEpp, openEppEntry } from "./open-epp.ts";

/** A registrar that is open. */
export interface OpenedRegistrar {
  readonly registrar: Registrar;
  /** How long one call may take, in milliseconds, where it is several requests; else as long as one. */
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
 * Opens the registrar that the settings name, and those of the file beside it.
 *
 * @param context what is waited by, and what tells this installation from others at the same registry.
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

/** What is missing or wrong in the settings of the registrars, one sentence each. Nothing is opened. */
export function registrarMistakes(configuration: Configuration): readonly string[] {
  const read = readRegistrars(configuration);
  return "mistakes" in read ? read.mistakes : [];
}

/** What came of asking one registrar. */
export interface CheckedRegistrar {
  /** Undefined: the one that the settings name. */
  readonly name?: string;
  readonly adapter: "sandbox" | "epp";
  readonly ask: ProviderCheck;
}

/** Who is to be asked for what the adapters need, each in a session of its own. */
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

/** The registrars beside the one that the settings name; or what is missing or wrong, one sentence each. Nothing is opened. */
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
