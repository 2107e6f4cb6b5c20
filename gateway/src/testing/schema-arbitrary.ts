import fc from "fast-check";

import { alternativesOf, type JsonSchema } from "./openapi-document.ts";

/** Generates values, mostly examples of the schema. @param known values by field: `{ plan_id: [3] }` */
export function valuesOf(schema: JsonSchema, known: KnownValues = {}): fc.Arbitrary<unknown> {
  const { examples = [], default: preset } = schema;
  const right = preset === undefined ? examples : [...examples, preset];
  return mostly(right, randomOf(schema, known));
}

export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

function mostly(right: readonly unknown[], random: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (right.length === 0) return random;
  return fc.oneof({ arbitrary: fc.constantFrom(...right), weight: 4 }, { arbitrary: random, weight: 1 });
}

function randomOf(schema: JsonSchema, known: KnownValues): fc.Arbitrary<unknown> {
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 1) return fc.oneof(...alternatives.map((alternative) => valuesOf(alternative)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object":
      return objectsOf(schema, known);
    case "array":
      return fc.array(valuesOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: schema.maxItems ?? 8,
      });
    case "integer":
      return fc.integer({
        min: schema.minimum ?? (schema.exclusiveMinimum ?? Number.MIN_SAFE_INTEGER - 1) + 1,
        max: schema.maximum ?? Number.MAX_SAFE_INTEGER,
      });
    case "number":
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string":
      return textsOf(schema);
    case undefined:
      return fc.jsonValue();
    default:
      throw new Error(`no values of the type ${String(schema.type)}`);
  }
}

function objectsOf({ properties = {}, required = [] }: JsonSchema, known: KnownValues): fc.Arbitrary<object> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [
      name,
      mostly(known[name] ?? [], valuesOf(inner, known)),
    ]),
  );
  return fc.record(fields, { requiredKeys: [...required], noNullPrototype: true });
}

function textsOf(schema: JsonSchema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 300 } = schema;
  const patterns = patternsOf(schema).map((pattern) => new RegExp(pattern, "u"));
  // fast-check cannot parse classes such as \p{Cc}; such patterns forbid little, so most texts match.
  const readable = patterns.find(({ source }) => !source.includes("\\p{"));
  const texts =
    readable === undefined
      ? fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 40) })
      : fc.stringMatching(readable, { maxLength: Math.min(maxLength, 80) });
  return texts.filter((text) => {
    const { length } = Array.from(text);
    return length >= minLength && length <= maxLength && patterns.every((pattern) => pattern.test(text));
  });
}

export function patternsOf({ pattern, allOf = [] }: JsonSchema): readonly string[] {
  return [...(pattern === undefined ? [] : [pattern]), ...allOf.flatMap(patternsOf)];
}
