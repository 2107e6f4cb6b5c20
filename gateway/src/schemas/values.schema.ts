import { domainToASCII } from "node:url";

import { defined } from "@hostledger/runtime";
import { z } from "zod";

// Messages are predicates ("must be …"): `http/validation.ts` puts the field's name before them, so that every sentence
// names its field and a schema can be used for any field.

/**
 * How the document describes digits in a path or a query: as the integer that they are, not as text with a pattern.
 * @returns what `meta()` takes.
 */
export function integerOfText(minimum: number, maximum: number) {
  return {
    override({ jsonSchema }: { readonly jsonSchema: object }): void {
      Reflect.deleteProperty(jsonSchema, "pattern");
      Object.assign(jsonSchema, { type: "integer", minimum, maximum });
    },
  };
}

/**
 * Examples of what a client sends. Zod takes the plain `examples` of a schema that transforms for those of its output.
 * @returns what `meta()` takes.
 */
export function inputExamples(...examples: readonly unknown[]) {
  return { override: { examples: [...examples] } };
}

/** A text of an answer. @returns a schema whose example is in the document */
export const shownText = (example: string, description?: string) =>
  z.string().meta({ ...defined({ description }), examples: [example] });

/** Words for a value of the wrong kind: missing and repeated values get their own. */
export const otherwise =
  (predicate: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? "is required" : predicate;

const maximumLabelLength = 63;
const maximumNameLength = 253;
/** Characters of a name before it is looked at: letters beyond ASCII become more. */
const maximumWritten = 254;
const domainPattern = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?\.[a-zA-Z]{2,}$/;
const hostLabelPattern = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/;

const hasShortLabels = (name: string): boolean =>
  name.split(".").every((label) => label.length <= maximumLabelLength);

/** What is wrong with the writing of a name, and how it is written instead where that is known. */
function objectionToName(text: string): string {
  const written = domainToASCII(text.replace(/\.$/u, ""));
  const isName = domainPattern.test(written) && written.length <= maximumNameLength;
  if (isName && /\P{ASCII}/u.test(text))
    return `must be written in ASCII: send ${written}, if the extension takes such names`;
  if (isName && text.endsWith(".")) return `must not end with a dot: drop the dot and send ${written}`;
  return "must be one label and one extension, for example example.com; subdomains are refused";
}

/** A name to register: one label and one extension (specification §4.1). It stays as the client wrote it. */
export const domainName = z
  .string({ error: otherwise("must be a string") })
  .min(3, { error: "must be 3 to 253 characters long", abort: true })
  .max(maximumNameLength, { error: "must be 3 to 253 characters long", abort: true })
  .regex(domainPattern, { error: ({ input }) => objectionToName(String(input)), abort: true })
  .refine(hasShortLabels, { error: "must have labels of at most 63 characters" })
  .meta({
    description: "One label of at most 63 characters and one extension; stored in lower case.",
    examples: ["example.com"],
  });

/** An integer of a JSON body, from the one bound to the other. */
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
const yearsMeta = { description: "Years, 1 to 10; 1 without it." };

/** Term of a registration or renewal in a JSON body. */
export const years = integer(minimumYears, maximumYears).meta({ ...yearsMeta, examples: [2] });

/** Term of a registration in a query string. */
export const yearsText = z
  .string({ error: yearsRule })
  .regex(/^([1-9]|10)$/, { error: yearsRule, abort: true })
  .transform(Number)
  .meta({ ...yearsMeta, ...integerOfText(minimumYears, maximumYears) });

/** An on-off switch; the words "true" and 1 are no booleans in JSON. */
export const flag = z.boolean({ error: otherwise("must be true or false") });

/** One label of a host name (RFC 1123 §2.1). */
const isHostLabel = (label: string): boolean =>
  label.length <= maximumLabelLength && hostLabelPattern.test(label);

/**
 * A host name of two labels or more (RFC 1123 §2.1). The last label is not all digits: that would be an IPv4 address.
 */
function isHostName(name: string): boolean {
  if (name.length > maximumNameLength) return false;
  const labels = name.split(".");
  const isNumeric = /^\d+$/.test(labels.at(-1) ?? "");
  return labels.length >= 2 && !isNumeric && labels.every(isHostLabel);
}

/** A dot at the end says that a name is whole; it is not kept. */
const withoutDot = (name: string): string => name.replace(/\.$/u, "");

const hostNameRule = "must be a host name, for example ns1.example.net";

/** Host names in DNS differ by more than their case. */
const areDistinct = (names: readonly string[]): boolean =>
  new Set(names.map((name) => withoutDot(name.toLowerCase()))).size === names.length;

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
  .refine(areDistinct, { error: "must not list a host name twice" })
  .meta({
    description: "2 to 6 different host names.",
    examples: [["ns1.example.net", "ns2.example.net"]],
  });

const maximumId = BigInt(Number.MAX_SAFE_INTEGER);
const idPattern = /^[1-9]\d{0,15}$/;

/** The id that a text is; undefined for what JSON could not carry exactly. */
function idIn(text: string): bigint | undefined {
  const id = idPattern.test(text) ? BigInt(text) : undefined;
  return id !== undefined && id <= maximumId ? id : undefined;
}

/**
 * The id in a path. Anything but a positive integer that JSON can carry exactly names no resource, which is a 404 and
 * not a validation error; so it needs no words.
 */
export const resourceId = z
  .string()
  .transform((text, context) => {
    const id = idIn(text);
    if (id !== undefined) return id;
    context.addIssue({ code: "custom" });
    return z.NEVER;
  })
  .meta(integerOfText(1, Number.MAX_SAFE_INTEGER));

/** A fully qualified name as domains are registered: ASCII, lower case, without a final dot; undefined for what cannot be one. */
function qualifiedName(text: string): string | undefined {
  const name = domainToASCII(text.replace(/\.$/, ""));
  return domainPattern.test(name) && name.length <= maximumNameLength && hasShortLabels(name)
    ? name
    : undefined;
}

/** A domain in a path: its id, or its name. What is neither names nothing that there is. */
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
    description: "Domain id, or the domain's fully qualified name.",
    examples: ["1001", "example.com"],
  });

