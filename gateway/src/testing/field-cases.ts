import { alternativesOf, exampleOf, type DocumentedOperation, type JsonSchema } from "./openapi-document.ts";
import { patternsOf } from "./schema-arbitrary.ts";

/** A body with one field at a special value and valid other fields. */
export interface FieldCase {
  readonly operation: DocumentedOperation;
  readonly field: string;
  readonly why: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** True if the document allows the value; the service may still refuse it. */
  readonly isAllowed: boolean;
}

interface Sample {
  readonly why: string;
  readonly value: unknown;
  readonly isAllowed: boolean;
}

/** Returns bad-input cases: each field at and beyond its limits, of each wrong type, and missing. */
export function fieldCasesOf(operation: DocumentedOperation): readonly FieldCase[] {
  const { properties = {}, required = [] } = operation.body ?? {};
  const example = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, name)]),
  );
  return Object.entries(properties).flatMap(([field, schema]) => [
    {
      operation,
      field,
      why: "left out",
      body: without(example, field),
      isAllowed: !required.includes(field),
    },
    ...samplesOf(schema).map(({ why, value, isAllowed }) => ({
      operation,
      field,
      why,
      body: { ...example, [field]: value },
      isAllowed,
    })),
  ]);
}

function without(example: object, field: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(example).filter(([name]) => name !== field));
}

function samplesOf(schema: JsonSchema): readonly Sample[] {
  return [...limitsOf(schema), ...wrongTypesOf(schema)];
}

const ofEachType: Readonly<Record<string, readonly unknown[]>> = {
  null: [null],
  boolean: [true],
  number: [1.5, -0.1, 1e300],
  integer: [2],
  string: ["1", "", "true"],
  array: [[], [1]],
  object: [{}, { constructor: { prototype: {} } }],
};

function wrongTypesOf(schema: JsonSchema): Sample[] {
  const types = new Set(alternativesOf(schema).flatMap(({ type = [] }) => type));
  const enumerated = alternativesOf(schema).flatMap((alternative) => alternative.enum ?? []);
  return Object.entries(ofEachType)
    .filter(
      ([type]) => !types.has(type) && !(type === "integer" && types.has("number") && enumerated.length === 0),
    )
    .flatMap(([type, values]) => values.map((value) => ({ why: `${type} ${JSON.stringify(value)}`, value })))
    .filter(({ value }) => !enumerated.includes(value))
    .map((sample) => ({ ...sample, isAllowed: false }));
}

function limitsOf(schema: JsonSchema): Sample[] {
  return alternativesOf(schema).flatMap((alternative) => {
    if (alternative.enum !== undefined) return wordsOf(alternative.enum);
    switch (alternative.type) {
      case "integer":
        return integerLimits(alternative);
      case "string":
        return textLimits(alternative);
      case "array":
        return arrayLimits(alternative);
      default:
        return [];
    }
  });
}

function wordsOf(words: readonly unknown[]): Sample[] {
  const wrong = words
    .filter((word) => typeof word === "string" && word !== "")
    .map((word) => `${String(word)}x`);
  return [
    ...words.map((value) => ({ why: `the word ${JSON.stringify(value)}`, value, isAllowed: true })),
    ...wrong.map((value) => ({ why: `the word ${JSON.stringify(value)}`, value, isAllowed: false })),
  ];
}

function integerLimits({ minimum, exclusiveMinimum, maximum }: JsonSchema): Sample[] {
  const lowest = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1);
  const low = lowest === undefined ? [] : [sample(lowest, true), sample(lowest - 1, false)];
  const high = maximum === undefined ? [] : [sample(maximum, true), sample(maximum + 1, false)];
  return [...low, ...high];
}

const sample = (value: number, isAllowed: boolean): Sample => ({ why: String(value), value, isAllowed });

function textLimits(schema: JsonSchema): Sample[] {
  const { minLength = 0, maxLength } = schema;
  const patterns = patternsOf(schema).map((pattern) => new RegExp(pattern, "u"));
  const fits = (text: string): boolean => patterns.every((pattern) => pattern.test(text));
  const ofLength = (length: number, isAllowed: boolean): Sample => ({
    why: `${String(length)} characters`,
    value: "a".repeat(length),
    isAllowed,
  });
  const shortest = minLength === 0 ? [] : [ofLength(minLength - 1, false)];
  const longest = maxLength === undefined ? [] : [ofLength(maxLength + 1, false)];
  // The filler "aaa…" is valid only if no pattern demands more.
  const within = [minLength, ...(maxLength === undefined ? [] : [maxLength])]
    .filter((length) => fits("a".repeat(length)) && patterns.every(({ source }) => source.includes("\\p{")))
    .map((length) => ofLength(length, true));
  const characters = ["nul \u0000", "lone \ud800 surrogate"].map((value) => ({
    why: JSON.stringify(value),
    value,
    isAllowed: false,
  }));
  return [...shortest, ...longest, ...within, ...characters];
}

function arrayLimits({ minItems = 0, maxItems, items = {} }: JsonSchema): Sample[] {
  const item = exampleOf(items, "item");
  const made = (at: number): unknown => (typeof item === "string" ? `n${String(at)}.${item}` : item);
  const ofLength = (length: number, isAllowed: boolean): Sample[] => [
    {
      why: `${String(length)} items`,
      value: Array.from({ length }, (_, at) => made(at)),
      isAllowed,
    },
  ];
  // Made-up items are valid only without enum and pattern.
  const within = (length: number): Sample[] =>
    items.enum === undefined && items.pattern === undefined ? ofLength(length, true) : [];
  return [
    ...(minItems === 0 ? [] : [...ofLength(minItems - 1, false), ...within(minItems)]),
    ...(maxItems === undefined ? [] : [...within(maxItems), ...ofLength(maxItems + 1, false)]),
    ...(typeof item === "string"
      ? [{ why: "an item twice", value: [item, item.toUpperCase()], isAllowed: false }]
      : []),
    { why: "an item of another type", value: [item, 7], isAllowed: false },
  ];
}

/** Path ids that name no resource and get 404 (contract, "Conventions"); positions may be 0. */
export const badIds: readonly string[] = [
  "0",
  "-1",
  "1.5",
  "1e3",
  "0x7",
  "07",
  "1%20",
  "%201",
  "x",
  "null",
  "9007199254740992",
  "9223372036854775808",
  "%00",
  "7%2F8",
  "%E0%A4%A",
];
