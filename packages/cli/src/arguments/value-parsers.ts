import { parseEuros, type Cents } from "@hostledger/core";
import { InvalidArgumentError } from "commander";

/** Parses an id: a positive integer without sign or leading zero. @throws InvalidArgumentError */
export function parseId(text: string): bigint {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new InvalidArgumentError("It must be a positive integer of at most 15 digits.");
  return BigInt(text);
}

/** Parses a position in the log, 0 or more. @throws InvalidArgumentError */
export function parsePosition(text: string): bigint {
  if (!/^(0|[1-9]\d{0,18})$/.test(text))
    throw new InvalidArgumentError("It must be an integer, 0 or more, of at most 19 digits.");
  return BigInt(text);
}

/** Parses euros such as `12.34` exactly. @returns integer cents, zero or more @throws InvalidArgumentError */
export function parsePrice(text: string): Cents {
  const euros = parseEuros(text);
  if (!euros.ok) throw new InvalidArgumentError(`It ${euros.error}.`);
  return euros.value;
}

/** Parses an amount of euros above zero. @returns integer cents @throws InvalidArgumentError */
export function parseAmount(text: string): Cents {
  const cents = parsePrice(text);
  if (cents === 0n) throw new InvalidArgumentError("It must be above zero.");
  return cents;
}

/** Parses a text that must not be blank, such as a name. @throws InvalidArgumentError */
export function parseText(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

/** Maximum of any count; the instance checks narrower limits. */
const largestCount = 1_000_000_000;

/** Parses a whole number, one or more. @throws InvalidArgumentError */
export function parseCount(text: string): number {
  return wholeNumber(text, 1);
}

/** Parses a whole number, zero or more. @throws InvalidArgumentError */
export function parseUnits(text: string): number {
  return wholeNumber(text, 0);
}

function wholeNumber(text: string, least: number): number {
  const number = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= largestCount))
    throw new InvalidArgumentError(
      `It must be a whole number from ${String(least)} to ${String(largestCount)}.`,
    );
  return number;
}

/** Maximum items that one call returns. */
export const mostAtOnce = 1_000;

/** Parses the maximum number of items in a list. @throws InvalidArgumentError */
export function parseLimit(text: string): number {
  const limit = /^[1-9]\d{0,3}$/u.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (limit > mostAtOnce) throw new InvalidArgumentError(`It must be from 1 to ${String(mostAtOnce)}.`);
  return limit;
}

/** Parses names separated by commas, such as `account,domain`. @throws InvalidArgumentError for an empty name */
export function parseNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("It must be names, separated by commas.");
  return names;
}

/** Parses a credential's id, or a user's name, which begins with a letter. @throws InvalidArgumentError */
export function parseIdOrName(text: string): bigint | string {
  if (/^[1-9]\d{0,14}$/.test(text)) return BigInt(text);
  if (/^[a-z][a-z0-9-]{0,62}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be an id or a name, as listed.");
}
