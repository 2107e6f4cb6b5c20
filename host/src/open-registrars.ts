import { readFileSync } from "node:fs";

import { right, wrong, type ProviderFinding, type Registrar, type Sandbox } from "@hostledger/providers";
import { ConfigurationError, type Timing } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { parseRegistrars, type RegistrarsFile } from "./configuration/registrars-file.ts";
import { eppMistakes, openEpp, openEppEntry } from "./open-epp.ts";

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
  const mistakes = registrarMistakes(configuration);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  const simulated = { registrar: sandbox.registrar, close: () => Promise.resolve() };
  const first = configuration.registrar === "epp" ? openEpp(configuration, timing) : simulated;
  const timeLimitMs = configuration.providerTimeoutMs;
  const others = entriesOf(configuration).map(([name, entry]) =>
    entry.adapter === "epp" ? openEppEntry(name, entry, { timeLimitMs, timing }) : simulated,
  );
  return [first, ...others];
}

/** What is missing or wrong in the settings of the registrars, one sentence each. Nothing is opened that stays open. */
export function registrarMistakes(configuration: Configuration): readonly string[] {
  if (configuration.registrar === "epp") {
    const mistakes = eppMistakes(configuration);
    if (mistakes.length > 0) return mistakes;
  }
  const read = readRegistrars(configuration);
  if ("mistakes" in read) return read.mistakes.map((mistake) => `HOSTLEDGER_REGISTRARS_FILE: ${mistake}`);
  const taken = configuration.registrar === "epp" ? openEpp(configuration).registrar.name : "sandbox";
  return Object.keys(read.registrars)
    .filter((name) => name === taken)
    .map(
      (name) =>
        `HOSTLEDGER_REGISTRARS_FILE: ${name} is what the registrar of HOSTLEDGER_REGISTRAR is called.`,
    );
}

/** What came of asking one registrar. */
export interface CheckedRegistrar {
  /** Undefined: the one that the settings name. */
  readonly name?: string;
  readonly adapter: "sandbox" | "epp";
  readonly ask: () => Promise<readonly ProviderFinding[]>;
}

/** Who is to be asked for what the adapters need, each in a session of its own. */
export function registrarsToCheck(configuration: Configuration): readonly CheckedRegistrar[] {
  const { registrar: adapter } = configuration;
  const mistakes = registrarMistakes(configuration);
  const wrongly = () => Promise.resolve(mistakes.map(wrong));
  if (mistakes.length > 0) return [{ adapter, ask: wrongly }];
  const first = { adapter, ask: adapter === "epp" ? () => checkEpp(openEpp(configuration)) : simulated };
  const others = entriesOf(configuration).map(([name, entry]) => ({
    name,
    adapter: entry.adapter,
    ask:
      entry.adapter === "epp"
        ? () => checkEpp(openEppEntry(name, entry, { timeLimitMs: configuration.providerTimeoutMs }))
        : simulated,
  }));
  return [first, ...others];
}

const simulated = () => Promise.resolve([right("It is simulated, and needs nothing.")]);

async function checkEpp(opened: ReturnType<typeof openEpp>): Promise<readonly ProviderFinding[]> {
  try {
    return await opened.check();
  } finally {
    await opened.close();
  }
}

/** Call it without mistakes only. */
function entriesOf(configuration: Configuration): readonly Entry[] {
  const read = readRegistrars(configuration);
  return "registrars" in read ? Object.entries(read.registrars) : [];
}

function readRegistrars({ registrarsFile: file }: Configuration): ReturnType<typeof parseRegistrars> {
  if (file === undefined) return { registrars: {} };
  try {
    return parseRegistrars(readFileSync(file, "utf8"));
  } catch {
    return { mistakes: [`${file} cannot be read.`] };
  }
}
