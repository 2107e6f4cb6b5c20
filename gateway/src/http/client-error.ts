import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

import { errorCodeOf } from "@hostledger/runtime/error-code";

import { failureBody, type Rejection } from "./refusal.ts";
import { securityHeaders } from "./security-headers.ts";

interface Refused {
  readonly status: number;
  readonly rejection: Rejection;
}

const malformed: Refused = {
  status: 400,
  rejection: {
    code: "malformed-request",
    message: "The request is not valid HTTP/1.1: send it as RFC 9112 has it.",
  },
};

/** What Node's parser found, by the error's code; everything else is a malformed request. */
const refusedByCode: Readonly<Partial<Record<string, Refused>>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    rejection: {
      code: "malformed-request",
      message: "The request's headers are too large: send fewer or shorter ones.",
    },
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    rejection: { code: "malformed-request", message: "The request did not arrive in time: send it again." },
  },
};

/**
 * Answers what Node could not even parse, so that no Express handler sees it. Such an answer is a failure body with a
 * request id like any other, and ends the connection. After the headers of another answer it would read as its body: then
 * the connection only ends.
 */
export function answerClientError(
  error: Error,
  { socket, isAnswering }: { readonly socket: Duplex; readonly isAnswering: boolean },
  requestId: string,
): void {
  const code = errorCodeOf(error) ?? "";
  if (code === "ECONNRESET" || isAnswering || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(refusalText(refusedByCode[code] ?? malformed, requestId));
}

/** A refusal as the bytes of HTTP/1.1, for a connection that no handler sees. It ends the connection. */
export function refusalText({ status, rejection }: Refused, requestId: string): string {
  const body = JSON.stringify(failureBody(rejection));
  const headers = [
    ["X-Request-Id", requestId],
    ["Content-Type", "application/json; charset=utf-8"],
    ["Content-Length", String(Buffer.byteLength(body))],
    ["Connection", "close"],
  ];
  for (let at = 0; at < securityHeaders.length; at += 2) headers.push(securityHeaders.slice(at, at + 2));
  const lines = headers.map((header) => header.join(": "));
  return [`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}`, ...lines, "", body].join("\r\n");
}
