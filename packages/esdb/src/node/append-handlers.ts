import { status } from "@grpc/grpc-js";
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import { appendLimits, type EventToAppend } from "@hostledger/store";
import { within } from "@hostledger/runtime/async";

import {
  type Appended,
  encodeAppendConflict,
  encodeAppended,
  encodeBatchAnswer,
} from "../codec/append-answer.codec.ts";
import {
  decodeAppendTarget,
  decodeBatchTarget,
  decodeProposed,
  type ProposedEvent,
  type WriteTarget,
} from "../codec/append-request.codec.ts";
import { appendTooLarge, Refusal } from "../codec/refusal.ts";
import { decodeUuid, jsonType, required, toStoredText } from "../codec/wire-values.codec.ts";
import { isBug, isStoreGone, toRefusal } from "./failure.ts";
import type { GrpcCall } from "./grpc-call.ts";
import type { NodeParts } from "./node-parts.ts";

/** Maximum unanswered appends of one connection; then the node reads no more from it. */
const unansweredLimit = 512;
/** Maximum incomplete appends of one connection. */
const incompleteLimit = 64;

/** Maximum milliseconds for an append of the shared stream, as in EventStoreDB. */
const answerLimitMilliseconds = 2_000;

/** Answers Append: one append, its options first and then its events. */
export async function handleAppend(
  parts: NodeParts,
  call: GrpcCall<AppendReq, AppendResp>,
): Promise<AppendResp> {
  parts.authority.checkMayWrite(call.metadata);
  let target: WriteTarget | undefined;
  const events = new Proposal();
  for await (const message of call.requests()) {
    const options = message.getOptions();
    if (options !== undefined) target = decodeAppendTarget(options);
    const proposed = message.getProposedMessage();
    if (proposed !== undefined) events.add(storedForm(decodeProposed(proposed)));
  }
  const { stream, expected } = required(target, "options");
  try {
    if (events.isEmpty) return encodeAppended({ last: await parts.writing.appendNothing(stream, expected) });
    return encodeAppended(await parts.writing.append(stream, expected, events.complete()));
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal.kind !== "wrong-expected-version") throw error;
    return encodeAppendConflict(expected, refusal.fields["actual-version"]);
  }
}

/** Collects the events of one append. Events over the limits are counted and discarded. */
class Proposal {
  readonly #events: EventToAppend[] = [];
  #bytes = 0;
  #count = 0;

