import {
  Code,
  ConnectError,
  createClient,
  createContextValues,
  createRouterTransport,
} from "@connectrpc/connect";
import { audit } from "@hostledger/protocol";
import { expect, it } from "vitest";

import { caught } from "../testing/caught.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import { countFailureKey } from "./failed-authentications.ts";
import { forwardingInterceptors } from "./server-interceptors.ts";

/** A listener that passes calls on, and one behind it that refuses every credential. */
function refusedClient(code: Code, secondsOf: (authorization: string | undefined) => number | undefined) {
  const count = (authorization: string | undefined) => Promise.resolve(secondsOf(authorization));
  const refuse = (): never => {
    throw new ConnectError("no", code);
  };
  const transport = createRouterTransport(
    ({ service }) => {
      service(audit.AuditService, {
        getLogStatus: refuse,
        async *readEvents() {
          yield await Promise.reject(new ConnectError("no", code));
        },
      });
    },
    {
      router: {
        interceptors: [
          (next) => (request) => {
            request.contextValues.set(countFailureKey, count);
            return next(request);
          },
          ...forwardingInterceptors({ logger: recordingLogger() }),
        ],
      },
    },
  );
  return createClient(audit.AuditService, transport);
}

const headers = { authorization: "Bearer hls_0123456789" };

it.each([
  [Code.Unauthenticated, undefined, Code.Unauthenticated, 1],
  [Code.Unauthenticated, 7, Code.ResourceExhausted, 1],
  [Code.PermissionDenied, 7, Code.PermissionDenied, 0],
])("a service's refusal with %s is counted, and limited after %s", async (code, seconds, answered, times) => {
  for (const call of ["unary", "stream"]) {
    const counted: unknown[] = [];
    const client = refusedClient(code, (authorization) => {
      counted.push(authorization);
      return seconds;
    });
    const options = { headers, contextValues: createContextValues() };
    const answer =
      call === "unary"
        ? client.getLogStatus({}, options)
        : client.readEvents({ stream: "account-1" }, options)[Symbol.asyncIterator]().next();
    expect(await caught(answer)).toMatchObject({ code: answered });
    expect(counted).toEqual(Array.from({ length: times }, () => headers.authorization));
  }
});
