import { z } from "zod";

import { parseClockOffset } from "./clock.ts";

/** What a person needs to know of one setting. */
export interface Setting {
  /** The environment variable. */
  readonly variable: string;
  /** The flag of `hostledger start` that means the same and wins over the variable. */
  readonly flag?: string;
  /** One line for `hostledger config` and the documents. */
  readonly meaning: string;
  /** Never shown; may stand in a file that the variable with `_FILE` at its end names. */
  readonly secret?: true;
  /** Of a whole number that counts parts of a unit: how many digits stand behind the point when it is shown. */
  readonly decimals?: number;
}

/** The settings' names and meanings, by schema. */
export const settings = z.registry<Setting>();

/** A text that keeps a rule; the rule is the end of the sentence that is said otherwise. */
export const text = (rule: string, pattern: RegExp): z.ZodString => z.string().regex(pattern, rule);

/** A whole number between both bounds, inclusive. */
export function wholeNumber(least: number, most: number) {
  const rule = `must be a whole number from ${String(least)} to ${String(most)}`;
  return text(rule, /^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule);
}

/** One of some words. */
export function oneOf<const Choice extends string>(...choices: readonly [Choice, ...Choice[]]) {
  return z.enum(choices, `must be one of: ${choices.join(", ")}`);
}

/** A path of a file or directory. */
export const path = () => text("must be a path", /^[^\0]{1,4096}$/);

const clockOffset = z.string().transform((offset, context) => {
  const value = parseClockOffset(offset);
  if (value !== undefined) return value;
  context.addIssue({
    code: "custom",
    message: "must be a time such as +51w, -3d or 90m (units s, m, h, d, w)",
  });
  return z.NEVER;
});

/** What every process has, whatever it does. Whoever starts it names the rest, section by section. */
export const runtimeSettings = {
  data: path().default("./data").register(settings, {
    variable: "HOSTLEDGER_DATA",
    flag: "--data",
    meaning: "directory of all data of the process",
  }),
  clockOffsetMs: clockOffset.default(0).register(settings, {
    variable: "HOSTLEDGER_CLOCK_OFFSET",
    meaning: "moves the clock, for example +51w",
  }),
  logLevel: oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent")
    .default("info")
    .register(settings, { variable: "HOSTLEDGER_LOG_LEVEL", meaning: "lowest severity that is logged" }),
  logFormat: oneOf("json", "pretty")
    .default("json")
    .register(settings, { variable: "HOSTLEDGER_LOG_FORMAT", meaning: "format of the log on stderr" }),
};
