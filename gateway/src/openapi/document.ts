import { STATUS_CODES } from "node:http";

import { defined } from "@hostledger/runtime";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverrideContext,
  type ZodOpenApiParameterObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";

import { apiPrefix, hasEntityTag, type Operation, takesIdempotencyKey } from "../http/operation.ts";
import { failure } from "../http/refusal.ts";
import { writeExamples } from "./examples.ts";
import { headerReferences, responseHeaders } from "./headers.ts";
import { describeNotices } from "../resources/notices/notice-kinds.ts";
import { type DescribedFailures, describeFailures } from "./refusals.ts";

/** Path of the document below the prefix. */
export const documentPath = "/openapi.json";

const introduction = `Register domains, manage their DNS records, rent servers, and read your invoices.

- **Keys.** Send \`Authorization: <API_KEY>\` with every request; \`Bearer <API_KEY>\` is accepted too. A key reads and changes
  only the resources of its account. Another account's resource is 403, an unknown one 404. A key may be limited to scopes, to a
  term and to addresses. Each operation lists the scopes that permit it; a key without scopes has all.
- **Failures** have one shape: \`status\` false, \`error\` (a sentence) and \`code\` (stable). \`validation_failed\` adds \`errors\`,
  by field. Unknown fields and parameters are ignored.
- **Money** is a number of euros with at most two decimals. **Times** are ISO 8601 in UTC with six decimals.
- **Lists** are arrays, oldest first, or newest first with \`order=desc\`. Without \`limit\` a list is complete. With \`limit\` and \`after\`
  it is a page, whose \`Link\` header names the next page with the same order and filters.
- **Idempotency-Key** makes a POST or PUT safe to repeat for 24 hours. The same request gets the first outcome again. Another
  request with the same key is refused.
- **ETag.** Send the \`ETag\` of a read as \`If-None-Match\` of the next. If nothing changed, the answer is 304 without a body.
  The request counts towards the rate limit.
- **If-Match** and **If-None-Match** are conditions of a write (RFC 9110 §13) where the operation lists them. A false condition is
  412 \`precondition_failed\`, and nothing changes. Of two writers with the same tag one is refused. A repeat with an
  \`Idempotency-Key\` gets its stored outcome, whatever the condition. Other writes ignore both headers.
- **traceparent** (W3C Trace Context) sets the \`X-Request-Id\` of the answer.`;

const tags = [
  { name: "Domains", description: "Register, renew and change domains." },
  { name: "DNS", description: "Manage the records of managed zones." },
  { name: "Servers", description: "Order, renew and name servers, and manage their firewalls." },
  { name: "Catalogue", description: "Read the plans, regions and distributions, and their stock." },
  { name: "Tickets", description: "Open, answer and close support tickets." },
  { name: "Account", description: "Manage the customer's profile and notices." },
  { name: "Billing", description: "Read the balance, and the document of every payment and charge." },
  { name: "Keys", description: "Manage the account's API keys and their scopes." },
  { name: "Webhooks", description: "Manage URLs that receive notices, per Standard Webhooks 1.0." },
  { name: "Documentation", description: "Read this document." },
];

/** Describes operations as an OpenAPI 3.1 document, from the Zod schemas that validate and the table of rejections. */
export function describeOperations(operations: readonly Operation[]): ReturnType<typeof createDocument> {
  const failures = describeFailures(operations);
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: {
        title: "Hosting Account API",
        version: "1.0.0",
        summary: "Domains, DNS records, servers, stock and tickets of a hosting account.",
        description: introduction,
      },
      servers: [{ url: apiPrefix }],
      security: [{ apiKey: [] }],
      tags,
      webhooks: describeNotices(),
      paths: { ...pathsOf(operations, failures), [documentPath]: { get: documentOperation } },
      components: {
        schemas: { Failure: failure },
        responses: { NotModified: notModified, ...failures.components },
        headers: responseHeaders,
        parameters: {
          IdempotencyKey: idempotencyKey,
          IfMatch: ifMatch,
          IfNoneMatch: ifNoneMatch,
          IfNoneMatchOfWrite: ifNoneMatchOfWrite,
        },
        securitySchemes: {
          apiKey: {
            type: "apiKey",
            in: "header",
            name: "Authorization",
            description: "The API key, with or without `Bearer ` before it.",
          },
        },
      },
    },
    { override: openObjects },
  );
  writeNullsAsTypes(document);
  writeExamples(document, new Map(operations.map(({ id, message = "Done" }) => [id, message] as const)));
  return document;
}

/** Allows additional fields in answers, because later versions may add fields. */
function openObjects({ jsonSchema, io }: ZodOpenApiOverrideContext): void {
  if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

const idempotencyKey: ZodOpenApiParameterObject = {
  name: "Idempotency-Key",
  in: "header",
  description: "Makes the request safe to repeat for 24 hours. Send 1 to 255 visible ASCII characters.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$", examples: ["4f1c0e9a-order-1"] },
};

const ifNoneMatch: ZodOpenApiParameterObject = {
  name: "If-None-Match",
  in: "header",
  description:
    "One or more values of `ETag` from earlier answers. If one is current, the answer is 304. Headers longer than 4,096 characters are ignored.",
  schema: { type: "string", examples: ['"kZ3h0Qm0m3uTzY8qf2a9Xw"'] },
};

const ifMatch: ZodOpenApiParameterObject = {
  name: "If-Match",
  in: "header",
  description:
    "One or more values of `ETag` from the read before the write, or `*`. If none is current, the answer is 412. Weak tags and headers longer than 4,096 characters match nothing.",
  schema: { type: "string", examples: ['"kZ3h0Qm0m3uTzY8qf2a9Xw"'] },
};

