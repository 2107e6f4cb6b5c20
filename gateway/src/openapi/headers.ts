import type { ZodOpenApiHeaderObject } from "zod-openapi";

/** Response headers as described in the document (contract, "Conventions"). */
export const responseHeaders = {
  "X-Request-Id": {
    description:
      "Names the request in logs and events: the trace id of the caller's `traceparent`, or a new one.",
    required: true,
    schema: { type: "string", pattern: "^[0-9a-f]{32}$" },
  },
  "RateLimit-Policy": {
    description: "Requests a key may make in a window of `w` seconds (draft-ietf-httpapi-ratelimit-headers).",
    schema: { type: "string", examples: ['"default";q=600;w=60'] },
  },
  RateLimit: {
    description: "Requests that are left, and seconds until the window ends.",
    schema: { type: "string", examples: ['"default";r=599;t=60'] },
  },
  Link: {
    description: "The next page, when there is one (RFC 8288).",
    schema: { type: "string", examples: ['</api/v1/domains?limit=20&after=41>; rel="next"'] },
  },
  ETag: {
    description:
      "Names this answer to this account, for `If-None-Match`. A list of more than 999 items without `limit` has none.",
    schema: { type: "string", pattern: '^"[\\x21\\x23-\\x7e]+"$', examples: ['"kZ3h0Qm0m3uTzY8qf2a9Xw"'] },
  },
  "Idempotency-Replayed": {
    description: "There when the key's first outcome is answered again.",
    schema: { type: "string", enum: ["true"] },
  },
  "Content-Disposition": {
    description: "The name under which the file is saved.",
    required: true,
    schema: { type: "string", examples: ['attachment; filename="2026-7-000042.pdf"'] },
  },
  "Retry-After": {
    description: "Seconds to wait.",
    required: true,
    schema: { type: "string", pattern: "^[1-9][0-9]*$" },
  },
  "WWW-Authenticate": {
    description: "The challenge that goes with every 401.",
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
