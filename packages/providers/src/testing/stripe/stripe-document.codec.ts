import { Ajv, type AnySchema } from "ajv";
import { z } from "zod";

import excerpt from "./stripe-openapi.json" with { type: "json" };

/** Stripe's OpenAPI document, against which tests check requests and answers. */

const object = z.record(z.string(), z.unknown());

/** An operation of the document with the values in its path. */
export interface DocumentedCall {
  readonly operationId: string;
  readonly path: Readonly<Record<string, string>>;
}

/** Parameters of a request, in the types of the document. */
export type Sent = Readonly<Record<string, unknown>>;

const root = "stripe";
const options = { strict: false, validateFormats: false, allErrors: true };
/** Requests are forms, so their texts are read as the types of the document. */
const requests = new Ajv({ ...options, coerceTypes: true });
const answers = new Ajv(options);
answers.addSchema(jsonSchema({ $id: root, schemas: excerpt.schemas }));

const operations = excerpt.operations.map(
  ({ method, path, operationId, parameters, body, answers: documented }) => {
    const named = (place: string) => parameters.filter((parameter) => parameter.in === place);
    const query = {
      type: "object",
      additionalProperties: false,
      required: named("query").flatMap(({ name, required }) => (required ? [name] : [])),
      properties: Object.fromEntries(named("query").map(({ name, schema }) => [name, schema])),
    };
    return {
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
      operationId,
      query: requests.compile(jsonSchema(query)),
      body: requests.compile(jsonSchema(body)),
      answers: new Map(
        Object.entries(documented).map(([status, schema]) => [status, answers.compile(jsonSchema(schema))]),
      ),
    };
  },
);

/** Finds the documented operation of a request; undefined for none. @param path without a query */
export function documentedCall(method: string, path: string): DocumentedCall | undefined {
  for (const operation of operations) {
    const match = operation.method === method ? operation.pattern.exec(path) : null;
    if (match !== null) return { operationId: operation.operationId, path: { ...match.groups } };
  }
  return undefined;
}

/** Reads the parameters of a request. Also returns parameters that the document lacks. */
export function readSent(
  { operationId }: DocumentedCall,
  { query, body }: { readonly query: string; readonly body: string },
): { readonly sent: Sent; readonly wrong: readonly string[] } {
  const operation = operationOf(operationId);
  const parts = [
    { value: nested(query), check: operation.query, place: "query" },
    { value: nested(body), check: operation.body, place: "body" },
  ];
  const wrong = parts.flatMap(({ value, check, place }) =>
    check(value) ? [] : (check.errors ?? []).map((error) => `${place}${wordsOf(error)}`),
  );
  return { sent: Object.assign({}, ...parts.map(({ value }) => value)), wrong };
}

/** Returns where an answer differs from the document. */
export function wrongInAnswer(
  { operationId }: DocumentedCall,
  status: number,
  answer: unknown,
): readonly string[] {
  const { answers: documented } = operationOf(operationId);
  const check = documented.get(String(status)) ?? documented.get("default");
  if (check === undefined) return [`no answer with the status ${String(status)}`];
  return check(answer) ? [] : (check.errors ?? []).map(wordsOf);
}

/** Version of the API that the document describes. */
export const documentedVersion: string = excerpt.version;

function operationOf(operationId: string) {
  const operation = operations.find((one) => one.operationId === operationId);
  if (operation === undefined) throw new Error(`Stripe's document has no ${operationId}.`);
  return operation;
}

function wordsOf(error: {
  readonly instancePath: string;
  readonly message?: string;
  readonly params: unknown;
}): string {
  return `${error.instancePath} ${error.message ?? "is wrong"} ${JSON.stringify(error.params)}`;
}

/** Converts a form such as `a[b][0]=c` to the value that it means. */
function nested(form: string): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, text] of new URLSearchParams(form)) {
    const keys = [...name.matchAll(/[^[\]]+/g)].map(([key]) => key);
    const last = keys.pop() ?? "";
    let place = read;
    for (const key of keys) {
      const next = object.safeParse(place[key]).success ? place[key] : {};
      place[key] = next;
      place = next as Record<string, unknown>;
    }
    place[last] = text;
  }
  return Object.fromEntries(Object.entries(read).map(([key, value]) => [key, withArrays(value)]));
}

function withArrays(value: unknown): unknown {
  const read = object.safeParse(value);
  if (!read.success) return value;
  const entries = Object.entries(read.data).map(([key, one]): [string, unknown] => [key, withArrays(one)]);
  return entries.every(([key], index) => key === String(index))
    ? entries.map(([, one]) => one)
    : Object.fromEntries(entries);
}

/** Converts a schema of OpenAPI 3.0 to JSON Schema. */
function jsonSchema(schema: unknown): AnySchema {
  return converted(schema) as AnySchema;
}

function converted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(converted);
  const read = object.safeParse(schema);
  if (!read.success) return schema;
  const { nullable, $ref, ...rest } = read.data;
  if (typeof $ref === "string") return { $ref: $ref.replace("#/components/schemas/", `${root}#/schemas/`) };
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, converted(value)]));
  // Fields that the document does not have are wrong, too.
  if (own.properties !== undefined) own.additionalProperties ??= false;
  return nullable === true ? { anyOf: [own, { type: "null" }] } : own;
}
