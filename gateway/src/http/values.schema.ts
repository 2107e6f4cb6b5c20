import { domainToASCII } from "node:url";

import { defined } from "@hostledger/runtime";
import { z } from "zod";

// Messages are predicates ("must be …"), because `http/validation.ts` prepends the field's name.

/** Describes digits in a path or query as an integer instead of a text. @returns argument of `meta()` */
export function integerOfText(minimum: number, maximum: number) {
  return {
    override({ jsonSchema }: { readonly jsonSchema: object }): void {
      Reflect.deleteProperty(jsonSchema, "pattern");
      Object.assign(jsonSchema, { type: "integer", minimum, maximum });
    },
  };
}

/** Sets examples of the input; Zod's plain `examples` describe a transform's output. @returns argument of `meta()` */
export function inputExamples(...examples: readonly unknown[]) {
  return { override: { examples: [...examples] } };
}

/** Returns the schema of a text in an answer, with its example for the document. */
export const shownText = (example: string, description?: string) =>
  z.string().meta({ ...defined({ description }), examples: [example] });

/** Returns the error for a value of the wrong type, or "is required" for a missing value or null. */
export const otherwise =
  (predicate: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined || input === null ? "is required" : predicate;

const maximumLabelLength = 63;
const maximumNameLength = 253;
/** Maximum characters of a name before its conversion to ASCII, which lengthens the name. */
const maximumWritten = 254;
const domainPattern = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?\.[a-zA-Z]{2,}$/;
const hostLabelPattern = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/;

const hasShortLabels = (name: string): boolean =>
  name.split(".").every((label) => label.length <= maximumLabelLength);

function objectionToName(text: string): string {
  const written = domainToASCII(text.replace(/\.$/u, ""));
  const isName = domainPattern.test(written) && written.length <= maximumNameLength;
  if (isName && /\P{ASCII}/u.test(text))
    return `must be written in ASCII: send ${written}, if the extension takes such names`;
  if (isName && text.endsWith(".")) return `must not end with a dot: drop the dot and send ${written}`;
  return "must be one label and one extension, for example example.com; subdomains are refused";
}

/** A name to register: one label and one extension (specification §4.1), in the client's own spelling. */
export const domainName = z
  .string({ error: otherwise("must be a string") })
  .min(3, { error: "must be 3 to 253 characters long", abort: true })
  .max(maximumNameLength, { error: "must be 3 to 253 characters long", abort: true })
  .regex(domainPattern, { error: ({ input }) => objectionToName(String(input)), abort: true })
  .refine(hasShortLabels, { error: "must have labels of at most 63 characters" })
  .meta({
    description: "One label of at most 63 characters and one extension. Stored in lower case.",
    examples: ["example.com"],
  });

/** Returns the schema of an integer within inclusive bounds in a JSON body. */
export function integer(minimum: number, maximum: number, required = false): z.ZodNumber {
  const rule = `must be an integer from ${String(minimum)} to ${String(maximum)}`;
  return z
    .number({ error: required ? otherwise(rule) : rule })
    .int({ error: rule, abort: true })
    .min(minimum, { error: rule })
    .max(maximum, { error: rule });
}

const minimumYears = 1;
const maximumYears = 10;
const yearsRule = `must be an integer from ${String(minimumYears)} to ${String(maximumYears)}`;
const yearsMeta = { description: "Years, 1 to 10. Default: 1." };

/** Years of a registration or renewal in a JSON body. */
export const years = integer(minimumYears, maximumYears).meta({ ...yearsMeta, examples: [2] });

/** Years of a registration in a query string. */
export const yearsText = z
  .string({ error: yearsRule })
  .regex(/^([1-9]|10)$/, { error: yearsRule, abort: true })
  .transform(Number)
  .meta({ ...yearsMeta, ...integerOfText(minimumYears, maximumYears) });

/** One of several words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) => {
  const shown = words.map((word) => (word === "" ? "empty" : word));
  return z.enum(words, {
    error: otherwise(`must be ${shown.slice(0, -1).join(", ")} or ${shown.at(-1) ?? ""}`),
  });
};

/** A boolean; "true" and 1 are refused. */
export const flag = z.boolean({ error: otherwise("must be true or false") });

/** Returns true for a valid label of a host name (RFC 1123 §2.1). */
const isHostLabel = (label: string): boolean =>
  label.length <= maximumLabelLength && hostLabelPattern.test(label);

/** Returns true for a host name of two or more labels (RFC 1123 §2.1) whose last label is not numeric. */
function isHostName(name: string): boolean {
  if (name.length > maximumNameLength) return false;
  const labels = name.split(".");
  const isNumeric = /^\d+$/.test(labels.at(-1) ?? "");
  return labels.length >= 2 && !isNumeric && labels.every(isHostLabel);
}

const withoutDot = (name: string): string => name.replace(/\.$/u, "");

const hostNameRule = "must be a host name, for example ns1.example.net";

/** Returns true if no text is listed twice. */
export const areDistinct = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

/** The nameservers of a domain: 2 to 6 different host names. */
export const nameservers = z
  .array(
    z
      .string({ error: hostNameRule })
      .refine((name) => isHostName(withoutDot(name)), { error: hostNameRule })
      .meta({ examples: ["ns1.example.net"] }),
    {
      error: "must be an array of 2 to 6 host names",
    },
  )
  .min(2, { error: "must list 2 to 6 host names" })
  .max(6, { error: "must list 2 to 6 host names" })
  .refine((names) => areDistinct(names.map((name) => withoutDot(name.toLowerCase()))), {
    error: "must not list a host name twice",
  })
  .meta({
    description: "2 to 6 different host names.",
    examples: [["ns1.example.net", "ns2.example.net"]],
  });

const maximumId = BigInt(Number.MAX_SAFE_INTEGER);
const idPattern = /^[1-9]\d{0,15}$/;

/** Returns the id in a text; undefined if it exceeds JSON's exact integers or is no id. */
function idIn(text: string): bigint | undefined {
  const id = idPattern.test(text) ? BigInt(text) : undefined;
  return id !== undefined && id <= maximumId ? id : undefined;
}

/** An id in a path. Other texts name no resource, so they get 404 without an error sentence. */
export const resourceId = z
  .string()
  .transform((text, context) => {
    const id = idIn(text);
    if (id !== undefined) return id;
    context.addIssue({ code: "custom" });
    return z.NEVER;
  })
  .meta(integerOfText(1, Number.MAX_SAFE_INTEGER));

/** Returns the name in ASCII, lower case and without a final dot; undefined if invalid. */
function qualifiedName(text: string): string | undefined {
  const name = domainToASCII(text.replace(/\.$/, ""));
  return domainPattern.test(name) && name.length <= maximumNameLength && hasShortLabels(name)
    ? name
    : undefined;
}

/** A domain's id or name in a path; other texts get 404. */
export const domainReference = z
  .string()
  .max(maximumWritten)
  .regex(/^[A-Za-z0-9][A-Za-z0-9.-]*$/)
  .transform((text, context) => {
    const reference = idIn(text) ?? qualifiedName(text);
    if (reference !== undefined) return reference;
    context.addIssue({ code: "custom", message: "must be a domain's id or name" });
    return z.NEVER;
  })
  .meta({
    description: "Domain id, or fully qualified domain name.",
    examples: ["1001", "example.com"],
  });

const domainRule = "must be a domain's id or name";

/** A domain's id or name as filter of a list. */
export const domainFilter = z
  .string({ error: domainRule })
  .transform((text, context) => {
    const reference = text.length > maximumWritten ? undefined : (idIn(text) ?? qualifiedName(text));
    if (reference !== undefined) return reference;
    context.addIssue({ code: "custom", message: domainRule });
    return z.NEVER;
  })
  .meta({ description: "Return only items about this domain. Send its id or name." });

/** A domain name as filter of a list; invalid names match nothing. */
export const domainNameText = z
  .string({ error: "must be one name" })
  .transform((text) => qualifiedName(text.slice(0, maximumWritten)) ?? "")
  .meta({ description: "Return only the domain with this name.", examples: ["example.com"] });

const idRule = "must be an id: a positive integer";

/** Id of another resource in a JSON body; the service checks that the resource exists. */
export const idInBody = z
  .int({ error: otherwise(idRule), abort: true })
  .positive({ error: idRule })
  .transform((value) => BigInt(value))
  .meta(inputExamples(1));

export const id = z.int().positive();

/** Euros as a JSON number. `multipleOf: 0.01` would refuse 19.99, because binary fractions are inexact. */
export const euroAmount = z
  .number()
  .meta({ description: "Euros, with at most two decimals.", examples: [11.9] });

/** ISO 8601 UTC with six fractional digits and `Z`. */
export const timestamp = z.iso.datetime({ precision: 6 }).meta({
  examples: ["2026-11-21T01:30:00.000000Z"],
  // Replaces Zod's pattern, which encodes the length of each month in three lines.
  override: { pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$` },
});

/** A time about a year after the example of `timestamp`. */
export const laterTimestamp = timestamp.meta({ examples: ["2027-11-21T01:30:00.000000Z"] });

/** Returns the schema of a success with a sentence; each operation has its own (`message`). */
export const succeeded = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.object({ status: z.literal(true), message: shownText("Done"), ...fields });

/** Body of a success without further data. */
export const done = succeeded({});

/** Bounds of a text in Unicode code points, like JSON Schema. */
interface TextLength {
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
