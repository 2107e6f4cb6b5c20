import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

import helmet from "helmet";

/** Directives of a Content-Security-Policy, in helmet's names. */
export type ContentPolicy = Readonly<Record<string, readonly string[]>>;

/** Helmet's headers with the policy, as a flat list of names and values. */
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

/**
 * The headers of every answer of the API. They are always the same, so helmet decides once, at start. The API serves
 * no page: nothing may be loaded, nothing may frame it. `no-store`: answers belong to one account and must stay in no cache.
 */
export const securityHeaders: readonly string[] = [
  ...headersWithPolicy({ defaultSrc: ["'none'"], frameAncestors: ["'none'"] }),
  "Cache-Control",
  "no-store",
];
