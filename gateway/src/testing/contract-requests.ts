import { defined } from "@hostledger/runtime";
import fc from "fast-check";

import { badIds } from "./field-cases.ts";
import { exampleOf, pathOf, type DocumentedOperation, type PathValues } from "./openapi-document.ts";
import { valuesOf, type KnownValues } from "./schema-arbitrary.ts";

/** Returns the ids of an account's resources at the fake services, by path parameter. */
export function idsOf(account: number) {
  return {
    key: account,
    domain: account,
    invoice: account,
    topup: account,
    method: account,
    server: account,
    ticket: account,
    webhook: account,
    mail: account,
    delivery: 2,
    record: 3,
    pos: 0,
  };
}

export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Generates valid, nearly valid and random requests for an operation. No request may break the service, and every
 * answer must be documented.
 * @param known existing ids of the caller's and another account, by path parameter or field.
 */
export function requestsOf(
  operation: DocumentedOperation,
  known: KnownValues,
): fc.Arbitrary<GeneratedRequest> {
  const { method } = operation;
  return fc
    .record({
      path: pathsOf(operation, known),
      query: queriesOf(operation),
      headers: headersOf(operation),
      body: method === "get" || method === "delete" ? fc.constant(undefined) : bodiesOf(operation, known),
    })
    .map(({ path, query, headers, body }) => ({
      method: method.toUpperCase(),
      path: query === "" ? path : `${path}?${query}`,
      headers,
      ...defined({ body }),
    }));
}

/**
 * Returns the same valid request each time, with every field from the document's examples.
 * @param ids of the resource in the path.
 * @param fields values without a useful example, such as a plan's id; fields that the body lacks are ignored.
 */
export function validRequestOf(
  operation: DocumentedOperation,
  ids: PathValues,
  fields: Readonly<Record<string, unknown>> = {},
): GeneratedRequest {
  const query = operation.query
    .filter(({ schema }) => schema.examples !== undefined)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema, name)))}`);
  const path = pathOf(operation, pathValuesOf(operation, ids));
  return {
    method: operation.method.toUpperCase(),
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    headers: operation.body === undefined ? {} : { "content-type": "application/json" },
    ...(operation.body === undefined ? {} : { body: JSON.stringify(bodyOf(operation, fields)) }),
  };
}

/** Returns values for all path parameters: the ids, and documented examples for the others. */
export function pathValuesOf(operation: DocumentedOperation, ids: PathValues): PathValues {
  const others = operation.params.filter(({ name }) => ids[name] === undefined);
  const examples = others.map(({ name, schema }): [string, string] => [
    name,
    String(exampleOf(schema, name)),
  ]);
  return { ...Object.fromEntries<string | number>(examples), ...ids };
}

function bodyOf({ body, example }: DocumentedOperation, fields: Readonly<Record<string, unknown>>): object {
  const own = Object.entries(fields).filter(([name]) => body?.properties?.[name] !== undefined);
  return Object.assign({}, example, Object.fromEntries(own));
}

function pathsOf(operation: DocumentedOperation, known: KnownValues): fc.Arbitrary<string> {
  const values = Object.fromEntries(
    operation.params.map(({ name, schema }) => [
      name,
      fc.oneof(
        { arbitrary: fc.constantFrom(...(known[name] ?? schema.examples ?? [1]).map(String)), weight: 8 },
        { arbitrary: valuesOf(schema).map(String), weight: 1 },
        { arbitrary: fc.constantFrom(...badIds), weight: 1 },
      ),
    ]),
  );
  return fc.record(values).map((ids) => pathOf(operation, ids));
}

const plainInQueries = Array.from(
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?",
);

/** Any character except surrogates, which cannot be URL-encoded. */
const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Any query string. `fc.webQueryParameters()` first builds a map of all characters, which takes too long. */
const anyQuery = fc.string({
  unit: fc.oneof(
    { arbitrary: fc.constantFrom(...plainInQueries), weight: 10 },
    { arbitrary: anyCharacter.map(encodeURIComponent), weight: 1 },
  ),
});

function queriesOf({ query }: DocumentedOperation): fc.Arbitrary<string> {
  const texts = Object.fromEntries(
    query.map(({ name, schema }) => [
      name,
      fc.oneof(
        { arbitrary: valuesOf(schema).map(String), weight: 4 },
        { arbitrary: fc.string({ unit: "grapheme" }), weight: 1 },
      ),
    ]),
  );
  return fc
    .tuple(fc.record(texts, { requiredKeys: [] }), fc.oneof(fc.constant(""), anyQuery))
    .map(([named, noise]) => {
      const known = Object.entries(named).map(([name, value = ""]) => `${name}=${encodeURIComponent(value)}`);
      return [...known, ...(noise === "" ? [] : [noise])].join("&");
    });
}

const visible = fc.stringMatching(/^[!-~]{1,255}$/);

function headersOf({ method }: DocumentedOperation): fc.Arbitrary<Record<string, string>> {
  const types = fc.oneof(
    { arbitrary: fc.constant("application/json"), weight: 20 },
    { arbitrary: fc.constantFrom("text/plain", "application/xml", "json"), weight: 1 },
  );
  // Includes header values that HTTP allows and the contract refuses.
  const keys = fc.oneof(
    { arbitrary: visible, weight: 6 },
    { arbitrary: fc.constantFrom("again", "and-again"), weight: 2 },
    { arbitrary: fc.constantFrom("two words", "k".repeat(256)), weight: 1 },
  );
  const isRead = method === "get" || method === "delete";
  const conditions = fc.oneof(
    { arbitrary: fc.constantFrom("*", '"one"', 'W/"one", "two"', "one"), weight: 4 },
    { arbitrary: visible, weight: 1 },
  );
  return fc.record(
    {
      "content-type": types,
      "idempotency-key": keys,
      traceparent: visible,
      ...(method === "get" ? { "if-none-match": conditions } : {}),
    },
    { requiredKeys: isRead ? [] : ["content-type"], noNullPrototype: true },
  );
}

const anything = fc.jsonValue();

function bodiesOf({ body }: DocumentedOperation, known: KnownValues): fc.Arbitrary<string> {
  const right =
    body === undefined ? fc.constant({}) : valuesOf(body, known).map((value) => Object(value) as object);
  const smuggled = fc.dictionary(
    fc.constantFrom("__proto__", "constructor", "id", "account_id", "status"),
    anything,
  );
  const nearlyRight = fc
    .tuple(right, fc.constantFrom(...Object.keys(body?.properties ?? { none: {} })), anything)
    .map(([value, field, other]) => ({ ...value, [field]: other }));
  return fc.oneof(
    { arbitrary: right.map((value) => JSON.stringify(value)), weight: 10 },
    { arbitrary: nearlyRight.map((value) => JSON.stringify(value)), weight: 4 },
    {
      arbitrary: fc.tuple(right, smuggled).map(([value, more]) => JSON.stringify({ ...more, ...value })),
      weight: 2,
    },
    { arbitrary: anything.map((value) => JSON.stringify(value)), weight: 1 },
    { arbitrary: fc.string({ unit: "grapheme" }), weight: 1 },
  );
}
