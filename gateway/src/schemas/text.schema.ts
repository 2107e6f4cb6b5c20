import { z } from "zod";

import { otherwise } from "./values.schema.ts";

/** Bounds of a text, in characters (Unicode code points, as JSON Schema counts them). */
export interface TextLength {
  readonly minimum?: number;
  readonly maximum: number;
}

// A lone surrogate is no character and cannot be sent on as UTF-8; PostgreSQL stores no NUL.
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
  // A character takes one or two places of a string: only between the bounds does anybody have to count.
  if (value.length > 2 * maximum) return false;
  const characters = Array.from(value).length;
  return characters >= minimum && characters <= maximum;
}
