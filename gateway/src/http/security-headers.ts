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

/** They are always the same, so helmet decides once, at start. The API serves no page: nothing may be loaded, nothing may frame it. */
const protectiveHeaders = headersWithPolicy({ defaultSrc: ["'none'"], frameAncestors: ["'none'"] });

/** The headers of every answer of the API without an entity tag. Answers belong to one account and must stay in no cache. */
export const securityHeaders: readonly string[] = [...protectiveHeaders, "Cache-Control", "no-store"];

/**
 * Those of an answer with an entity tag. The client that asked may keep it, and asks with the tag before it is used again;
 * whoever stands between (`private`) keeps nothing, and with another API key it is another answer.
 */
export const revalidatedHeaders: readonly string[] = [
  ...protectiveHeaders,
  "Cache-Control",
  "private, no-cache",
  "Vary",
  "Authorization",
];
