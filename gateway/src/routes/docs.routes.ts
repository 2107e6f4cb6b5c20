import type { Express, Request } from "express";

import { docsPath, referencePage } from "../docs/reference-page.ts";
import { send } from "../http/answer.ts";
import type { GatewayResponse } from "../http/gateway-context.ts";
import { otherMethods } from "../http/mount.ts";
import { apiPrefix, type Operation } from "../http/operation.ts";
import { headersWithPolicy } from "../http/security-headers.ts";
import { describeOperations, documentPath } from "../openapi/document.ts";

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

  for (const [path, file] of referencePage(apiPrefix + documentPath)) {
    app
      .route(path)
      .get(async (_request: Request, response: GatewayResponse) => {
        const { context } = response.locals;
        context.route = docsPath;
        const bytes = await file.read();
        response.writeHead(200, [
          "X-Request-Id",
          context.requestId,
          "Content-Type",
          file.type,
          "Content-Length",
          String(bytes.byteLength),
          "Cache-Control",
          `public, max-age=${String(cacheSeconds)}`,
          ...pageHeaders,
        ]);
        response.end(bytes);
      })
      .all(otherMethods(docsPath, ["GET"]));
  }
}
