import type { Interceptor, Transport } from "@connectrpc/connect";
import type { Rejection } from "@hostledger/core";

import { rejectionOf } from "../errors/rejection-error.ts";
import type { CallerTokens } from "../identity/caller-token.ts";
import type { Caller } from "../identity/caller.ts";
import { callHeaders } from "../interceptors/headers.ts";
import type { RpcLogger } from "../interceptors/logger.port.ts";
import { serverInterceptors } from "../interceptors/server-interceptors.ts";
import type { ServiceImplementation } from "../transport/implement.ts";
import { openTokens } from "./tokens.fixture.ts";
import { createInProcessTransport } from "../transport/in-process-transport.ts";

/** Implementations of a service for customers and services, and for staff. */
interface Served {
  readonly routes: readonly ServiceImplementation[];
  readonly staffRoutes: readonly ServiceImplementation[];
}

/** Callers of a service in its specs, in process. */
export interface SpecCallers {
  readonly tokens: CallerTokens;
  readonly interceptors: Interceptor[];
  /**
   * @param caller undefined: without a token.
   * @param operationId the name of the operation; each call has one of its own without it.
   */
  transportTo(service: Served, caller: Caller | undefined, operationId?: string): Transport;
}

/** The caller gets only `internal`, so the error of a handler is printed beside the failed spec. */
const logger: RpcLogger = {
  info: () => undefined,
  error(fields, message) {
    console.error(message, fields);
  },
};

/** Creates callers of every kind, without checks of permissions. */
export function specCallers(): SpecCallers {
  const tokens = openTokens();
  const interceptors = serverInterceptors({ tokens, logger });
  return {
    tokens,
    interceptors,
    transportTo({ routes, staffRoutes }, caller, operationId) {
      const speak: Interceptor = (next) => (request) => {
        if (caller !== undefined) request.header.set(callHeaders.caller, tokens.issue(caller));
        if (operationId !== undefined) request.header.set(callHeaders.operationId, operationId);
        return next(request);
      };
      return createInProcessTransport([...routes, ...staffRoutes], {
        interceptors: [speak, ...interceptors],
      });
    },
  };
}

/** Returns the rejection of a call. @throws Error if the call succeeds. */
export async function refusalOf(call: Promise<unknown>): Promise<Rejection> {
  let answer: unknown;
  try {
    answer = await call;
  } catch (error) {
    return rejectionOf(error);
  }
  throw new Error(`expected a refusal, not ${String(answer)}`);
}
