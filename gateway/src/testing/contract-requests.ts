import { defined } from "@hostledger/runtime";
import fc from "fast-check";

import { badIds } from "./field-cases.ts";
import { exampleOf, pathOf, type DocumentedOperation, type PathValues } from "./openapi-document.ts";
import { valuesOf, type KnownValues } from "./schema-arbitrary.ts";

/** What the fake services have of an account, by the names of paths. */
export function idsOf(account: number) {
  return {
    key: account,
    domain: account,
    invoice: account,
    server: account,
    ticket: account,
    webhook: account,
    mail: account,
    delivery: 2,
    record: 3,
    pos: 0,
  };
}

/** A request as it goes out. */
export interface GeneratedRequest {
  readonly method: string;
  /** Below the API's prefix, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Random requests for an operation: right ones, nearly right ones, and noise. None of them may break the service, and every
 * answer must be one that the document names.
 * @param known ids that exist, of one's own account and of another's, by the name of the path parameter or of the field.
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
 * A right request, with every field, made of the document's examples; always the same one.
 * @param ids of the resource it is about.
 * @param fields of the body that an example cannot know, such as the id of a plan; those it does not have are left out.
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

/** What stands in an operation's path: ids, and the document's examples of what is not an id. */
export function pathValuesOf(operation: DocumentedOperation, ids: PathValues): PathValues {
  const others = operation.params.filter(({ name }) => ids[name] === undefined);
  const examples = others.map(({ name, schema }): [string, string] => [
    name,
    String(exampleOf(schema, name)),
  ]);
  return { ...Object.fromEntries<string | number>(examples), ...ids };
}

/** The example of the body, with the fields of it that no example can know. */
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

/** Any character but the halves of a pair, which have no code in a URL. */
const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/**
 * Any query that a URL can have: `fc.webQueryParameters()` without its preparation, a map of all characters to their codes,
 * which takes longer than the requests.
 */
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
  // The header's form allows these; what the contract does not allow of them must be refused and not break anything.
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