const domainRule = "must be a domain's id or name";

/** The domain by which a list is filtered. */
export const domainFilter = z
  .string({ error: domainRule })
  .transform((text, context) => {
    const reference = text.length > maximumWritten ? undefined : (idIn(text) ?? qualifiedName(text));
    if (reference !== undefined) return reference;
    context.addIssue({ code: "custom", message: domainRule });
    return z.NEVER;
  })
  .meta({ description: "Only what is about this domain: its id, or its name." });

/** A name to look for; one that cannot be registered is nobody's. */
export const domainNameText = z
  .string({ error: "must be one name" })
  .transform((text) => qualifiedName(text.slice(0, maximumWritten)) ?? "")
  .meta({ description: "Only the domain of this name.", examples: ["example.com"] });

const idRule = "must be an id: a positive integer";

/** The id of another resource in a JSON body; whether it exists, its service knows. */
export const idInBody = z
  .int({ error: otherwise(idRule), abort: true })
  .positive({ error: idRule })
  .transform((value) => BigInt(value))
  .meta(inputExamples(1));

/** An id in an answer. */
export const id = z.int().positive();

/** Euros as a JSON number. `multipleOf: 0.01` would refuse 19.99: binary fractions are only nearly such multiples. */
export const euroAmount = z
  .number()
  .meta({ description: "Euros, with at most two decimals.", examples: [11.9] });

/** ISO 8601 UTC with six fractional digits and `Z`. */
export const timestamp = z.iso.datetime({ precision: 6 }).meta({
  examples: ["2026-11-21T01:30:00.000000Z"],
  // Zod's own pattern knows the length of every month, which takes it three lines.
  override: { pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$` },
});

/** A time that is about a year after `timestamp`. */
export const laterTimestamp = timestamp.meta({ examples: ["2027-11-21T01:30:00.000000Z"] });

/** The sentence of a success; each operation has an example of its own (`exampleMessage`). */
export const message = shownText("Done");

/** The body of a success that has nothing to show but its sentence. */
export const done = z.object({ status: z.literal(true), message });
