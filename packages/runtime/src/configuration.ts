import type { z } from "zod";

import { readSecretFile, secretFileSuffix } from "./secret-file.ts";
import { settings, type Setting } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown for an invalid configuration. The message has one line per mistake. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  /** One sentence per mistake. */
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.mistakes = mistakes;
  }
}

/** A setting in force, safe to print. */
export interface DescribedSetting {
  readonly variable: string;
  readonly value: string;
  readonly meaning: string;
}

export interface ConfigurationReader<Configuration> {
  /**
   * Reads and validates all settings. An empty variable counts as absent; variables without our prefix are ignored. A
   * secret may be in a file named by the variable with suffix `_FILE`.
   * @param overrides values from the command line, which override the environment.
   * @param options option names of the overrides, if they differ from the settings' flags.
   * @throws ConfigurationError with all mistakes, including unknown `HOSTLEDGER_*` variables.
   */
  readonly read: (environment: Environment, overrides?: Environment, options?: Environment) => Configuration;
  /** Returns the settings in force, with secrets and passwords in addresses hidden. */
  readonly describe: (configuration: Configuration) => readonly DescribedSetting[];
}

const prefix = "HOSTLEDGER_";

/**
 * Creates a reader of settings that several packages declare as schemas registered in `settings`.
 * @param dependentDefaults defaults that depend on given values, as text.
 * @throws Error for an unregistered setting or a repeated variable.
 */
export function createConfigurationReader<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  dependentDefaults: (said: Environment) => Environment = () => ({}),
): ConfigurationReader<Readonly<z.output<z.ZodObject<Shape>>>> {
  const about = settingsOf(schema.shape);
  return {
    read(environment, overrides = {}, options = {}) {
      const { given, unread } = givenValues(about, environment, overrides, options);
      const said = Object.fromEntries([...given].map(([key, { value }]) => [key, value]));
      const result = schema.safeParse({ ...dependentDefaults(said), ...said });
      const mistakes = [...unknownVariables(about, environment), ...unread];
      for (const issue of result.error?.issues ?? []) {
        const key = String(issue.path[0]);
        const { value = "", source = key } = given.get(key) ?? {};
        // Shows the invalid value, unless it is a secret.
        const typed = about.get(key)?.secret === true ? "" : `, not "${withoutPassword(value)}"`;
        mistakes.push(`${source} ${issue.message}${typed}.`);
      }
      if (!result.success || mistakes.length > 0) throw new ConfigurationError(mistakes);
      return result.data;
    },
    describe(configuration) {
      const values = new Map<string, unknown>(Object.entries(configuration));
      return [...about].map(([key, setting]) => {
        const { variable, meaning } = setting;
        return { variable, value: shown(values.get(key), setting), meaning };
      });
    },
  };
}

type Settings = ReadonlyMap<string, Setting>;

function settingsOf(shape: z.ZodRawShape): Settings {
  const variables = new Set<string>();
  return new Map(
    Object.entries(shape).map(([key, field]) => {
      const setting = settings.get(field);
      if (setting === undefined) throw new Error(`the setting ${key} has no variable`);
      if (variables.has(setting.variable)) throw new Error(`two settings are called ${setting.variable}`);
      variables.add(setting.variable);
      return [key, setting];
    }),
  );
}

/** Collects given values with their source: command line, environment, or a file named in the environment. */
function givenValues(
  about: Settings,
  environment: Environment,
  overrides: Environment,
  options: Environment,
) {
  const given = new Map<string, { readonly value: string; readonly source: string }>();
  const unread: string[] = [];
  for (const [key, { variable, flag = variable, secret }] of about) {
    const override = overrides[key];
    const value = override ?? environment[variable];
    const source = override === undefined ? variable : (options[key] ?? flag);
    const fileVariable = variable + secretFileSuffix;
    const file = secret === true ? (environment[fileVariable] ?? "") : "";
    if (value !== undefined && value !== "") given.set(key, { value, source });
    if (file === "") continue;
    if (given.has(key)) {
      unread.push(`${source} and ${fileVariable} must not both be set.`);
      continue;
    }
    const read = readSecretFile(file);
    if ("value" in read) given.set(key, { value: read.value, source: fileVariable });
    else unread.push(`${fileVariable} ${read.objection}.`);
  }
  return { given, unread };
}

function shown(value: unknown, { secret, decimals = 0 }: Setting): string {
  if (value === undefined) return "(not set)";
  if (secret === true) return "(hidden)";
  if (Array.isArray(value)) return value.join(",");
  if (typeof value === "string") return withoutPassword(value);
  if (typeof value !== "bigint" && typeof value !== "number") return JSON.stringify(value);
  const digits = String(value).padStart(decimals + 1, "0");
  if (decimals === 0) return digits;
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Hides user and password in an address, in both possible places. */
function withoutPassword(value: string): string {
  return value.replace(/:\/\/.*@/, "://(hidden)@").replace(/([?&][a-z]*passw(?:or)?d=)[^&]*/gi, "$1(hidden)");
}

function unknownVariables(about: Settings, environment: Environment): string[] {
  const known = new Set(
    [...about.values()].flatMap(({ variable, secret }) =>
      secret === true ? [variable, variable + secretFileSuffix] : [variable],
    ),
  );
  const suffixes = [...known]
    .filter((variable) => variable.startsWith(prefix))
    .map((variable) => variable.slice(prefix.length));
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.has(name))
    .sort()
    .map((name) => {
      const meant = didYouMean(name.slice(prefix.length), suffixes);
      return `${name} is not a setting${meant === undefined ? "." : `; did you mean ${prefix}${meant}?`}`;
    });
}

/** Returns the most similar known name. @returns undefined if over two characters, or a third, differ */
export function didYouMean(typed: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewest = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const name of known) {
    const edits = editDistance(typed, name);
    if (edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
}

/** Returns Levenshtein's distance: the number of characters to insert, remove or replace. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of Array.from(from).entries()) {
    const next = [index + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
