import { z } from "zod";

import { parseClockOffset } from "./clock.ts";

export interface Setting {
  /** Environment variable. */
  readonly variable: string;
  /** Flag of `hostledger start` that overrides the variable. */
  readonly flag?: string;
  /** One line for `hostledger config` and the documents. */
  readonly meaning: string;
  /** True if never shown; the value may be in a file named by the variable with suffix `_FILE`. */
  readonly secret?: true;
  /** Digits after the decimal point when a number of subunits is shown. */
  readonly decimals?: number;
}

export const settings = z.registry<Setting>();

/** Returns the schema of a text; `rule` is the end of the error sentence. */
export const text = (rule: string, pattern: RegExp): z.ZodString => z.string().regex(pattern, rule);

/** Returns the schema of a whole number within inclusive bounds. */
export function wholeNumber(least: number, most: number) {
  const rule = `must be a whole number from ${String(least)} to ${String(most)}`;
  return text(rule, /^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule);
}

export function oneOf<const Choice extends string>(...choices: readonly [Choice, ...Choice[]]) {
  return z.enum(choices, `must be one of: ${choices.join(", ")}`);
}

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

/** Settings of every process; other sections are added by its host. */
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
