import {
  isMessage,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ContextValues,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";

import type { CallScope, TimeLimit } from "./call-scope.ts";
import type { AnyCall } from "./invoke-handler.ts";

/** A call without its message. */
export type CallEnvelope = Pick<
  UnaryRequest,
  "service" | "requestMethod" | "url" | "header" | "contextValues"
>;

/**
 * A unary call as interceptors and handlers see it. Its signal is made when it is asked for. An accessor of a literal would be made
 * with each call, so it is a class.
 */
export class UnaryCall<Input extends DescMessage, Output extends DescMessage> implements UnaryRequest<
  Input,
  Output
> {
  readonly stream = false;
  readonly requestMethod: string;
  readonly method: DescMethodUnary<Input, Output>;
  readonly message: MessageShape<Input>;
  readonly service: DescService;
  readonly url: string;
  readonly header: Headers;
  readonly contextValues: ContextValues;
  readonly #scope: CallScope;

  constructor(
    method: DescMethodUnary<Input, Output>,
    message: MessageShape<Input>,
    scope: CallScope,
    { service, requestMethod, url, header, contextValues }: CallEnvelope,
  ) {
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

/**
 * Makes a call and hands it to the interceptors and the handler of its method, until they answer or its scope is over, and closes that.
 * @throws ConnectError
 */
export async function answerUnary<Input extends DescMessage, Output extends DescMessage>(
  answer: AnyCall,
  scope: CallScope,
  make: () => UnaryCall<Input, Output>,
): Promise<UnaryResponse<Input, Output>> {
  try {
    scope.throwIfOver();
    const call = make();
    const { method } = call;
    const response = await scope.race(answer(call));
    if (response.stream) throw new TypeError(`${method.name} answered a stream`);
    return { ...response, method, message: expected(method.output, response.message) };
  } catch (error) {
    throw connectErrorOf(error);
  } finally {
    scope.close();
  }
}

/** The limit of a call whose caller gives it so many milliseconds. */
export function timeLimit(limitMs: number | undefined): TimeLimit | undefined {
  if (limitMs === undefined) return undefined;
  return { limitMs, reason: () => new ConnectError("the operation timed out", Code.DeadlineExceeded) };
}

/** Interceptors may replace a response; this makes sure that it still is the method's own message. */
export function expected<Desc extends DescMessage>(desc: Desc, message: unknown): MessageShape<Desc> {
  if (isMessage(message, desc)) return message;
  throw new TypeError(`the answer is no ${desc.typeName}`);
}

/** The signal's own reason or an AbortError says that the caller left; anything else that is not ours is a bug. */
export function connectErrorOf(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof Error && error.name === "AbortError") return ConnectError.from(error);
  return new ConnectError("internal error", Code.Internal, undefined, undefined, error);
}
