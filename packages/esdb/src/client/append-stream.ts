import { randomUUID } from "node:crypto";

import type { BatchAppendReq, BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { ClientDuplexStream } from "@grpc/grpc-js";
import {
  type AppendResult,
  type EventToAppend,
  type ExpectedRevision,
  InvalidAppendError,
  WrongExpectedRevisionError,
} from "@hostledger/store";

import { decodeBatchAnswer } from "../codec/append-answer.codec.ts";
import { encodeBatchPart, encodeBatchTarget, type ProposedEvent } from "../codec/append-request.codec.ts";
import type { StreamsClient } from "../codec/protocol.ts";
import { Refusal } from "../codec/refusal.ts";
import { jsonType } from "../codec/wire-values.codec.ts";
import type { Connection } from "./connection.ts";

type BatchCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

/**
 * Milliseconds until the deadline in an append. The server works on an append for at most 2 s, so the deadline only
 * allows for clocks that differ.
 */
const deadlineMs = 60_000;

/**
 * Maximum bytes of one message. EventStoreDB accepts 4 MiB; an append with long types is split into several messages.
 */
const messageBytes = 2 * 1_048_576;
/** Estimated bytes of an event besides its texts. */
const eventOverheadBytes = 128;

/** An append in progress. Each attempt has a new correlation id. */
export interface AppendToSend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

interface OpenCall {
  readonly call: BatchCall;
  readonly pending: Map<string, PromiseWithResolvers<AppendResult | Refusal>>;
}

/**
 * The stream that all appends of a connection share, opened when needed. If the stream fails, all unanswered appends
 * fail, and the next append opens a new stream.
 */
export class AppendStream {
  readonly #connection: Connection;
  readonly #onBroken: () => void;
  #open: Promise<OpenCall> | undefined;

  /** @param onBroken called when the stream fails, before anything else is sent. */
  constructor(connection: Connection, onBroken: () => void = () => undefined) {
    this.#connection = connection;
    this.#onBroken = onBroken;
  }

  /**
   * Sends an append once and resolves with its answer, however late.
   * @throws WrongExpectedRevisionError and InvalidAppendError if nothing was stored.
   * @throws Error of the call, or Refusal.
   */
  async send(append: AppendToSend): Promise<AppendResult> {
    const { call, pending } = await this.#opened();
    const id = randomUUID();
    const answer = Promise.withResolvers<AppendResult | Refusal>();
    pending.set(id, answer);
    const deadline = new Date(Date.now() + deadlineMs);
    for (const message of messagesOf(id, append, deadline)) call.write(message);
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
    const pending = new Map<string, PromiseWithResolvers<AppendResult | Refusal>>();
    const fail = (error: Error): void => {
      this.#onBroken();
      this.#forget(opening);
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    };
    call.on("data", (message: BatchAppendResp) => {
      const [id, answer] = decodeBatchAnswer(message);
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

/**
 * Builds the messages of one append. Data is sent as JSON, byte for byte, because the client package would parse and
 * rewrite it.
 * @param deadline time limit for the server, which itself allows at most 2 s.
 */
function messagesOf(
  correlationId: string,
  { stream, expected, events }: AppendToSend,
  deadline: Date,
): readonly BatchAppendReq[] {
  const parts: ProposedEvent[][] = [[]];
  let bytes = 0;
  for (const event of events) {
    const size = event.data.length + event.metadata.length + event.type.length + eventOverheadBytes;
    if (bytes > 0 && bytes + size > messageBytes) {
      parts.push([]);
      bytes = 0;
    }
    bytes += size;
    parts.at(-1)?.push(proposed(event));
  }
  const messages = parts.map((part) => encodeBatchPart(correlationId, part));
  messages.at(0)?.setOptions(encodeBatchTarget({ stream, expected }, deadline));
  messages.at(-1)?.setIsFinal(true);
  return messages;
}

function proposed({ id, type, data, metadata }: EventToAppend): ProposedEvent {
  return { id, type, contentType: jsonType, data: Buffer.from(data), metadata: Buffer.from(metadata) };
}

function settle({ stream, expected }: AppendToSend, answer: AppendResult | Refusal): AppendResult {
  if (!(answer instanceof Refusal)) return answer;
  switch (answer.kind) {
    case "wrong-expected-version": {
      const actual = answer.fields["actual-version"];
      throw new WrongExpectedRevisionError(
        stream,
        expected,
        actual === undefined ? "no-stream" : BigInt(actual),
      );
    }
    case "maximum-append-size-exceeded": {
      const limit = answer.fields["maximum-append-size"] ?? "";
      throw new InvalidAppendError(
        `stream ${stream}: the append is larger than the ${limit} bytes that the server takes`,
      );
    }
    default:
      throw answer;
  }
}
