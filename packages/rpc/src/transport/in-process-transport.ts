import { create, type DescMessage, type DescMethod, type MessageShape } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  type Interceptor,
  type StreamRequest,
  type Transport,
  type UnaryRequest,
} from "@connectrpc/connect";

import { openCallScope, type CallScope } from "./call-scope.ts";
import type { ServiceImplementation } from "./implement.ts";
import { callsOf, wholeMessages, type AnyCall } from "./invoke-handler.ts";
import { heldTimeoutKey } from "./timeout-header.ts";
import {
  answerUnary,
  connectErrorOf,
  expected,
  timeLimit,
  UnaryCall,
  type CallEnvelope,
} from "./unary-call.ts";

/** Options of `createInProcessTransport`. */
export interface InProcessOptions {
  /** The server's interceptors, outermost first, just as the network server has them. */
  readonly interceptors?: readonly Interceptor[];
}

/**
 * A Connect transport that calls handlers of this process directly: no bytes, no HTTP, the same interceptors, contexts,
 * time limits and errors as over the network. Unary and server-streaming methods.
 *
 * Messages and `Headers` are handed over, not copied: neither side may change one afterwards. Context values of the
 * caller stay with the caller, as they would over the network. The caller's time limit is held here.
 */
export function createInProcessTransport(
  services: readonly ServiceImplementation[],
  { interceptors = [] }: InProcessOptions = {},
): Transport {
  const calls = callsOf(services, interceptors);
  const callOf = (method: DescMethod): AnyCall => calls.get(method) ?? refuseUnknown;

  return {
    unary(method, signal, timeoutMs, header: HeadersLike, input) {
      const scope = openCallScope(signal, timeLimit(timeoutMs));
      return answerUnary(callOf(method), scope, () => {
        const message = create(method.input, input);
        return new UnaryCall(method, message, scope, envelopeOf(method, { header, timeoutMs }));
      });
    },

    async stream(method, caller, timeoutMs, header: HeadersLike, input) {
      const scope = openCallScope(caller, timeLimit(timeoutMs));
      try {
        scope.throwIfOver();
        const message = wholeMessages(method.input, input);
        const envelope = envelopeOf(method, { header, timeoutMs });
        const { signal } = scope;
        const response = await scope.race(
          callOf(method)({ ...envelope, signal, stream: true, method, message }),
        );
        if (!response.stream) throw new TypeError(`${method.name} answered no stream`);
        return { ...response, method, message: answersWithin(scope, method.output, response.message) };
      } catch (error) {
        scope.close();
        throw connectErrorOf(error);
      }
    },
  };
}

/** What `Headers` are made from; the platform types of Node have no name for it. */
type HeadersLike = ConstructorParameters<typeof Headers>[0];

/** What a caller says beside the message. */
interface CallOptions {
  readonly header: HeadersLike;
  readonly timeoutMs: number | undefined;
}

function envelopeOf(method: DescMethod, { header: given, timeoutMs }: CallOptions): CallEnvelope {
  const service = method.parent;
  const url = `in-process:///${service.typeName}/${method.name}`;
  const header = given instanceof Headers ? given : new Headers(given);
  const contextValues = createContextValues().set(heldTimeoutKey, timeoutMs);
  return { service, requestMethod: "POST", url, header, contextValues };
}

async function* answersWithin<Desc extends DescMessage>(
  scope: CallScope,
  desc: Desc,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<MessageShape<Desc>> {
  const iterator = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await scope.race(iterator.next());
      if (next.done === true) return;
      yield expected(desc, next.value);
    }
  } catch (error) {
    throw connectErrorOf(error);
  } finally {
    scope.close();
    // Not awaited: a handler that ignores its signal would hold the caller here.
    iterator.return?.().catch(() => undefined);
  }
}

function refuseUnknown(request: UnaryRequest | StreamRequest): Promise<never> {
  const name = `${request.service.typeName}/${request.method.name}`;
  return Promise.reject(new ConnectError(`${name} is not served here`, Code.Unimplemented));
}
