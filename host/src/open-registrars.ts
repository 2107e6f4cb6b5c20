import {
  checkSimulated,
  wrong,
  type ProviderCheck,
  type ProviderFinding,
  type Registrar,
  type Sandbox,
} from "@hostledger/providers";
import { ConfigurationError, type Timing } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { readJsonFile } from "./configuration/json-file.ts";
import { registrarsFile, type RegistrarsFile } from "./configuration/registrars-file.ts";
import { eppMistakes, eppNameOf, openEpp, openEppEntry } from "./open-epp.ts";

/** A registrar that is open. */
export interface OpenedRegistrar {
  readonly registrar: Registrar;
  close(): Promise<void>;
}

type Entry = readonly [name: string, entry: RegistrarsFile[string]];

/**
 * Opens the registrar that the settings name, and those of the file beside it.
 *
 * @param timing what is waited by.
 * @throws ConfigurationError see `registrarMistakes`
 */
export function openRegistrars(
  configuration: Configuration,
  sandbox: Sandbox,
  timing: Timing,
): readonly [OpenedRegistrar, ...OpenedRegistrar[]] {
  const read = readRegistrars(configuration);
  if ("mistakes" in read) throw new ConfigurationError(read.mistakes);
  const simulated = { registrar: sandbox.registrar, close: () => Promise.resolve() };
  const first = configuration.registrar === "epp" ? openEpp(configuration, timing) : simulated;
  const timeLimitMs = configuration.providerTimeoutMs;
  const others = read.others.map(([name, entry]) =>
    entry.adapter === "epp" ? openEppEntry(name, entry, { timeLimitMs, timing }) : simulated,
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
