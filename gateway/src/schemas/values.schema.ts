import { z } from "zod";

// Messages are predicates ("must be …"): `http/validation.ts` puts the field's name before them, so that every sentence
// names its field and a schema can be used for any field.

/** Words for a value of the wrong kind: missing and repeated values get their own. */
const otherwise =
  (predicate: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? "is required" : predicate;

const maximumLabelLength = 63;
const maximumNameLength = 253;
const domainPattern = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?\.[a-zA-Z]{2,}$/;
const hostLabelPattern = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/;

const hasShortLabels = (name: string): boolean =>
  name.split(".").every((label) => label.length <= maximumLabelLength);

/** A name to register: one label and one extension (specification §4.1). It stays as the client wrote it. */
export const domainName = z
  .string({ error: otherwise("must be a string") })
  .min(3, { error: "must be 3 to 253 characters long", abort: true })
  .max(maximumNameLength, { error: "must be 3 to 253 characters long", abort: true })
  .regex(domainPattern, {
    error: "must be one label and one extension, for example example.com; subdomains are refused",
    abort: true,
  })
  .refine(hasShortLabels, { error: "must have labels of at most 63 characters" });

const minimumYears = 1;
const maximumYears = 10;
const yearsRule = `must be an integer from ${String(minimumYears)} to ${String(maximumYears)}`;

/** Term of a registration in a JSON body. */
export const years = z
  .number({ error: yearsRule })
  .int({ error: yearsRule, abort: true })
  .min(minimumYears, { error: yearsRule })
  .max(maximumYears, { error: yearsRule });

/** Term of a registration in a query string. */
export const yearsText = z
  .string({ error: yearsRule })
  .regex(/^([1-9]|10)$/, { error: yearsRule, abort: true })
  .transform(Number);

/** An on-off switch; the words "true" and 1 are no booleans in JSON. */
export const flag = z.boolean({ error: otherwise("must be true or false") });

/**
 * A host name of two labels or more (RFC 1123 §2.1). The last label is not all digits: that would be an IPv4 address.
 */
function isHostName(name: string): boolean {
  if (name.length > maximumNameLength) return false;
  const labels = name.split(".");
  const isNumeric = /^\d+$/.test(labels.at(-1) ?? "");
  return (
    labels.length >= 2 &&
    !isNumeric &&
    labels.every((label) => label.length <= maximumLabelLength && hostLabelPattern.test(label))
  );
}

const hostNameRule = "must be a host name, for example ns1.example.net";

/** Host names in DNS differ by more than their case. */
const areDistinct = (names: readonly string[]): boolean =>
  new Set(names.map((name) => name.toLowerCase())).size === names.length;

/** The nameservers of a domain: 2 to 6 different host names. */
export const nameservers = z
  .array(z.string({ error: hostNameRule }).refine(isHostName, { error: hostNameRule }), {
    error: "must be an array of 2 to 6 host names",
  })
  .min(2, { error: "must list 2 to 6 host names" })
  .max(6, { error: "must list 2 to 6 host names" })
  .refine(areDistinct, { error: "must not list a host name twice" });

/**
 * The id in a path. Anything but a positive integer that JSON can carry exactly names no resource, which is a 404 and
 * not a validation error; so it needs no words.
 */
export const resourceId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, { abort: true })
  .transform((digits) => BigInt(digits))
  .refine((id) => id <= BigInt(Number.MAX_SAFE_INTEGER));

/** An id in an answer. */
export const id = z.int().positive();

/** Euros as a JSON number with at most two decimals. */
export const euroAmount = z.number().multipleOf(0.01);

/** ISO 8601 UTC with six fractional digits and `Z`. */
export const timestamp = z.iso.datetime({ precision: 6 });
