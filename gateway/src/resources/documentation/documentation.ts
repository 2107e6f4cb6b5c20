import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import type { Express, Request } from "express";

import { send } from "../../http/answer.ts";
import type { GatewayResponse } from "../../http/gateway-context.ts";
import { otherMethods } from "../../http/mount.ts";
import { apiPrefix, type Operation } from "../../http/operation.ts";
import { headersWithPolicy } from "../../http/security-headers.ts";
import { describeOperations, documentPath } from "../../openapi/document.ts";

/** Path of the reference page, outside the API. */
export const docsPath = "/docs";

interface PageFile {
  readonly type: string;
  readonly read: () => Promise<Uint8Array>;
}

/** The HTML page. The page loads files from this server only, so no other host learns of its readers. */
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Hosting Account API</title>
    <link rel="icon" type="image/png" href="${docsPath}/assets/favicon-32x32.png">
    <link rel="stylesheet" href="${docsPath}/assets/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript; the document behind it does not: openapi.json.</noscript>
    <script src="${docsPath}/assets/swagger-ui-bundle.js"></script>
    <script src="${docsPath}/assets/reference.js"></script>
  </body>
</html>
`;

/** Starts Swagger UI. `validatorUrl` is null because Swagger UI would otherwise send the document to an outside host. */
const script = (documentUrl: string): string => `window.reference = SwaggerUIBundle({
  url: ${JSON.stringify(documentUrl)},
  dom_id: "#reference",
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  docExpansion: "list",
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

const resolve = createRequire(import.meta.url).resolve;
const packaged = (name: string, type: string): PageFile => {
  const file = resolve(`swagger-ui-dist/${name}`);
  // Caches one copy for all requests, so slow clients do not each use a megabyte of memory.
  let bytes: Promise<Uint8Array> | undefined;
  const read = async (): Promise<Uint8Array> => {
    try {
      return await (bytes ??= readFile(file));
    } catch (error) {
      bytes = undefined;
      throw error;
    }
  };
  return { type, read };
};
const written = (text: string, type: string): PageFile => {
  const bytes = Buffer.from(text);
  return { type, read: () => Promise.resolve(bytes) };
};

/** Returns the files of the reference page by path. @param documentUrl of the OpenAPI document, on the same origin */
function referencePage(documentUrl: string): ReadonlyMap<string, PageFile> {
  return new Map([
    [docsPath, written(page, "text/html; charset=utf-8")],
    [`${docsPath}/assets/reference.js`, written(script(documentUrl), "text/javascript; charset=utf-8")],
    [
      `${docsPath}/assets/swagger-ui-bundle.js`,
      packaged("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ],
    [`${docsPath}/assets/swagger-ui.css`, packaged("swagger-ui.css", "text/css; charset=utf-8")],
    [`${docsPath}/assets/favicon-32x32.png`, packaged("favicon-32x32.png", "image/png")],
  ]);
}

/** Content policy of the reference page: own scripts, styles, images and calls. Its icons are `data:` URLs. */
const pageHeaders = headersWithPolicy({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", "data:"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
});

/** The files change only with a release. */
const cacheSeconds = 3_600;

/** Serves the OpenAPI document and the reference page, without a key. */
export function mountDocs(app: Express, operations: readonly Operation[]): void {
  // Created on the first request, so instances that never serve the document start faster.
  let document: Buffer | undefined;
  app
    .route(apiPrefix + documentPath)
    .get((_request: Request, response: GatewayResponse) => {
      response.locals.context.route = documentPath;
      // All answers share these bytes; a string would be encoded for each answer and buffered for slow clients.
      document ??= Buffer.from(JSON.stringify(describeOperations(operations)));
      send(response, { status: 200, json: document });
    })
    .all(otherMethods(documentPath, ["GET"]));

  const headers = ["Cache-Control", `public, max-age=${String(cacheSeconds)}`, ...pageHeaders];
  for (const [path, file] of referencePage(apiPrefix + documentPath))
    mountFile(app, { path, route: docsPath, file, headers });
}

interface MountedFile {
  readonly path: string;
  /** Path in logs and metrics. */
  readonly route: string;
  readonly file: PageFile;
  readonly headers: readonly string[];
}

function mountFile(app: Express, { path, route, file, headers }: MountedFile): void {
  app
    .route(path)
    .get(async (_request: Request, response: GatewayResponse) => {
      const { context } = response.locals;
      context.route = route;
      const bytes = await file.read();
      const framing = ["Content-Type", file.type, "Content-Length", String(bytes.byteLength)];
      response.writeHead(200, ["X-Request-Id", context.requestId, ...framing, ...headers]);
      response.end(bytes);
    })
    .all(otherMethods(route, ["GET"]));
}

const homeHeaders = headersWithPolicy({
  defaultSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
});

const link = (path: string, text: string): string => `<li><a href="${path}">${text}</a></li>`;

const homePage = (hasConsole: boolean): string => `<!doctype html>
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
  const file = written(homePage(hasConsole), "text/html; charset=utf-8");
  mountFile(app, { path: "/", route: "/", file, headers: homeHeaders });
}
