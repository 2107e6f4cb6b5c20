import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";

import type { DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, type Interceptor } from "@connectrpc/connect";
import { mergeNonProtocolHeaders } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  errorToJsonBytes,
  protocolVersion,
} from "@connectrpc/connect/protocol-connect";

import { defaultDeadlines } from "../interceptors/deadline.interceptor.ts";
import type { RequestOrigin } from "../interceptors/failed-authentications.ts";
import { openCallScope, type CallScope } from "../transport/call-scope.ts";
import { isUnary, type ServiceImplementation } from "../transport/implement.ts";
import { callsOf, type AnyCall } from "../transport/invoke-handler.ts";
import { connectTimeout, connectTimeoutHeader, heldTimeoutKey } from "../transport/timeout-header.ts";
import { answerUnary, connectErrorOf, timeLimit, UnaryCall } from "../transport/unary-call.ts";
import { addHeaders, decode, encode, gather, headersFrom, pathOf } from "../transport/unary-wire.ts";

/** Options of `UnaryStreams`. */
export interface UnaryStreamsOptions {
  readonly services: readonly ServiceImplementation[];
  /** Outermost first. */
  readonly interceptors: readonly Interceptor[];
  /** The largest request message. */
  readonly messageBytes: number;
  /** Aborts when calls that still run are cut off, with the reason that handlers are told. */
  readonly cut: AbortSignal;
  contextValues(origin: RequestOrigin): ContextValues;
}

/** A unary method and what answers it. */
interface Answering {
  readonly method: DescMethodUnary;
  readonly answer: AnyCall;
}

/**
 * Answers the calls of `sendUnary`, of the Connect protocol with binary messages and without compression, straight on their streams of
 * HTTP/2. Everybody else's are Connect's handlers' to answer, in any form that Connect knows.
 */
export class UnaryStreams {
  readonly #options: UnaryStreamsOptions;
  readonly #answering = new Map<string, Answering>();

  constructor(options: UnaryStreamsOptions) {
    this.#options = options;
    for (const [method, answer] of callsOf(options.services, options.interceptors, "connect"))
      if (isUnary(method)) this.#answering.set(pathOf(method), { method, answer });
  }

  /** @returns false where the request is no such call, and somebody else's to answer. */
  answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean {
    const answering = this.#answering.get(headers[":path"] ?? "");
    if (answering === undefined || !isPlainCall(headers)) return false;
    const wantedMs = connectTimeout(String(headers[connectTimeoutHeader]));
    if (wantedMs === undefined) return false;
    // It is also what a body has that does not end by itself.
    const timeoutMs = Math.min(wantedMs, defaultDeadlines.maximumMs);
    const scope = openCallScope(undefined, timeLimit(timeoutMs));
    stream.on("error", () => undefined);
    stream.once("close", () => {
      scope.interrupt(() => this.#gone());
    });
    const contextValues = this.#options.contextValues({ headers, socket: stream.session?.socket ?? {} });
    contextValues.set(heldTimeoutKey, timeoutMs);
    const body = gathered(stream, this.#options.messageBytes);
    void respond(stream, answering, scope, { header: headersFrom(headers), contextValues, body });
    return true;
  }

  #gone(): unknown {
    const { cut } = this.#options;
    return cut.aborted ? cut.reason : new ConnectError("the caller has left", Code.Canceled);
  }
}

/** Whether a request has the form of `sendUnary`, but for its time limit. */
function isPlainCall(headers: IncomingHttpHeaders): boolean {
  return (
    headers[":method"] === "POST" &&
    headers["content-type"] === contentTypeUnaryProto &&
    headers["content-encoding"] === undefined &&
    headers["accept-encoding"] === undefined &&
    headers["connect-protocol-version"] === protocolVersion
  );
}

/** What a request brought. */
interface Received {
  readonly header: Headers;
  readonly contextValues: ContextValues;
  readonly body: Promise<Buffer>;
}

/** Never rejects: what goes wrong is answered. */
async function respond(
  stream: ServerHttp2Stream,
  { method, answer }: Answering,
  scope: CallScope,
  { body, ...said }: Received,
): Promise<void> {
  const envelope = { ...said, service: method.parent, requestMethod: "POST", url: pathOf(method) };
  try {
    const bytes = await scope.race(body);
    const make = () => new UnaryCall(method, decode(method.input, bytes), scope, envelope);
    const { message, header, trailer } = await answerUnary(answer, scope, make);
    const sent = encode(method.output, message);
    const headers: OutgoingHttpHeaders = { ":status": 200, "content-type": contentTypeUnaryProto };
    addHeaders(headers, header);
    addHeaders(headers, trailer, "trailer-");
    send(stream, headers, sent);
  } catch (error) {
    try {
      refuse(stream, connectErrorOf(error));
    } catch {
      // Nothing can be said of an error that cannot be written, be it for a header that HTTP/2 does not have.
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    }
  } finally {
    scope.close();
  }
}

function gathered(stream: ServerHttp2Stream, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gather(stream, limitBytes, (body) => {
      if (body instanceof ConnectError) reject(body);
      else resolve(body);
    });
  });
}

/** @throws Error it cannot be written */
function refuse(stream: ServerHttp2Stream, error: ConnectError): void {
  const own = new Headers();
  mergeNonProtocolHeaders(own, error.metadata);
  const headers: OutgoingHttpHeaders = {
    ":status": codeToHttpStatus(error.code),
    "content-type": contentTypeUnaryJson,
  };
  addHeaders(headers, own);
  send(stream, headers, errorToJsonBytes(error, undefined));
}

function send(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders, body: Uint8Array): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond({ ...headers, "content-length": body.length });
  stream.end(body);
  // A message that is too large is not read to its end (RFC 9113 §8.1).
  if (!stream.readableEnded)
    stream.once("finish", () => {
      stream.close(constants.NGHTTP2_NO_ERROR);
    });
}
