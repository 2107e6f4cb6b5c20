import type { z } from "zod";

import {
  configurationSchema,
  dependentDefaults,
  settings,
  type Configuration,
  type Setting,
} from "./configuration.schema.ts";
import { didYouMean } from "./did-you-mean.ts";

export type { Configuration } from "./configuration.schema.ts";

/** Environment variables, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Values from the command line, as typed; they win over the environment. */
export type ConfigurationOverrides = { readonly [Key in keyof Configuration]?: string | undefined };

/** Thrown when the configuration cannot be used. The message holds every mistake, one on a line. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  /** One sentence for each mistake. */
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.mistakes = mistakes;
  }
}

const prefix = "HOSTLEDGER_";
const fields: readonly (readonly [string, z.core.$ZodType])[] = Object.entries(configurationSchema.shape);
const settingByKey = new Map(fields.map(([key, schema]) => [key, settingOf(key, schema)]));

/**
 * Reads and checks every setting. An empty variable counts as absent. Variables without our prefix are not looked at.
 *
 * @throws ConfigurationError naming all mistakes at once, unknown `HOSTLEDGER_*` variables among them.
 */
export function readConfiguration(env: Environment, overrides: ConfigurationOverrides = {}): Configuration {
  const typed = new Map(Object.entries(overrides));
  const given = new Map<string, { readonly value: string; readonly source: string }>();
  for (const [key, { variable, flag = variable }] of settingByKey) {
    const override = typed.get(key);
    const value = override ?? env[variable];
    if (value !== undefined && value !== "")
      given.set(key, { value, source: override === undefined ? variable : flag });
  }
  const said = new Map([...given].map(([key, { value }]) => [key, value]));
  const result = configurationSchema.safeParse({ ...dependentDefaults(said), ...Object.fromEntries(said) });
  const mistakes = unknownVariables(env);
  for (const issue of result.error?.issues ?? []) {
    const key = String(issue.path[0]);
    const { value = "", source = key } = given.get(key) ?? {};
    // What was typed helps to find the mistake, except where it would put a secret on the screen.
    const shown = settingByKey.get(key)?.secret === true ? "" : `, not "${withoutPassword(value)}"`;
    mistakes.push(`${source} ${issue.message}${shown}.`);
  }
  if (!result.success || mistakes.length > 0) throw new ConfigurationError(mistakes);
  return result.data;
}

/** One setting in force, fit to be printed. */
export interface DescribedSetting {
  readonly variable: string;
  readonly value: string;
  readonly meaning: string;
}

/** What is in force, for `hostledger config`: secrets and the passwords inside addresses are hidden. */
export function describeConfiguration(configuration: Configuration): readonly DescribedSetting[] {
  const values = new Map<string, Configuration[keyof Configuration]>(Object.entries(configuration));
  return [...settingByKey].map(([key, { variable, meaning, secret }]) => {
    const value = values.get(key);
    if (value === undefined) return { variable, value: "(not set)", meaning };
    return { variable, value: secret === true ? "(hidden)" : show(value), meaning };
  });
}

function show(value: NonNullable<Configuration[keyof Configuration]>): string {
  if (typeof value === "bigint") return `${String(value / 100n)}.${String(value % 100n).padStart(2, "0")}`;
  if (typeof value === "object") return value.join(",");
  return withoutPassword(String(value));
}

/** Hides the user and password of an address, in either of the two places where they may stand. */
function withoutPassword(value: string): string {
  return value.replace(/:\/\/.*@/, "://(hidden)@").replace(/([?&][a-z]*passw(?:or)?d=)[^&]*/gi, "$1(hidden)");
}

function unknownVariables(env: Environment): string[] {
  const known = new Set([...settingByKey.values()].map(({ variable }) => variable));
  const suffixes = [...known].map((variable) => variable.slice(prefix.length));
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !known.has(name))
    .sort()
    .map((name) => {
      const meant = didYouMean(name.slice(prefix.length), suffixes);
      return `${name} is not a setting${meant === undefined ? "." : `; did you mean ${prefix}${meant}?`}`;
    });
}

function settingOf(key: string, schema: z.core.$ZodType): Setting {
  const setting = settings.get(schema);
  if (setting === undefined) throw new Error(`the setting ${key} has no variable`);
  return setting;
}
