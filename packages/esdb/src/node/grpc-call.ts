import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";

import { Metadata, type MethodDefinition, type ServiceError, status } from "@grpc/grpc-js";
import { type CallOff, every } from "@hostledger/runtime/async";

import { Refusal } from "../codec/refusal.ts";
import { frameOf, FrameSplitter } from "../codec/grpc-framing.ts";

/** Maximum bytes of a message; clients split appends into parts of 3 MiB. */
const messageBytes = 8 * 1_048_576;
/** Bytes of answers that leave in one write. */
const flushBytes = 32 * 1_024;
/** Milliseconds for which a client may continue to send after its answer. */
const lingerMilliseconds = 5_000;

const responseHeaders: OutgoingHttpHeaders = {
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-accept-encoding": "identity",
};

/**
 * One call. Everything written in one turn of the event loop leaves in one write. gRPC's own server makes an HTTP/2
 * frame of each message, which costs more than the message itself.
 */
export class GrpcCall<Request, Response> {
  readonly metadata: Metadata;
  /** Address and port of the client. */
  readonly peer: string;
  readonly #method: MethodDefinition<Request, Response>;
  readonly #stream: ServerHttp2Stream;
  /** Created on first use, because most calls end before. */
  #gone: AbortController | undefined;
  #hasLeft = false;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isScheduled = false;
  #isOver = false;

  constructor(
    method: MethodDefinition<Request, Response>,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
  ) {
    this.#method = method;
    this.#stream = stream;
    this.metadata = Metadata.fromHttp2Headers(headers);
    const { remoteAddress = "", remotePort = 0 } = stream.session?.socket ?? {};
    this.peer = `${remoteAddress}:${String(remotePort)}`;
    const leave = (): void => {
      this.#hasLeft = true;
      this.#gone?.abort();
    };
    stream.on("aborted", leave);
    stream.on("close", leave);
    // A broken stream closes too; without a listener its error would end the process.
    stream.on("error", leave);
  }

  /** Aborts when the client has left or the call has ended. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      if (this.#hasLeft) this.#gone.abort();
    }
    return this.#gone.signal;
  }

  get cancelled(): boolean {
    return this.#hasLeft || this.#isOver || this.#stream.closed || this.#stream.destroyed;
  }

  /** True while the client accepts no more data, so that answers wait here. */
  get isFull(): boolean {
    return !this.cancelled && this.#stream.writableNeedDrain;
  }

  /** Messages of the client, until it has sent all. @throws Refusal if it left before, or sends invalid gRPC. */
  async *requests(): AsyncGenerator<Request, void, undefined> {
    const frames = new FrameSplitter(messageBytes);
    const chunks: AsyncIterable<Buffer> = this.#stream.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      for (const message of frames.take(chunk)) yield this.#deserialize(message);
    }
    // A reset call or a lost connection has already thrown here, so the received messages are complete.
    if (!frames.isEmpty) throw new Refusal(status.CANCELLED, "the client left within a message");
  }

  async request(): Promise<Request> {
    for await (const request of this.requests()) return request;
    throw new Refusal(status.INTERNAL, "the call lacks its request");
  }

  /** Sends an answer; false if the next answer must wait for `onDrained`. */
  write(message: Response): boolean {
    return this.writeFrame(frameOf(this.#method.responseSerialize(message)));
  }

  /** Sends an answer that is already encoded and framed. */
  writeFrame(frame: Buffer): boolean {
    if (this.cancelled) return false;
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
    if (this.#pendingBytes >= flushBytes) this.#flush();
    else this.#scheduleFlush();
    return !this.#stream.writableNeedDrain;
  }

  /** Calls once when the client has accepted the waiting data. @returns a function that removes the listener. */
  onDrained(listener: () => void): () => void {
    this.#stream.once("drain", listener);
    return () => {
      this.#stream.off("drain", listener);
    };
  }

  succeed(): void {
    this.#finish({ "grpc-status": status.OK });
  }

  fail(error: ServiceError): void {
    this.#finish({
      ...error.metadata.toHttp2Headers(),
      "grpc-status": error.code,
      "grpc-message": encodeURI(error.details.toWellFormed()),
    });
  }

  #deserialize(message: Buffer): Request {
    try {
      return this.#method.requestDeserialize(message);
    } catch {
      throw new Refusal(status.INVALID_ARGUMENT, "the request cannot be read");
    }
  }

  #scheduleFlush(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    const bytes = this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (this.#stream.destroyed || this.#stream.closed) return;
    if (!this.#stream.headersSent) this.#stream.respond(responseHeaders, { waitForTrailers: true });
    this.#stream.write(Buffer.concat(pending, bytes));
  }

  #finish(trailers: OutgoingHttpHeaders): void {
    const stream = this.#stream;
    if (this.#isOver || stream.destroyed || stream.closed) return;
    this.#flush();
    this.#isOver = true;
    if (stream.headersSent) {
      stream.once("wantTrailers", () => {
        stream.sendTrailers(trailers);
      });
      stream.end();
    } else {
      stream.respond({ ...responseHeaders, ...trailers }, { endStream: true });
    }
    // Discards the client's remaining data for a while.
    stream.resume();
    stream.setTimeout(lingerMilliseconds, () => {
      stream.close(constants.NGHTTP2_CANCEL);
    });
  }
}

/** Milliseconds between checks of whether the consumer of a full writer is too far behind. */
const lagCheckMilliseconds = 250;

type AnsweringCall<Response> = Pick<
  GrpcCall<never, Response>,
  "write" | "writeFrame" | "onDrained" | "signal" | "cancelled"
>;

/** The call ended, because the client left or the node closes. */
export class WriterClosedError extends Error {
  override readonly name = "WriterClosedError";
}

/** Writes messages at the speed at which the client accepts them. */
export class BufferedWriter<Response> {
  readonly #call: AnsweringCall<Response>;
  readonly #closing: AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(call: AnsweringCall<Response>, closing: AbortSignal) {
    this.#call = call;
    this.#closing = closing;
  }

  /** Aborts when the client has left or the node closes. A short read needs no signal. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#call.signal, this.#closing]);
    return this.#signal;
  }

  /** Sends without waiting; false if the next message must wait for `drained`. */
  offer(message: Response): boolean {
    if (this.#closing.aborted || this.#call.cancelled) throw new WriterClosedError();
    return this.#call.write(message);
  }

  /** Sends a message that is already encoded and framed, like `send`. */
  offerFrame(frame: Buffer): boolean {
    if (this.#closing.aborted || this.#call.cancelled) throw new WriterClosedError();
    return this.#call.writeFrame(frame);
  }

  /** Resolves when the client has accepted the waiting data. @throws the error of `lag`, or WriterClosedError. */
  async drained(lag?: () => Promise<void>): Promise<void> {
    let leave = (): void => undefined;
    let stopLooking: CallOff = () => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const drain = (): void => {
          resolve();
        };
        const end = (): void => {
          reject(new WriterClosedError());
        };
        const off = this.#call.onDrained(drain);
        leave = () => {
          off();
          this.signal.removeEventListener("abort", end);
        };
        this.signal.addEventListener("abort", end);
        if (this.signal.aborted) end();
        if (lag !== undefined) {
          stopLooking = every(lagCheckMilliseconds, () => {
            lag().catch(reject);
          });
        }
      });
    } finally {
      leave();
      stopLooking();
    }
  }
}