  add(event: EventToAppend): void {
    this.#bytes += event.data.length + event.metadata.length;
    this.#count += 1;
    if (this.#bytes <= 2 * appendLimits.bytes && this.#count <= appendLimits.events) this.#events.push(event);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** @throws Refusal if the append is too large. */
  complete(): readonly EventToAppend[] {
    if (this.#count > appendLimits.events) {
      throw new Refusal(
        status.INVALID_ARGUMENT,
        `at most ${String(appendLimits.events)} events are allowed in one append`,
      );
    }
    if (this.#bytes > appendLimits.bytes) throw appendTooLarge(appendLimits.bytes);
    return this.#events;
  }
}

/** Data is stored as its content type says. Metadata has no content type and is stored as text if it is text. */
function storedForm({ id, type, contentType, data, metadata }: ProposedEvent): EventToAppend {
  return {
    id,
    type,
    data: toStoredText(data, contentType),
    metadata: metadata.length === 0 ? "" : toStoredText(metadata, jsonType),
  };
}

interface Incomplete {
  readonly options: BatchAppendReq.Options | undefined;
  readonly events: Proposal;
  broken: Error | undefined;
}

type BatchCall = GrpcCall<BatchAppendReq, BatchAppendResp>;

/**
 * Answers BatchAppend: many appends over one stream. Each answer names its append by the correlation id, as soon as
 * the append is stored. A closing node answers the appends in progress and then ends the call.
 */
export async function handleBatchAppend(parts: NodeParts, call: BatchCall): Promise<void> {
  const connection = new BatchConnection(parts, call);
  const { promise: closing, resolve } = Promise.withResolvers<"closing">();
  const close = (): void => {
    resolve("closing");
  };
  parts.closing.addEventListener("abort", close);
  try {
    const how = await Promise.race([connection.takeAll(), connection.storeFailed, closing]);
    await connection.answered();
    if (how === "closing") throw new Refusal(status.UNAVAILABLE, "the node is shutting down");
  } finally {
    parts.closing.removeEventListener("abort", close);
  }
}

class BatchConnection {
  readonly #parts: NodeParts;
  readonly #call: BatchCall;
  readonly #incomplete = new Map<string, Incomplete>();
  readonly #storeFailure = Promise.withResolvers<never>();
  #unanswered = 0;
  #onAnswered: (() => void)[] = [];

  constructor(parts: NodeParts, call: BatchCall) {
    this.#parts = parts;
    this.#call = call;
  }

  /** Rejects if the store stops answering, because the waiting appends will never be answered. */
  get storeFailed(): Promise<never> {
    return this.#storeFailure.promise;
  }

  /** Accepts appends until the client has sent all, at the speed of the answers. */
  async takeAll(): Promise<"all"> {
    for await (const message of this.#call.requests()) {
      this.#take(message);
      while (this.#unanswered >= unansweredLimit) await this.#nextAnswer();
      if (this.#call.isFull) await this.#drained();
    }
    return "all";
  }

  async answered(): Promise<void> {
    while (this.#unanswered > 0) await this.#nextAnswer();
  }

  /** The node reads nothing from a client that accepts no answers. */
  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const go = (): void => {
      resolve(undefined);
    };
    const off = this.#call.onDrained(go);
    this.#call.signal.addEventListener("abort", go);
    await promise;
    off();
    this.#call.signal.removeEventListener("abort", go);
  }

  #nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAnswered.push(resolve);
    });
  }

  #take(message: BatchAppendReq): void {
    const correlation = message.getCorrelationId();
    if (correlation === undefined) return;
    const key = decodeUuid(correlation);
    const append = this.#incomplete.get(key) ?? {
      options: message.getOptions(),
      events: new Proposal(),
      broken: undefined,
    };
    try {
      // Appends of unauthorised callers are not stored in memory.
      this.#parts.authority.checkMayWrite(this.#call.metadata);
      for (const proposed of message.getProposedMessagesList())
        append.events.add(storedForm(decodeProposed(proposed)));
    } catch (error) {
      append.broken ??= toRefusal(error);
    }
    if (message.getIsFinal()) {
      this.#incomplete.delete(key);
      void this.#answer(correlation, append);
      return;
    }
    if (this.#incomplete.size >= incompleteLimit && !this.#incomplete.has(key)) {
      throw new Refusal(status.RESOURCE_EXHAUSTED, "too many appends on this connection are incomplete");
    }
    this.#incomplete.set(key, append);
  }

  async #answer(correlation: Parameters<typeof encodeBatchAnswer>[0], append: Incomplete): Promise<void> {
    this.#unanswered += 1;
    const answer = (outcome: Appended | Refusal): void => {
      this.#call.write(encodeBatchAnswer(correlation, append.options, outcome));
    };
    try {
      answer(await withinTime(this.#store(append), timeLimitMilliseconds(append.options)));
    } catch (error) {
      if (isStoreGone(error)) this.#storeFailure.reject(error);
      else {
        if (isBug(error)) this.#parts.onBug(error);
        answer(toRefusal(error));
      }
    }
    this.#unanswered -= 1;
    const waiting = this.#onAnswered;
    this.#onAnswered = [];
    for (const go of waiting) go();
  }

  async #store({ options, events, broken }: Incomplete): Promise<Appended> {
    if (broken !== undefined) throw broken;
    const { stream, expected } = decodeBatchTarget(required(options, "options"));
    const { writing } = this.#parts;
    if (events.isEmpty) return { last: await writing.appendNothing(stream, expected) };
    return writing.append(stream, expected, events.complete());
  }
}

/** Returns the client's time limit, at most EventStoreDB's own. */
function timeLimitMilliseconds(options: BatchAppendReq.Options | undefined): number {
  const deadline = options?.getDeadline()?.toDate().getTime();
  if (deadline === undefined) return answerLimitMilliseconds;
  return Math.max(0, Math.min(answerLimitMilliseconds, deadline - Date.now()));
}

/** @throws Refusal for a timeout; the append may be stored nevertheless. */
function withinTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return within(milliseconds, work, () => {
    throw new Refusal(status.DEADLINE_EXCEEDED, "the append was not stored in time", "timeout");
  });
}
