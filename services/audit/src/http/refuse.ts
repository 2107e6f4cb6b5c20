import type { ServerResponse } from "node:http";

import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { RpcLogger } from "@hostledger/rpc";

/** Answers a refusal of `identify` or `admit` over HTTP in the Connect protocol's error form: 401, 503 or 500. */
export function refuse(response: ServerResponse, error: unknown, logger: RpcLogger): void {
  const isRefusal = error instanceof ConnectError;
  if (!isRefusal) logger.error({ err: error }, "an auditor could not be identified");
  const [code, message] = isRefusal ? [error.code, error.rawMessage] : [Code.Internal, "Internal error."];
  response.statusCode = statusOf(code);
  if (code === Code.Unauthenticated)
    response.setHeader("www-authenticate", 'Bearer realm="hostledger-audit"');
  if (code === Code.Unavailable || code === Code.ResourceExhausted) response.setHeader("retry-after", "1");
  writeError(response, codeToString(code), message);
}

/** Answers 429 after too many failed authentications. @param seconds until the client may try again */
export function refuseGuesser(response: ServerResponse, seconds: number): void {
  response.statusCode = 429;
  response.setHeader("retry-after", String(seconds));
  writeError(
    response,
    codeToString(Code.ResourceExhausted),
    "Too many requests from your address had no valid credential.",
  );
}

/** Closes the connection with the answer, because the rest of the request is not read. */
function writeError(response: ServerResponse, code: string, message: string): void {
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  response.setHeader("connection", "close");
  response.end(JSON.stringify({ code, message }));
}

function statusOf(code: Code): number {
  switch (code) {
    case Code.Unauthenticated:
      return 401;
    case Code.PermissionDenied:
      return 403;
    case Code.Unavailable:
    case Code.ResourceExhausted:
      return 503;
    default:
      return 500;
  }
}
