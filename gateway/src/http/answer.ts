import type { ServerResponse } from "node:http";

import { securityHeaders } from "./security-headers.ts";

/** What an operation answers. `body` becomes JSON; without it the answer has none. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends an answer. Every response of the gateway leaves through here, so every one has the same headers. */
export function send(
  response: ServerResponse,
  requestId: string,
  { status, body, headers = {} }: Answer,
): void {
  // A text goes out with the headers in one write; bytes would be a second one.
  const text = body === undefined ? undefined : JSON.stringify(body);
  const all: string[] = ["X-Request-Id", requestId];
  if (text !== undefined) {
    all.push(
      "Content-Type",
      "application/json; charset=utf-8",
      "Content-Length",
      String(Buffer.byteLength(text)),
    );
  }
  for (const [name, value] of Object.entries(headers)) all.push(name, value);
  // One flat list written at once: setting a dozen headers one by one would cost more than routing does.
  response.writeHead(status, all.concat(securityHeaders));
  response.end(text);
}
