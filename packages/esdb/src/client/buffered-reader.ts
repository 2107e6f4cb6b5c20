import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import type { ClientReadableStream } from "@grpc/grpc-js";
import { EventStoreUnavailableError } from "@hostledger/store";

import { afterThisTurn, realTiming, type CallOff } from "@hostledger/runtime/async";

import type { Connection } from "./connection.ts";
import { decodeLogMessage, type LogMessage } from "../codec/log-message.codec.ts";
import { readMethod } from "../codec/protocol.ts";

export interface BufferLimits {
  readonly bufferedMessages: number;
  readonly bufferedBytes: number;
}

/** Estimated bytes of a message besides its texts. */
const messageOverheadBytes = 256;

/**
 * Receives the messages of a read or a subscription into a bounded buffer. When the buffer is full, the call pauses:
 * the server waits during a read or a catch-up, and drops a live subscription.
 */
export class BufferedReader {
  readonly #call: ClientReadableStream<LogMessage>;
  readonly #limits: BufferLimits;
  #messages: LogMessage[] = [];
  #bytes = 0;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  private constructor(call: ClientReadableStream<LogMessage>, limits: BufferLimits) {
    this.#call = call;
    this.#limits = limits;
  }

  /** Starts a call. @throws Error if there is no server. */
  static async open(connection: Connection, request: ReadReq, limits: BufferLimits): Promise<BufferedReader> {
    const client = await connection.client();
    const { metadata, options } = connection.callArguments();
    const { path, requestSerialize } = readMethod;
    const call = client.makeServerStreamRequest(
      path,
      requestSerialize,
      decodeLogMessage,
      request,
      metadata,
      options,
    );
    const reader = new BufferedReader(call, limits);
    call.on("data", (message: LogMessage) => {
      reader.#receive(message);
    });
    call.on("error", (error: Error) => {
      reader.#finish(error);
      void connection.noteFailure(client, error);
    });
    call.on("end", () => {
      // A failed call may emit `end` before its status, within the same turn of the event loop.
      afterThisTurn(() => {
        reader.#finish(undefined);
      });
    });
    return reader;
  }

  /** True if all received messages were taken. */
  get empty(): boolean {
    return this.#messages.length === 0;
  }

  /**
   * Returns the buffered messages; waits if there are none. An empty answer is the end.
   * @param silenceMs maximum milliseconds without a message; unlimited if absent.
   * @throws EventStoreUnavailableError after that time.
   * @throws Error of the call, after all earlier messages.
   */
  async take(silenceMs?: number): Promise<readonly LogMessage[]> {
    if (this.#messages.length === 0 && this.#end === undefined) await this.#arrival(silenceMs);
    if (this.#messages.length === 0 && this.#end?.error !== undefined) throw this.#end.error;
    const taken = this.#messages;
    this.#messages = [];
    this.#bytes = 0;
    if (this.#call.isPaused()) this.#call.resume();
    return taken;
  }

  /** Ends the call. */
  cancel(): void {
    this.#messages = [];
    this.#finish(undefined);
    this.#call.cancel();
  }

  #receive(message: LogMessage): void {
    if (this.#end !== undefined) return;
    this.#messages.push(message);
    this.#bytes += messageOverheadBytes;
    if (message.kind === "event") this.#bytes += message.event.data.length + message.event.metadata.length;
    const { bufferedBytes, bufferedMessages } = this.#limits;
    if (this.#messages.length >= bufferedMessages || this.#bytes >= bufferedBytes) this.#call.pause();
    this.#wake?.();
  }

  #finish(error: Error | undefined): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async #arrival(silenceMs: number | undefined): Promise<void> {
    let callOff: CallOff = () => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        // Waits one turn, so that the messages of one packet are taken together.
        this.#wake = () => {
          this.#wake = undefined;
          afterThisTurn(resolve);
        };
        if (silenceMs === undefined) return;
        callOff = realTiming.after(silenceMs, () => {
          reject(new EventStoreUnavailableError(`nothing came for ${String(silenceMs)} ms`));
        });
      });
    } finally {
      this.#wake = undefined;
      callOff();
    }
  }
}
