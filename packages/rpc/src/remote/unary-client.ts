import {
  constants,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from "node:http2";

import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type UnaryResponse } from "@connectrpc/connect";
import {
  contentTypeUnaryProto,
  errorFromJsonBytes,
  protocolVersion,
  trailerDemux,
  validateResponseWithCompression,
} from "@connectrpc/connect/protocol-connect";

import { connectTimeoutHeader } from "../transport/timeout-header.ts";
import { addHeaders, decode, encode, gather, headersFrom, pathOf } from "../transport/unary-wire.ts";
import { ConnectionError, NotSentError } from "./connection-failure.ts";

/** A connection over which calls are sent. */
export interface CallConnection {
  readonly authority: string;
  /** Opens a stream. @throws NotSentError */
  open(headers: OutgoingHttpHeaders): ClientHttp2Stream;
}

/** A unary call as it is sent. */
export interface SentCall<Input extends DescMessage, Output extends DescMessage> {
  readonly method: DescMethodUnary<Input, Output>;
  readonly message: MessageShape<Input>;
  readonly header: Headers;
  /** In whole milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What the peer sent back. */
interface Received {
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  readonly body: Buffer;
}

/**
 * Sends a unary call of the Connect protocol with a binary message straight over a stream of HTTP/2: what connect-node makes of each
 * call besides (requests and responses of its own, chains of iterables, signals) is most of what the call costs.
 *
 * @param messageBytes the largest answer.
 * @throws NotSentError no stream could be opened.
 * @throws ConnectError what the peer answered, with its headers as metadata. Without them: with a NotSentError as its cause where
 * nobody has seen the call, and a ConnectionError where nobody knows. The signal's reason once that aborts.
 */
export async function sendUnary<Input extends DescMessage, Output extends DescMessage>(
  connection: CallConnection,
  { method, message, header, timeoutMs, signal }: SentCall<Input, Output>,
  messageBytes: number,
): Promise<UnaryResponse<Input, Output>> {
  const body = encode(method.input, message);
  signal.throwIfAborted();
  const headers: OutgoingHttpHeaders = {
    ":method": "POST",
    ":path": pathOf(method),
    "content-type": contentTypeUnaryProto,
    "content-length": body.length,
    "connect-protocol-version": protocolVersion,
    [connectTimeoutHeader]: timeoutMs,
  };
  addHeaders(headers, header);
  const open = new OpenCall(connection, connection.open(headers), messageBytes);
  const received = await open.answer(body, signal);
  const { ":status": status, "content-type": type, "content-encoding": encoding } = received.headers;
  if (status !== 200 || type !== contentTypeUnaryProto || encoding !== undefined)
    throw refusal(method, received);
  return new Answer(method, decode(method.output, received.body), received.headers);
}

/** One request on its stream, and what comes back. */
class OpenCall {
  readonly #connection: CallConnection;
  readonly #stream: ClientHttp2Stream;
  readonly #messageBytes: number;
  #headers: Received["headers"] | undefined;

  constructor(connection: CallConnection, stream: ClientHttp2Stream, messageBytes: number) {
    this.#connection = connection;
    this.#stream = stream;
    this.#messageBytes = messageBytes;
  }

  answer(body: Uint8Array, signal: AbortSignal): Promise<Received> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const fail = (why: () => ConnectError): void => {
        if (isOver) return;
        isOver = true;
        reject(why());
        stream.close(constants.NGHTTP2_CANCEL);
      };
      const leave = (): void => {
        fail(() => ConnectError.from(signal.reason));
      };
      signal.addEventListener("abort", leave, { once: true });
      stream.once("response", (headers) => {
        this.#headers = headers;
      });
      stream.once("error", (error) => {
        fail(() => this.#lost(error));
      });
      stream.once("close", () => {
        signal.removeEventListener("abort", leave);
        fail(() => this.#lost());
      });
      gather(stream, this.#messageBytes, (gathered) => {
        const headers = this.#headers;
        if (gathered instanceof ConnectError) fail(() => gathered);
        else if (headers !== undefined && this.#isWhole(gathered, headers)) {
          isOver = true;
          resolve({ headers, body: gathered });
        }
      });
      stream.end(body);
    });
  }

  /** Whether all of it has come: a peer that goes ends its streams, however far they are. */
  #isWhole(body: Buffer, { "content-length": announced }: IncomingHttpHeaders): boolean {
    const isEnded = this.#stream.rstCode === constants.NGHTTP2_NO_ERROR;
    return isEnded && (announced === undefined || Number(announced) === body.length);
  }

  /** A stream that was refused was not processed at all (RFC 9113 §8.7). */
  #lost(cause?: unknown): ConnectError {
    const { authority } = this.#connection;
    const known =
      this.#stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
        ? new NotSentError(`${authority} refused the call.`, { cause })
        : new ConnectionError(`${authority} hung up.`, { cause });
    return new ConnectError(known.message, Code.Unavailable, undefined, undefined, known);
  }
}

function refusal(method: DescMethodUnary, { headers, body }: Received): unknown {
  const header = headersFrom(headers);
  const status = headers[":status"] ?? 0;
  try {
    const { unaryError } = validateResponseWithCompression(method.methodKind, [], true, status, header);
    const fallback = unaryError ?? new ConnectError("an answer without a form", Code.Internal, header);
    return errorFromJsonBytes(body, header, fallback);
  } catch (error) {
    return error;
  }
}

/** An answer whose headers are made when they are asked for, which they seldom are. */
class Answer<Input extends DescMessage, Output extends DescMessage> implements UnaryResponse<Input, Output> {
  readonly stream = false;
  readonly method: DescMethodUnary<Input, Output>;
  readonly service: UnaryResponse["service"];
  readonly message: MessageShape<Output>;
  readonly #received: IncomingHttpHeaders;
  #demuxed: [header: Headers, trailer: Headers] | undefined;

  constructor(
    method: DescMethodUnary<Input, Output>,
    message: MessageShape<Output>,
    received: IncomingHttpHeaders,
  ) {
    this.method = method;
    this.service = method.parent;
    this.message = message;
    this.#received = received;
  }

  get header(): Headers {
    return this.#parts[0];
  }

  get trailer(): Headers {
    return this.#parts[1];
  }

  get #parts(): [header: Headers, trailer: Headers] {
    return (this.#demuxed ??= trailerDemux(headersFrom(this.#received)));
  }
}
