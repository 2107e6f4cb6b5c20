import { z } from "zod";

import { hasAtMost, longestStaffReason } from "./values.ts";

/** Field shapes that stored events share: JSON primitives only. */

/** Integer cents (EUR) as a decimal string, so that no reader loses precision. */
export const cents = z.string().regex(/^-?\d{1,18}$/);

/** ISO 8601 UTC with six fractional digits and `Z`. */
export const instant = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);

/** A positive integer id. */
export const id = z.int().positive();

/** How many there are: one at least. */
export const count = z.int().positive();

/** Years that are bought at once. */
export const years = z.int().min(1).max(10);

/** A whole percentage. */
export const percent = z.int().min(0).max(100);

/** True or false. */
export const flag = z.boolean();

/** SHA-256, in hex. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A text with a limit of characters. */
export function line(limit: number): z.ZodString {
  // Zod's own rule counts the halves of surrogate pairs, of which its JSON Schema says nothing.
  return z
    .string()
    .refine((text) => hasAtMost(text, limit), { error: `has more than ${String(limit)} characters` })
    .meta({ maxLength: limit });
}

/** A text with the usual limit: no fact grows without bound. */
export const text = line(1_000);

/** Why staff suspended something. */
export const staffReason = line(longestStaffReason);

/** A host or domain name. */
export const hostname = line(253);

/** Nameservers. */
export const hostnames = z.array(hostname).max(13);

/** What is read in place of a text whose key was destroyed. */
export const erasedText = "[erased]";

/** What is read in place of a text whose key is missing. Loss and erasure do not look alike: a lost key may be found again. */
export const notAvailableText = "[not available]";

/** What readers of events see in place of a secret. */
export const hiddenText = "[secret]";

/** Whose text a sealed field is, and whether it is a secret. */
export interface SealedField {
  /** The field beside it that names the account. */
  readonly account: string;
  /** Only the code that acts with a secret opens it; nothing that reads events for a person does. */
  readonly isSecret: boolean;
}

const sealedFields = z.registry<SealedField>();

/**
 * A text about a person. In the store it is sealed (docs/erasure.md), which makes it longer; readers that do not hold the
 * person's key carry it on as it is, and what is read where the key is gone may be longer than the text ever was.
 * @param account the field beside it that names the account whose text it is.
 */
export function personal(plain: z.ZodString, account = "accountId"): z.ZodType<string> {
  return sealed(plain, { account, isSecret: false });
}

/**
 * A secret of an account: with it, others could act as the customer. It is stored like a personal text, and readers of
 * events see `[secret]` in its place.
 * @param account the field beside it that names the account whose secret it is.
 */
export function secret(plain: z.ZodString, account = "accountId"): z.ZodType<string> {
  return sealed(plain, { account, isSecret: true });
}

function sealed(plain: z.ZodString, meta: SealedField): z.ZodType<string> {
  const field: z.ZodType<string> = z.union([
    plain,
    z.string().regex(/^sealed:v[12]:[A-Za-z]+-\d+:([A-Za-z0-9_-]{8}:)?[A-Za-z0-9_-]+$/),
    z.enum(meta.isSecret ? [erasedText, notAvailableText, hiddenText] : [erasedText, notAvailableText]),
  ]);
  return field.register(sealedFields, meta);
}

/** Whose text a field is, where it is stored sealed. */
export function sealedField(field: z.core.$ZodType): SealedField | undefined {
  return sealedFields.get(field);
}
