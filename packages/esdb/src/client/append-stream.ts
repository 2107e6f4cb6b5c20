import { randomUUID } from "node:crypto";

import type { BatchAppendReq, BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { ClientDuplexStream } from "@grpc/grpc-js";
import { InvalidAppendError, WrongExpectedRevisionError, type AppendResult } from "@hostledger/event-store";

import type { Connection } from "./connection.ts";
import type { StreamsClient } from "./protocol.ts";
import { encodeAppend, type AppendToSend } from "./request.codec.ts";
import { decodeAppendAnswer, type AppendAnswer } from "./response.codec.ts";

type BatchCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

/**
 * Milliseconds until the deadline that an append names. It is a time of day, and the server works at an append for 2 s
 * at most, so it only has to be late enough for two clocks that differ.
 */
const deadlineMs = 60_000;

interface OpenCall {
  readonly call: BatchCall;
  readonly pending: Map<string, PromiseWithResolvers<AppendAnswer>>;
}

/**
 * The one stream on which all appends of a connection travel, opened when needed. When it fails, everything unanswered
 * on it fails with it, and the next append opens another one.
 */
export class AppendStream {
  readonly #connection: Connection;
  #open: Promise<OpenCall> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Sends an append once and resolves with its answer, however late.
   *
   * @throws WrongExpectedRevisionError and InvalidAppendError: nothing was stored.
   * @throws Error of the call, or AppendRefusal.
   */
  async send(append: AppendToSend): Promise<AppendResult> {
    const { call, pending } = await this.#opened();
    const id = randomUUID();
    const answer = Promise.withResolvers<AppendAnswer>();
    pending.set(id, answer);
    const deadline = new Date(Date.now() + deadlineMs);
    for (const message of encodeAppend(id, append, deadline)) call.write(message);
    return settle(append, await answer.promise);
  }

  async close(): Promise<void> {
    const open = await this.#open?.catch(() => undefined);
    open?.call.cancel();
  }

  #opened(): Promise<OpenCall> {
    if (this.#open !== undefined) return this.#open;
    const opening: Promise<OpenCall> = this.#connection
      .client()
      .then((client) => this.#start(client, opening));
    this.#open = opening;
    opening.catch(() => {
      this.#forget(opening);
    });
    return opening;
  }

  #start(client: StreamsClient, opening: Promise<OpenCall>): OpenCall {
    const { metadata, options } = this.#connection.callArguments();
    const call = client.batchAppend(metadata, options);
    const pending = new Map<string, PromiseWithResolvers<AppendAnswer>>();
    const fail = (error: Error): void => {
      this.#forget(opening);
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    };
    call.on("data", (message: BatchAppendResp) => {
      const [id, answer] = decodeAppendAnswer(message);
      pending.get(id)?.resolve(answer);
      pending.delete(id);
    });
    call.on("error", (error: Error) => {
      fail(error);
      void this.#connection.noteFailure(client, error);
    });
    call.on("end", () => {
      fail(Object.assign(new Error("the server ended the append stream"), { code: 14 }));
    });
    return { call, pending };
  }

  #forget(opening: Promise<OpenCall>): void {
    if (this.#open === opening) this.#open = undefined;
  }
}

function settle({ stream, expected }: AppendToSend, answer: AppendAnswer): AppendResult {
  switch (answer.kind) {
    case "stored":
      return answer.result;
    case "wrong-revision":
      throw new WrongExpectedRevisionError(stream, expected, answer.actual);
    case "too-large":
      throw new InvalidAppendError(
        `stream ${stream}: the append is larger than the ${String(answer.limit)} bytes that the server takes`,
      );
    case "refused":
      throw answer.error;
  }
}
