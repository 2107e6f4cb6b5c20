import {
  create,
  isMessage,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  type ContextValues,
  type Interceptor,
  type StreamRequest,
  type Transport,
  type UnaryRequest,
} from "@connectrpc/connect";

import { openCallScope, type CallScope, type TimeLimit } from "./call-scope.ts";
import type { ServiceImplementation } from "./implement.ts";
import { intercept, invokeHandler, wholeMessages, type AnyCall } from "./invoke-handler.ts";
import { heldTimeoutKey } from "./timeout-header.ts";

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
  const calls = new Map<DescMethod, AnyCall>();
  for (const { spec } of services) {
    for (const handler of Object.values(spec.methods)) {
      calls.set(handler.method, intercept(invokeHandler(handler), interceptors));
    }
  }
  const callOf = (method: DescMethod): AnyCall => calls.get(method) ?? refuseUnknown;

  return {
    async unary(method, signal, timeoutMs, header: HeadersLike, input) {
      const scope = openCallScope(signal, timeLimit(timeoutMs));
      try {
        scope.throwIfOver();
        const message = create(method.input, input);
        const request = new InProcessCall(method, message, scope, { header, timeoutMs });
        const response = await scope.race(callOf(method)(request));
        if (response.stream) throw new TypeError(`${method.name} answered a stream`);
        return { ...response, method, message: expected(method.output, response.message) };
      } catch (error) {
        throw connectErrorOf(error);
      } finally {
        scope.close();
      }
    },

    async stream(method, caller, timeoutMs, header: HeadersLike, input) {
      const scope = openCallScope(caller, timeLimit(timeoutMs));
      try {
        scope.throwIfOver();
        const message = wholeMessages(method.input, input);
        const common = requestCommon(method, { header, timeoutMs });
        const { signal } = scope;
        const response = await scope.race(
          callOf(method)({ ...common, signal, stream: true, method, message }),
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

type RequestCommon = Omit<UnaryRequest, "stream" | "method" | "message" | "signal">;

/** What `Headers` are made from; the platform types of Node have no name for it. */
type HeadersLike = ConstructorParameters<typeof Headers>[0];

/** What a caller says beside the message. */
interface CallOptions {
  readonly header: HeadersLike;
  readonly timeoutMs: number | undefined;
}

function requestCommon(method: DescMethod, { header: given, timeoutMs }: CallOptions): RequestCommon {
  const service = method.parent;
  const url = `in-process:///${service.typeName}/${method.name}`;
  const header = given instanceof Headers ? given : new Headers(given);
  const contextValues = createContextValues().set(heldTimeoutKey, timeoutMs);
  return { service, requestMethod: "POST", url, header, contextValues };
}

/** A request whose signal is made when it is asked for. An accessor of a literal would be made with each request, so it is a class. */
class InProcessCall<Input extends DescMessage, Output extends DescMessage> implements UnaryRequest<
  Input,
  Output
> {
  readonly stream = false;
  readonly method: DescMethodUnary<Input, Output>;
  readonly message: MessageShape<Input>;
  readonly service: DescService;
  readonly requestMethod: string;
  readonly url: string;
  readonly header: Headers;
  readonly contextValues: ContextValues;
  readonly #scope: CallScope;

  constructor(
    method: DescMethodUnary<Input, Output>,
    message: MessageShape<Input>,
    scope: CallScope,
    options: CallOptions,
  ) {
    const { service, requestMethod, url, header, contextValues } = requestCommon(method, options);
    this.method = method;
    this.message = message;
    this.service = service;
    this.requestMethod = requestMethod;
    this.url = url;
    this.header = header;
    this.contextValues = contextValues;
    this.#scope = scope;
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }
}

function timeLimit(limitMs: number | undefined): TimeLimit | undefined {
  if (limitMs === undefined) return undefined;
  return { limitMs, reason: () => new ConnectError("the operation timed out", Code.DeadlineExceeded) };
}

/** Interceptors may replace a response; this makes sure that it still is the method's own message. */
function expected<Desc extends DescMessage>(desc: Desc, message: unknown): MessageShape<Desc> {
  if (isMessage(message, desc)) return message;
  throw new TypeError(`the answer is no ${desc.typeName}`);
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

/** The signal's own reason or an AbortError says that the caller left; anything else that is not ours is a bug. */
function connectErrorOf(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof Error && error.name === "AbortError") return ConnectError.from(error);
  return new ConnectError("internal error", Code.Internal, undefined, undefined, error);
}

function refuseUnknown(request: UnaryRequest | StreamRequest): Promise<never> {
  const name = `${request.service.typeName}/${request.method.name}`;
  return Promise.reject(new ConnectError(`${name} is not served here`, Code.Unimplemented));
}
