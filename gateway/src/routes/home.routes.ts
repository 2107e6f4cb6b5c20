import type { Express, Request } from "express";

import { docsPath } from "../docs/reference-page.ts";
import type { GatewayResponse } from "../http/gateway-context.ts";
import { otherMethods } from "../http/mount.ts";
import { apiPrefix } from "../http/operation.ts";
import { headersWithPolicy } from "../http/security-headers.ts";
import { documentPath } from "../openapi/document.ts";

const headers = headersWithPolicy({
  defaultSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
});

const link = (path: string, text: string): string => `<li><a href="${path}">${text}</a></li>`;

const page = (hasConsole: boolean): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hostledger</title>
<h1>Hostledger</h1>
<p>The customer API of a hosting provider: domains, DNS, servers, invoices and tickets. It is at <code>${apiPrefix}</code>.</p>
<ul>
${[
  link(docsPath, "Reference, to read and to try"),
  link(apiPrefix + documentPath, "OpenAPI document"),
  ...(hasConsole ? [link("/audit", "Audit console, with a credential of an auditor or of staff")] : []),
  link("/healthz", "Health: does the process live"),
  link("/readyz", "Readiness: does it take requests"),
].join("\n")}
</ul>
</html>
`;

/** Serves the page at `/`. */
export function mountHome(app: Express, { hasConsole }: { readonly hasConsole: boolean }): void {
  const bytes = Buffer.from(page(hasConsole));
  app
    .route("/")
    .get((_request: Request, response: GatewayResponse) => {
      const { context } = response.locals;
      context.route = "/";
      response.writeHead(200, [
        "X-Request-Id",
        context.requestId,
        "Content-Type",
        "text/html; charset=utf-8",
        "Content-Length",
        String(bytes.byteLength),
        ...headers,
      ]);
      response.end(bytes);
    })
    .all(otherMethods("/", ["GET"]));
}
