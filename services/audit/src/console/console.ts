import { readFileSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";

/** Content security policy: all content comes from this service; no inline script or style, no frames, no forms. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const html = "text/html; charset=utf-8";
const script = "text/javascript; charset=utf-8";

/** The complete list, so that a client's path never reaches the disk. */
const files = [
  { path: "/audit", file: "index.html", type: html },
  { path: "/audit/console.css", file: "console.css", type: "text/css; charset=utf-8" },
  { path: "/audit/console.js", file: "console.js", type: script },
  { path: "/audit/rpc-client.js", file: "rpc-client.js", type: script },
  { path: "/audit/picture.js", file: "picture.js", type: script },
  { path: "/audit/transparency.js", file: "transparency.js", type: script },
] as const;

/**
 * Makes the listener that serves the auditor's console at `/audit`. It contains no secret: the page reads everything from
 * `/audit/rpc` with the auditor's credential. Files are read once, here.
 * @throws any error of `readFileSync` if a file of the page is missing.
 */
export function createConsole(): RequestListener {
  const pages = new Map<string, { readonly type: string; readonly bytes: Buffer }>(
    files.map(({ path, file, type }) => [
      path,
      { type, bytes: readFileSync(new URL(`./page/${file}`, import.meta.url)) },
    ]),
  );
  return (request, response) => {
    setHeaders(response);
    const [pathname = ""] = (request.url ?? "").split("?", 1);
    const page = pages.get(pathname === "/audit/" ? "/audit" : pathname);
    if (page === undefined) {
      answer(response, 404, "text/plain; charset=utf-8", Buffer.from("There is nothing at this path.\n"));
    } else if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      answer(response, 405, "text/plain; charset=utf-8", Buffer.from("This can only be read.\n"));
    } else answer(response, 200, page.type, page.bytes);
  };
}

function setHeaders(response: ServerResponse): void {
  response.setHeader("content-security-policy", policy);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cache-control", "no-cache");
}

/** Node leaves the body out of the answer to HEAD. */
function answer(response: ServerResponse, status: number, type: string, bytes: Buffer): void {
  response.writeHead(status, { "content-type": type, "content-length": bytes.length });
  response.end(bytes);
}
