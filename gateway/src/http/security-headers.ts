import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

import helmet from "helmet";

/** Directives of a Content-Security-Policy, named as in helmet. */
export type ContentPolicy = Readonly<Record<string, readonly string[]>>;

/** Returns helmet's headers with the policy, as a flat list of names and values. */
export function headersWithPolicy(policy: ContentPolicy): readonly string[] {
  const directives = Object.fromEntries(
    Object.entries(policy).map(([name, sources]) => [name, [...sources]]),
  );
  const protect = helmet({ contentSecurityPolicy: { useDefaults: false, directives } });
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  protect(request, response, () => undefined);
  return response.getHeaderNames().flatMap((name) => [name, String(response.getHeader(name))]);
}

/** Computed once at start because they never change. The API serves no page, so nothing may be loaded or framed. */
const protectiveHeaders = headersWithPolicy({ defaultSrc: ["'none'"], frameAncestors: ["'none'"] });

/** Headers of answers without an entity tag. No cache may store them, because answers belong to one account. */
export const securityHeaders: readonly string[] = [...protectiveHeaders, "Cache-Control", "no-store"];

/** Headers of answers with an entity tag. Only the client may cache, and must revalidate. */
export const revalidatedHeaders: readonly string[] = [
  ...protectiveHeaders,
  "Cache-Control",
  "private, no-cache",
  "Vary",
  "Authorization",
];
