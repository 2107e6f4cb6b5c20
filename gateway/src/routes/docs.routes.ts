import type { Express, Request } from "express";

import { docsPath, referencePage } from "../docs/reference-page.ts";
import { send } from "../http/answer.ts";
import type { GatewayResponse } from "../http/gateway-context.ts";
import { otherMethods } from "../http/mount.ts";
import { apiPrefix, type Operation } from "../http/operation.ts";
import { headersWithPolicy } from "../http/security-headers.ts";
import { describeOperations, documentPath } from "../openapi/document.ts";

/**
 * What the reference page may do, and no more: run its own scripts, show its own styles and pictures, and call this
 * origin. Swagger UI draws its icons from `data:` URLs.
 */
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

/** The files change with a release only. */
const cacheSeconds = 3_600;

/** Serves the OpenAPI document and the reference page made from it. Both are the same for everybody: no key is asked for. */
export function mountDocs(app: Express, operations: readonly Operation[]): void {
  // Made when it is first asked for: an instance that nobody reads about starts without it.
  let document: Buffer | undefined;
  app
    .route(apiPrefix + documentPath)
    .get((_request: Request, response: GatewayResponse) => {
      response.locals.context.route = documentPath;
      // Bytes that all answers share: a text would become bytes anew for each, and wait there for who does not read.
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
