import { z } from "zod";

import { hasAtMost, longestStaffReason } from "./values.ts";

/** Field schemas that stored events share: JSON primitives only. */

/** Integer cents (EUR) as decimal text, so that no reader loses precision. */
export const cents = z.string().regex(/^-?\d{1,18}$/);

/** ISO 8601 UTC with six fractional digits and `Z`. */
export const instant = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);

export const id = z.int().positive();

export const count = z.int().positive();

export const years = z.int().min(1).max(10);

export const percent = z.int().min(0).max(100);

/** A rate in hundredths of a per cent: 2 550 is 25.5 %. */
export const basisPoints = z.int().min(0).max(10_000);

/** A rate in per cent with at most two decimals, such as 25.5. */
export const ratePercent = z.number().min(0).max(100);

/** A calendar day, YYYY-MM-DD; its time zone is named beside it. */
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

export const flag = z.boolean();

/** SHA-256 as hexadecimal text. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export function line(limit: number): z.ZodString {
  // Zod's own rule counts UTF-16 units, but JSON Schema's `maxLength` counts characters.
  return z
    .string()
    .refine((text) => hasAtMost(text, limit), { error: `has more than ${String(limit)} characters` })
    .meta({ maxLength: limit });
}

export const text = line(1_000);

export const staffReason = line(longestStaffReason);

export const hostname = line(253);

export const hostnames = z.array(hostname).max(13);

/** Replaces a personal text whose key was destroyed. */
export const erasedText = "[erased]";

/** Replaces a personal text whose key is missing. It differs from `erasedText` because staff may find a lost key again. */
export const notAvailableText = "[not available]";

/** Replaces a secret for readers of events. */
export const hiddenText = "[secret]";

export interface SealedField {
  /** Name of the event's field with the account's id. */
  readonly account: string;
  /** Name of the event's field with the last year in which the law keeps the text; absent for texts that an erasure erases. */
  readonly keptUntil?: string;
  /** True for a secret: only the code that uses it opens it, never a program that shows events to people. */
  readonly isSecret: boolean;
}

const sealedFields = z.registry<SealedField>();

/**
 * Returns the schema of a text about a person. The store seals such a text (docs/erasure.md), which makes it longer. A
 * reader without the person's key passes it on sealed, or reads a placeholder if the key is gone.
 * @param account name of the field with the account's id.
 */
export function personal(plain: z.ZodString, account = "accountId"): z.ZodType<string> {
  return sealed(plain, { account, isSecret: false });
}

/**
 * Returns the schema of an account's secret: its holder could act as the customer. It is stored like a personal text, but
 * readers of events see `[secret]`.
 * @param account name of the field with the account's id.
 */
export function secret(plain: z.ZodString, account = "accountId"): z.ZodType<string> {
  return sealed(plain, { account, isSecret: true });
}

/**
 * Returns the schema of a text that the law keeps for years, such as the buyer on an invoice (§14b UStG). It is sealed with a key
 * for the account and the year in which that ends, so an erasure does not erase it, and destroying the year's key does.
 * @param keptUntil name of the field with that year.
 */
export function retained(
  plain: z.ZodString,
  keptUntil = "keptUntilYear",
  account = "accountId",
): z.ZodType<string> {
  return sealed(plain, { account, keptUntil, isSecret: false });
}

function sealed(plain: z.ZodString, meta: SealedField): z.ZodType<string> {
  const field: z.ZodType<string> = z.union([
    plain,
    z.string().regex(/^sealed:v[12]:[A-Za-z]+-\d+(-\d{4})?:([A-Za-z0-9_-]{8}:)?[A-Za-z0-9_-]+$/),
    z.enum(meta.isSecret ? [erasedText, notAvailableText, hiddenText] : [erasedText, notAvailableText]),
  ]);
  return field.register(sealedFields, meta);
}

/** Returns the account field and secrecy of a sealed field; undefined if the field is not sealed. */
export function sealedField(field: z.core.$ZodType): SealedField | undefined {
  return sealedFields.get(field);
}
