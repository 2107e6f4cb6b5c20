import {
  create,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
  type StreamRequest,
  type UnaryRequest,
} from "@connectrpc/connect";
import { monotonicMilliseconds } from "@hostledger/runtime/async";

import type { ServiceImplementation } from "./implement.ts";
import { timeoutOfCall } from "./timeout-header.ts";

/** One call as interceptors see it; Connect does not export its own name for this. */
export type AnyCall = ReturnType<Interceptor>;

/** Wraps the call of a handler in interceptors, the first one outermost. */
function intercept(call: AnyCall, interceptors: readonly Interceptor[]): AnyCall {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), call);
}

/**
 * The calls of all methods, each behind the interceptors of its service, or these where that has none of its own.
 */
export function callsOf(
  services: readonly ServiceImplementation[],
  interceptors: readonly Interceptor[],
): ReadonlyMap<DescMethod, AnyCall> {
  const calls = new Map<DescMethod, AnyCall>();
  for (const { spec, interceptors: own = interceptors } of services)
    for (const handler of Object.values(spec.methods))
      calls.set(handler.method, intercept(invokeHandler(handler), own));
  return calls;
}

/** The innermost call: the handler itself, with what it answers made a whole message. */
function invokeHandler(spec: MethodImplSpec): AnyCall {
  return async (request) => {
    const context = new CallContext(request);
    const { responseHeader: header, responseTrailer: trailer } = context;
    if (spec.kind === "unary" && !request.stream) {
      const message = create(spec.method.output, await spec.impl(request.message, context));
      return { service: request.service, stream: false, method: spec.method, message, header, trailer };
    }
    if (spec.kind === "server_streaming" && request.stream) {
      const answers = spec.impl(await onlyMessage(request.message), context);
      return {
        service: request.service,
        header,
        trailer,
        stream: true,
        method: spec.method,
        message: wholeMessages(spec.method.output, answers),
      };
    }
    throw new ConnectError("streams from the client need the network", Code.Unimplemented);
  };
}

/** Completes each message of a stream. */
export async function* wholeMessages<Desc extends DescMessage>(
  desc: Desc,
  messages: AsyncIterable<MessageInitShape<Desc>>,
): AsyncGenerator<MessageShape<Desc>> {
  for await (const message of messages) yield create(desc, message);
}

/** Its signal is made when it is asked for, which it seldom is. */
class CallContext implements HandlerContext {
  readonly method: HandlerContext["method"];
  readonly service: HandlerContext["service"];
  readonly requestMethod: string;
  readonly requestHeader: Headers;
  readonly protocolName = "in-process";
  readonly values: HandlerContext["values"];
  readonly responseHeader = new Headers();
  readonly responseTrailer = new Headers();
  readonly url: string;
  /** Handlers take it out of the context. */
  readonly timeoutMs: () => number | undefined;
  readonly #request: UnaryRequest | StreamRequest;

  constructor(request: UnaryRequest | StreamRequest) {
    const limitMs = timeoutOfCall(request);
    this.method = request.method;
    this.service = request.service;
    this.requestMethod = request.requestMethod;
    this.requestHeader = request.header;
    this.values = request.contextValues;
    this.url = request.url;
    this.#request = request;
    const endsAtMs = limitMs === undefined ? undefined : monotonicMilliseconds() + limitMs;
    this.timeoutMs = () => (endsAtMs === undefined ? undefined : endsAtMs - monotonicMilliseconds());
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

async function onlyMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  for await (const message of messages) return message;
  throw new ConnectError("the request message is missing", Code.Unimplemented);
}
