import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

import helmet from "helmet";

const protect = helmet({
  // The API serves no page: nothing may be loaded, nothing may frame it.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
});

/**
 * Helmet's headers as a flat list of names and values. They are the same for every response, so helmet decides
 * once, at start. `no-store`: answers belong to one account and must stay in no cache.
 */
export const securityHeaders: readonly string[] = [...helmetHeaders(), "Cache-Control", "no-store"];

function helmetHeaders(): string[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  protect(request, response, () => undefined);
  return response.getHeaderNames().flatMap((name) => [name, String(response.getHeader(name))]);
}