const ifNoneMatchOfWrite: ZodOpenApiParameterObject = {
  name: "If-None-Match",
  in: "header",
  description: "`*` or entity tags. If the resource exists, or has one of the tags, the answer is 412.",
  schema: { type: "string", examples: ["*"] },
};

const notModified: ZodOpenApiResponseObject = {
  description: "The client's copy is current; the answer has no body.",
  headers: headerReferences("X-Request-Id", "RateLimit-Policy", "RateLimit", "Link", "ETag"),
};

/** The document's own operation, which needs no key. */
const documentOperation: ZodOpenApiOperationObject = {
  operationId: "getOpenApiDocument",
  tags: ["Documentation"],
  summary: "Read this document; no key is needed",
  security: [],
  responses: {
    200: {
      description: "The document.",
      headers: headerReferences("X-Request-Id"),
      content: {
        "application/json": { schema: { type: "object", examples: [{ openapi: "3.1.1", paths: {} }] } },
      },
    },
  },
};

function pathsOf(operations: readonly Operation[], failures: DescribedFailures): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const [path, sharing] of Map.groupBy(operations, ({ path }) => path)) {
    paths[path] = Object.fromEntries(
      sharing.map((operation) => [operation.method, operationObject(operation, failures)] as const),
    );
  }
  return paths;
}

function operationObject(operation: Operation, failures: DescribedFailures): ZodOpenApiOperationObject {
  const { id, tag, scopes, summary, description, request } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, scopeSentence(scopes)].filter((text) => text !== undefined).join(" "),
    // One of these alternatives suffices.
    security: scopes.map((scope) => ({ apiKey: [scope] })),
    requestParams: {
      ...defined({ path: request.params, query: request.query }),
    },
    ...parameters(
      ...(takesIdempotencyKey(operation) ? (["IdempotencyKey"] as const) : []),
      ...(hasEntityTag(operation) ? (["IfNoneMatch"] as const) : []),
      ...(operation.isConditional ? (["IfMatch", "IfNoneMatchOfWrite"] as const) : []),
    ),
    ...(request.body === undefined
      ? {}
      : {
          requestBody: {
            // The body is optional if all its fields are.
            required: !request.body.safeParse({}).success,
            content: { "application/json": { schema: request.body } },
          },
        }),
    responses: { ...successResponses(operation), ...failures.responsesOf(operation) },
  };
}

function parameters(
  ...names: readonly ("IdempotencyKey" | "IfNoneMatch" | "IfMatch" | "IfNoneMatchOfWrite")[]
) {
  if (names.length === 0) return {};
  return { parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` as const })) };
}

function scopeSentence(scopes: Operation["scopes"]): string {
  return `Scope of the API key: ${scopes.map((scope) => `\`${scope}\``).join(" or ")}.`;
}

function successResponses(operation: Operation): ZodOpenApiResponsesObject {
  const { request, responses, media = "application/json" } = operation;
  const headers = headerReferences(
    "X-Request-Id",
    "RateLimit-Policy",
    "RateLimit",
    ...(request.query !== undefined && "after" in request.query.shape ? (["Link"] as const) : []),
    ...(takesIdempotencyKey(operation) ? (["Idempotency-Replayed"] as const) : []),
    ...(operation.media === undefined ? [] : (["Content-Disposition"] as const)),
    ...(hasEntityTag(operation) ? (["ETag"] as const) : []),
  );
  const described = Object.fromEntries(
    Object.entries(responses).map(
      ([status, schema]) =>
        [
          status,
          {
            description: STATUS_CODES[status] ?? "Done",
            headers,
            content: { [media]: { schema } },
          },
        ] as const,
    ),
  );
  const unchanged = { 304: { $ref: "#/components/responses/NotModified" as const } };
  return hasEntityTag(operation) ? { ...described, ...unchanged } : described;
}

/** The JSON Schema keywords that allow null. */
interface NullableSchema {
  type?: string | readonly string[] | undefined;
  enum?: readonly unknown[] | undefined;
  anyOf?: readonly NullableSchema[] | undefined;
}

/**
 * Rewrites every `anyOf: [X, {type: "null"}]` below a value to `type: [X, "null"]`, because NSwag and Kiota do not
 * understand the former. A reference cannot have a type, so it becomes `oneOf: [X, {type: "null"}]`, which both
 * understand.
 */
export function writeNullsAsTypes(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.values(value).forEach(writeNullsAsTypes);
  writeNullAsType(value);
}

function writeNullAsType(schema: NullableSchema): void {
  const choices = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  const [value] = choices;
  if (value === undefined || choices.length === schema.anyOf?.length) return;
  if (choices.length > 1) {
    // Adds null to the first choice, so that no choice is null alone.
    schema.anyOf = [nullable(value), ...choices.slice(1)];
    return;
  }
  const { anyOf, ...own } = schema;
  for (const key of Object.keys(schema)) Reflect.deleteProperty(schema, key);
  Object.assign(
    schema,
    typeof value.type === "string" ? nullable({ ...value, ...own }) : { ...own, oneOf: anyOf },
  );
}

/** Returns the schema with null allowed. */
function nullable({ type, ...rest }: NullableSchema): NullableSchema {
  if (typeof type !== "string") return { type, ...rest };
  const words = rest.enum;
  return {
    ...rest,
    type: [type, "null"],
    ...(words === undefined ? {} : { enum: [...new Set([...words, null])] }),
  };
}
