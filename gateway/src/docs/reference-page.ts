import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** Path of the reference page, outside the API. */
export const docsPath = "/docs";

export interface PageFile {
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
export function referencePage(documentUrl: string): ReadonlyMap<string, PageFile> {
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
