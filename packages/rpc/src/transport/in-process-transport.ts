import {
  create,
  isMessage,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
  type StreamRequest,
  type Transport,
  type UnaryRequest,
} from "@connectrpc/connect";
import { monotonicMilliseconds } from "@hostledger/runtime/async";

import { openCallScope, type CallScope, type TimeLimit } from "./call-scope.ts";
import type { ServiceImplementation } from "./implement.ts";
import { connectTimeoutHeader, timeoutOf } from "./timeout-header.ts";

/** Options of `createInProcessTransport`. */
export interface InProcessOptions {
  /** The server's interceptors, outermost first, just as the network server has them. */
  readonly interceptors?: readonly Interceptor[];
}

/** A call as interceptors see it; Connect does not export a name for this type. */
export type AnyCall = ReturnType<Interceptor>;

/** Input of `Headers`; Node's types have no name for it. */
type HeadersLike = ConstructorParameters<typeof Headers>[0];

/**
 * A Connect transport that calls handlers of this process directly: no bytes, no HTTP, the same interceptors, contexts,
 * time limits and errors as over the network. Unary and server-streaming methods.
 *
 * Messages are handed over, not copied: neither side may change one afterwards. Context values of the caller stay with the caller,
 * as they would over the network.
 */
export function createInProcessTransport(
  services: readonly ServiceImplementation[],
  { interceptors = [] }: InProcessOptions = {},
): Transport {
  const calls = new Map<DescMethod, AnyCall>();
  for (const { spec, interceptors: own = interceptors } of services)
    for (const handler of Object.values(spec.methods))
      calls.set(
        handler.method,
        own.reduceRight((next, interceptor) => interceptor(next), callOf(handler)),
      );
  const called = (request: UnaryRequest | StreamRequest, scope: CallScope): ReturnType<AnyCall> => {
    scope.signal.throwIfAborted();
    return scope.race((calls.get(request.method) ?? refuseUnknown)(request));
  };

  return {
    async unary(method, caller, timeoutMs, header, input) {
      const scope = openCallScope(caller, timeLimit(timeoutMs));
      try {
        const message = create(method.input, input);
        const envelope = envelopeOf(method, scope, header, timeoutMs);
        const answer = await called({ ...envelope, stream: false, method, message }, scope);
        return { ...answer, stream: false, method, message: expected(method.output, answer.message) };
      } catch (error) {
        throw connectErrorOf(error);
      } finally {
        scope.close();
      }
    },

    async stream(method, caller, timeoutMs, header, input) {
      const scope = openCallScope(caller, timeLimit(timeoutMs));
      try {
        const message = wholeMessages(method.input, input);
        const envelope = envelopeOf(method, scope, header, timeoutMs);
        const answer = await called({ ...envelope, stream: true, method, message }, scope);
        if (!answer.stream) throw new TypeError(`${method.name} answered no stream`);
        return { ...answer, method, message: answersWithin(scope, method.output, answer.message) };
      } catch (error) {
        scope.close();
        throw connectErrorOf(error);
      }
    },
  };
}

function envelopeOf(
  method: DescMethod,
  { signal }: CallScope,
  given: HeadersLike,
  timeoutMs: number | undefined,
) {
  const service = method.parent;
  const url = `in-process:///${service.typeName}/${method.name}`;
  const header = new Headers(given);
  if (timeoutMs !== undefined) header.set(connectTimeoutHeader, String(Math.ceil(timeoutMs)));
  return { service, requestMethod: "POST", url, header, contextValues: createContextValues(), signal };
}

function timeLimit(limitMs: number | undefined): TimeLimit | undefined {
  if (limitMs === undefined) return undefined;
  return { limitMs, reason: () => new ConnectError("the operation timed out", Code.DeadlineExceeded) };
}

/** Returns the innermost call: the handler, whose partial answer is completed to a message. */
function callOf(spec: MethodImplSpec): AnyCall {
  return async (request) => {
    const context = contextOf(request);
    const { service, responseHeader: header, responseTrailer: trailer } = context;
    if (spec.kind === "unary" && !request.stream) {
      const message = create(spec.method.output, await spec.impl(request.message, context));
      return { service, stream: false, method: spec.method, message, header, trailer };
    }
    if (spec.kind === "server_streaming" && request.stream) {
      const answers = spec.impl(await onlyMessage(request.message), context);
      const message = wholeMessages(spec.method.output, answers);
      return { service, stream: true, method: spec.method, message, header, trailer };
    }
    throw new ConnectError("streams from the client need the network", Code.Unimplemented);
  };
}

function contextOf(request: UnaryRequest | StreamRequest): HandlerContext {
  const { method, service, requestMethod, header, contextValues: values, signal, url } = request;
  const limitMs = timeoutOf(header);
  const endsAtMs = limitMs === undefined ? undefined : monotonicMilliseconds() + limitMs;
  return {
    method,
    service,
    requestMethod,
    requestHeader: header,
    protocolName: "in-process",
    values,
    responseHeader: new Headers(),
    responseTrailer: new Headers(),
    signal,
    timeoutMs: () => (endsAtMs === undefined ? undefined : endsAtMs - monotonicMilliseconds()),
    url,
  };
}

async function onlyMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  for await (const message of messages) return message;
  throw new ConnectError("the request message is missing", Code.Unimplemented);
}

/** Completes each message of a stream. */
async function* wholeMessages<Desc extends DescMessage>(
  desc: Desc,
  messages: AsyncIterable<MessageInitShape<Desc>>,
): AsyncGenerator<MessageShape<Desc>> {
  for await (const message of messages) yield create(desc, message);
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

/** Interceptors may replace a response; this makes sure that it still is the method's own message. */
function expected<Desc extends DescMessage>(desc: Desc, message: unknown): MessageShape<Desc> {
  if (isMessage(message, desc)) return message;
  throw new TypeError(`the answer is no ${desc.typeName}`);
}

/** The signal's own reason or an AbortError says that the caller left; anything else that is not ours is a bug. */
function connectErrorOf(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof Error && error.name === "AbortError") return ConnectError.from(error);
  return new ConnectError("internal error", Code.Internal, undefined, undefined, error);
}

function refuseUnknown({ service, method }: UnaryRequest | StreamRequest): Promise<never> {
  const name = `${service.typeName}/${method.name}`;
  return Promise.reject(new ConnectError(`${name} is not served here`, Code.Unimplemented));
}
