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

import { hasEntityTag, takesIdempotencyKey, type Operation, apiPrefix } from "../http/operation.ts";
import { failure } from "../schemas/failure.schema.ts";
import { writeExamples } from "./examples.ts";
import { headerReferences, responseHeaders } from "./headers.ts";
import { describeNotices } from "./notices.ts";
import { writeNullsAsTypes } from "./nullable.ts";
import { describeFailures, type DescribedFailures } from "./refusals.ts";

/** Path of the document below the prefix. */
export const documentPath = "/openapi.json";

const introduction = `Register domains and manage their DNS, rent servers, and read what it cost.

- **Keys.** Send \`Authorization: <API_KEY>\` with every request; \`Bearer <API_KEY>\` is taken too. The account sees and
  changes its own resources only; another account's are 403, what does not exist is 404. A key may be limited to scopes, to
  a term and to addresses; each operation names the scopes of which a key needs one, and a key without scopes has all.
- **Failures** have one shape: \`status\` false, \`error\` (a sentence), \`code\` (a stable word); with \`validation_failed\`
  also \`errors\`, by field. Unknown fields and parameters are ignored.
- **Money** is a number of euros with at most two decimals; **times** are ISO 8601 in UTC with six decimals.
- **Lists** are bare arrays, oldest first, or newest first with \`order=desc\`: all of it, or with \`limit\` and \`after\` a page
  with a \`Link\` to the next, which keeps the order and the filters.
- **Idempotency-Key.** With it a POST or PUT can be repeated safely for 24 hours: the same request is answered with the
  first outcome again, another request with the same key is refused.
- **ETag.** A read that has one can be repeated with it in \`If-None-Match\`: where nothing changed the answer is 304 without
  a body. It counts as a request.
- **If-Match** and **If-None-Match** on a write are conditions (RFC 9110 §13) where the operation lists them: a condition that is
  false is 412 \`precondition_failed\`, and nothing is changed. Of two writers with the same tag one is refused. An outcome that is
  repeated for its Idempotency-Key comes before the condition. Every other write ignores both headers.
- **traceparent** (W3C Trace Context) becomes the \`X-Request-Id\` of the answer.`;

const tags = [
  { name: "Domains", description: "Registering, renewing and changing domains." },
  { name: "DNS", description: "Records of the managed zones." },
  { name: "Servers", description: "Ordering, renewing and naming servers, and their firewalls." },
  { name: "Catalogue", description: "What can be ordered, and how much of it there is." },
  { name: "Tickets", description: "Support tickets." },
  { name: "Account", description: "Who the customer is, as registries and invoices want to know it." },
  { name: "Billing", description: "The balance, and the documents of every movement." },
  { name: "Keys", description: "API keys of the account, each with what it is allowed." },
  {
    name: "Webhooks",
    description: "URLs at which the account is notified, as Standard Webhooks 1.0 has it.",
  },
  { name: "Documentation", description: "This document." },
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
            description: "The API key alone, or after `Bearer `.",
          },
        },
      },
    },
    { override: openObjects },
  );
  writeNullsAsTypes(document);
  writeExamples(
    document,
    new Map(operations.map(({ id, exampleMessage = "Done" }) => [id, exampleMessage] as const)),
  );
  return document;
}

/** Allows additional fields in answers, because later versions may add fields. */
function openObjects({ jsonSchema, io }: ZodOpenApiOverrideContext): void {
  if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

const idempotencyKey: ZodOpenApiParameterObject = {
  name: "Idempotency-Key",
  in: "header",
  description: "Makes the request safe to repeat for 24 hours. 1 to 255 visible ASCII characters.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$", examples: ["4f1c0e9a-order-1"] },
};

const ifNoneMatch: ZodOpenApiParameterObject = {
  name: "If-None-Match",
  in: "header",
  description:
    "The `ETag` of an earlier answer, or several: where one is still right, the answer is 304. At most 4,096 characters are read.",
  schema: { type: "string", examples: ['"kZ3h0Qm0m3uTzY8qf2a9Xw"'] },
};

const ifMatch: ZodOpenApiParameterObject = {
  name: "If-Match",
  in: "header",
  description:
    "The `ETag` of the read that the write is based on, or several, or `*`: 412 where none is right any more. A weak tag matches nothing. At most 4,096 characters are read.",
  schema: { type: "string", examples: ['"kZ3h0Qm0m3uTzY8qf2a9Xw"'] },
};

const ifNoneMatchOfWrite: ZodOpenApiParameterObject = {
  name: "If-None-Match",
  in: "header",
  description: "`*`, or entity tags: 412 where there is such a resource, or one with such a tag.",
  schema: { type: "string", examples: ["*"] },
};

const notModified: ZodOpenApiResponseObject = {
  description: "What the client has is still right; there is no body.",
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
