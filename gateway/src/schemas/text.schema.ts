import { z } from "zod";

import { otherwise } from "./values.schema.ts";

/** Bounds of a text in Unicode code points, like JSON Schema. */
export interface TextLength {
  readonly minimum?: number;
  readonly maximum: number;
}

// Lone surrogates cannot be encoded as UTF-8, and PostgreSQL stores no NUL.
const linePattern = /^[^\p{Cc}\p{Cs}]*$/u;
const prosePattern = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;

/** One line of text without control characters. */
export const line = (length: TextLength) => text(length, linePattern, "must be one line of text");

/** Text of several lines, without other control characters. */
export const prose = (length: TextLength) =>
  text(length, prosePattern, "must be text without control characters");

function text({ minimum = 0, maximum }: TextLength, pattern: RegExp, rule: string): z.ZodString {
  const lengthRule =
    minimum === 0
      ? `must be at most ${String(maximum)} characters long`
      : `must be ${String(minimum)} to ${String(maximum)} characters long`;
  return z
    .string({ error: otherwise("must be a string") })
    .refine((value) => isWithin(value, minimum, maximum), { error: lengthRule, abort: true })
    .regex(pattern, { error: rule })
    .meta({ ...(minimum === 0 ? {} : { minLength: minimum }), maxLength: maximum });
}

function isWithin(value: string, minimum: number, maximum: number): boolean {
  // A character takes one or two UTF-16 units, so characters are counted only if the length is between the bounds.
  if (value.length > 2 * maximum) return false;
  const characters = Array.from(value).length;
  return characters >= minimum && characters <= maximum;
}
