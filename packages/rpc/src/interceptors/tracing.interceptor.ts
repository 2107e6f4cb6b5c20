import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import type { Tracing } from "@hostledger/runtime";

import { requestContextOf } from "./call-context.ts";
import { callHeaders } from "./headers.ts";

/** The codes that speak of the server; all others are answers like any other. */
const faults: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** Tells a collector of every call, in the trace of the request that it is for. Runs after the correlation interceptor. */
export function tracingInterceptor(tracing: Tracing): Interceptor {
  return (next) => async (request) => {
    const { correlationId } = requestContextOf({ values: request.contextValues });
    const name = `${request.service.typeName}/${request.method.name}`;
    const traceparent = request.header.get(callHeaders.traceparent) ?? undefined;
    const attributes = { "rpc.system": "connect_rpc", "rpc.method": name };
    const options = { correlationId, traceparent, kind: "server" as const, attributes };
    const outcome = await tracing.within(name, options, async (span) => {
      try {
        return { answer: await next(request) };
      } catch (error) {
        const code = error instanceof ConnectError ? error.code : Code.Internal;
        span.describe(name, { "rpc.connect_rpc.error_code": Code[code] });
        if (faults.has(code)) span.fail();
        return { error };
      }
    });
    if ("error" in outcome) throw outcome.error;
    return outcome.answer;
  };
}
