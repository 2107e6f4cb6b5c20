import type { ZodOpenApiHeaderObject } from "zod-openapi";

/** Response headers as described in the document (contract, "Conventions"). */
export const responseHeaders = {
  "X-Request-Id": {
    description:
      "Id of the request in logs and events: the trace id of the caller's `traceparent`, or a new id.",
    required: true,
    schema: { type: "string", pattern: "^[0-9a-f]{32}$" },
  },
  "RateLimit-Policy": {
    description: "Limit `q` of requests per key in `w` seconds (draft-ietf-httpapi-ratelimit-headers).",
    schema: { type: "string", examples: ['"default";q=600;w=60'] },
  },
  RateLimit: {
    description: "Remaining requests `r`, and seconds `t` until the window ends.",
    schema: { type: "string", examples: ['"default";r=599;t=60'] },
  },
  Link: {
    description: "URL of the next page (RFC 8288); absent on the last page.",
    schema: { type: "string", examples: ['</api/v1/domains?limit=20&after=41>; rel="next"'] },
  },
  ETag: {
    description:
      "Version stamp of this answer to this account, for `If-None-Match`. A list of more than 999 items without `limit` has none.",
    schema: { type: "string", pattern: '^"[\\x21\\x23-\\x7e]+"$', examples: ['"kZ3h0Qm0m3uTzY8qf2a9Xw"'] },
  },
  "Idempotency-Replayed": {
    description: "Present if the answer repeats the stored outcome of the `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
  },
  "Content-Disposition": {
    description: "Name of the file.",
    required: true,
    schema: { type: "string", examples: ['attachment; filename="2026-7-000042.pdf"'] },
  },
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    required: true,
    schema: { type: "string", pattern: "^[1-9][0-9]*$" },
  },
  "WWW-Authenticate": {
    description: "Authentication scheme, sent with every 401.",
    required: true,
    schema: { type: "string" },
  },
} satisfies Record<string, ZodOpenApiHeaderObject>;

export type ResponseHeader = keyof typeof responseHeaders;

export function headerReferences(
  ...names: readonly ResponseHeader[]
): Record<string, { readonly $ref: `#/components/headers/${string}` }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const));
}
