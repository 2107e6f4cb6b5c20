import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

import { errorCodeOf } from "@hostledger/runtime/error-code";

import { defaultRetryAfterSeconds, failureBody, type Rejection } from "./refusal.ts";
import { securityHeaders } from "./security-headers.ts";

interface Refused {
  readonly status: number;
  readonly rejection: Rejection;
}

const malformed: Refused = {
  status: 400,
  rejection: {
    code: "malformed-request",
    message: "The request is not valid HTTP/1.1: send a request that follows RFC 9112.",
  },
};

/** Refusals by error code of Node's parser; other codes get 400 "malformed request". */
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
 * Answers requests that Node cannot parse and no Express handler sees. The answer has the usual failure body and closes
 * the connection. If another answer has begun on the connection, the connection is closed without an answer.
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

/** Returns a refusal as HTTP/1.1 text that closes the connection, for connections without a handler. */
export function refusalText({ status, rejection }: Refused, requestId: string): string {
  const body = JSON.stringify(failureBody(rejection));
  const headers = [
    ["X-Request-Id", requestId],
    ["Content-Type", "application/json; charset=utf-8"],
    ["Content-Length", String(Buffer.byteLength(body))],
    ["Connection", "close"],
  ];
  if (status === 503) headers.push(["Retry-After", String(defaultRetryAfterSeconds)]);
  for (let at = 0; at < securityHeaders.length; at += 2) headers.push(securityHeaders.slice(at, at + 2));
  const lines = headers.map((header) => header.join(": "));
  return [`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}`, ...lines, "", body].join("\r\n");
}
