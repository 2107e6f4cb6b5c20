import { ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from "@connectrpc/connect";
import {
  AuditFaultError,
  rejection,
  StoredEventError,
  StoreRewoundError,
  TemporarilyUnavailableError,
} from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import { callerKey, requestContextKey } from "./call-context.ts";
import type { RpcLogger } from "./logger.port.ts";

/**
 * Hides bugs: an error that is no ConnectError is logged in full and answered as `internal`, or as
 * `temporarily-unavailable` if a provider of the service did not answer. Staff and auditors see the events at fault
 * (`audit-fault`) or the unreadable event (`record-unreadable`). Runs innermost, so it also sees errors of handlers
 * whose caller already got `deadline-exceeded`.
 */
export function errorMappingInterceptor(logger: RpcLogger): Interceptor {
  return (next) => async (request) => {
    const mapped = (error: unknown): ConnectError => mapError(error, request, logger);
    try {
      const response = await next(request);
      return response.stream ? { ...response, message: mapErrorsOf(response.message, mapped) } : response;
    } catch (error) {
      throw mapped(error);
    }
  };
}

function mapError(error: unknown, request: UnaryRequest | StreamRequest, logger: RpcLogger): ConnectError {
  if (error instanceof ConnectError) return error;
  // A handler that stops because its caller left throws the platform's AbortError, or the signal's reason: no bug.
  const isAbort = error === request.signal.reason || (error instanceof Error && error.name === "AbortError");
  if (request.signal.aborted && isAbort) return ConnectError.from(error);
  const requestId = request.contextValues.get(requestContextKey)?.requestId;
  logger.error(
    { err: error, service: request.service.typeName, method: request.method.name, requestId },
    "a handler failed",
  );
  if (error instanceof AuditFaultError) return rejectionError(rejection("audit-fault", error.message));
  const kind = request.contextValues.get(callerKey)?.kind;
  if (error instanceof StoreRewoundError) {
    const sentence = kind === "staff" ? `${error.message}.` : undefined;
    return rejectionError(rejection("store-rewound", sentence, { retryAfterSeconds: 60 }));
  }
  if (error instanceof StoredEventError) {
    const seesEvents = kind === "staff" || kind === "auditor";
    const sentence = seesEvents ? `A stored event cannot be used: ${error.message}.` : undefined;
    return rejectionError(rejection("record-unreadable", sentence, { retryAfterSeconds: 60 }));
  }
  return rejectionError(
    error instanceof TemporarilyUnavailableError
      ? rejection("temporarily-unavailable", error.sentence, { retryAfterSeconds: 1 })
      : rejection("internal"),
  );
}

async function* mapErrorsOf<T>(
  messages: AsyncIterable<T>,
  mapped: (error: unknown) => ConnectError,
): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw mapped(error);
  }
}
