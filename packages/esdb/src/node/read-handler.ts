import { randomUUID } from "node:crypto";

import { type Metadata, status } from "@grpc/grpc-js";
import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import { EventStoreUnavailableError, type RecordedEvent } from "@hostledger/store";
import { defined } from "@hostledger/runtime";
import { realTiming } from "@hostledger/runtime/async";

import {
  encodeCaughtUp,
  encodeCheckpoint,
  encodeConfirmation,
  encodeStreamEvent,
  encodeStreamNotFound,
} from "../codec/read-answer.codec.ts";
import { gatherHeader, longestGatherMs } from "../codec/protocol.ts";
import { decodeRead, type ReadRequest } from "../codec/read-request.codec.ts";
import { accessDenied, Refusal, streamDeleted, unreadable } from "../codec/refusal.ts";
import { linkType } from "../codec/wire-values.codec.ts";
import type { ReadAccess } from "./authority.ts";
import { compileFilter, type EventFilter } from "./event-filter.ts";
import { encodeEventFrame } from "../codec/event-frame.codec.ts";
import { BufferedWriter, type GrpcCall } from "./grpc-call.ts";
import type { NodeParts } from "./node-parts.ts";
import { followStream } from "./stream-following.ts";
import { StreamNotFoundError } from "./stream-reading.ts";

/** Answers Read: a read with an end, or a subscription. */
export async function handleRead(parts: NodeParts, call: GrpcCall<ReadReq, ReadResp>): Promise<void> {
  const access = await parts.authority.readerOf(call.metadata);
  const request = decodeRead(await call.request());
  if (request.stream !== undefined && !access.mayRead(request.stream)) throw accessDenied();
  const sink = new ReadSink(parts, new BufferedWriter<ReadResp>(call, parts.closing), request, access);
  const gatherMs = gatherMsIn(call.metadata);
  if (request.limit === undefined)
    await parts.subscriptions.hold(() => subscribe(parts, sink, request, gatherMs));
  else await parts.reads.hold(() => readOnce(parts, sink, request, request.limit ?? 0));
}

async function readOnce(
  { reading }: NodeParts,
  sink: ReadSink,
  request: ReadRequest,
  limit: number,
): Promise<void> {
  const { stream, from, backwards } = request;
  const filter = compileFilter(request.filter);
  // Like EventStoreDB, checks the count before the stream; reading no events of the log is no error.
  if (stream !== undefined && (limit === 0 || (from === "end" && !backwards))) throw unreadable();
  if (limit === 0) return;
  const what = { from, backwards, limit };
  const runs =
    stream === undefined
      ? reading.all(what, (event) => sink.shows(event) && (filter?.matches(event) ?? true))
      : reading.stream(stream, what);
  try {
    for await (const run of runs) await sink.events(run);
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
    await sink.message(encodeStreamNotFound(stream ?? ""));
  }
}

/**
 * Maximum milliseconds for collecting live events.
 * @throws Refusal if it is no number of milliseconds up to `longestGatherMs`.
 */
function gatherMsIn(metadata: Metadata): number {
  const [given = "0"] = metadata.get(gatherHeader).map(String);
  const milliseconds = /^\d{1,4}$/.test(given) ? Number(given) : Infinity;
  if (milliseconds <= longestGatherMs) return milliseconds;
  throw new Refusal(status.INVALID_ARGUMENT, `${gatherHeader} must be 0 to ${String(longestGatherMs)}`);
}

async function subscribe(
  parts: NodeParts,
  sink: ReadSink,
  request: ReadRequest,
  gatherMs: number,
): Promise<void> {
  if (request.backwards) throw new Refusal(status.INVALID_ARGUMENT, "a subscription goes forwards");
  if (request.stream === undefined) await subscribeToAll(parts, sink, request, gatherMs);
  else await subscribeToStream(parts, sink, request, request.stream);
  // A subscription has no end of its own, so the store was closed.
  if (!sink.signal.aborted) throw new EventStoreUnavailableError("the event store was closed");
}

async function subscribeToAll(
  parts: NodeParts,
  sink: ReadSink,
  request: ReadRequest,
  gatherMs: number,
): Promise<void> {
  const { store } = parts;
  const filter = compileFilter(request.filter);
  const last = (await store.lastPosition()) ?? 0n;
  if (typeof request.from === "bigint" && request.from > last) {
    throw new Refusal(
      status.INVALID_ARGUMENT,
      `position ${String(request.from)} is beyond the end of the log`,
    );
  }
  await sink.message(encodeConfirmation(randomUUID()));
  const from = request.from === 0n ? "start" : request.from;
  const prefixes = filter?.streamPrefixes;
  const batches = store.subscribe({
    from,
    signal: sink.signal,
    ...defined({ streamPrefixes: prefixes }),
  });
  const checkpoints = new Checkpoints(filter, from === "start" ? 0n : from === "end" ? last : from);
  for await (const batch of batches) {
    await sink.recheck();
    for (const event of batch.events) {
      if (sink.shows(event) && (filter?.matches(event) ?? true)) await sink.event(event);
      if (checkpoints.due(event.position)) await sink.checkpoint(event.position);
    }
    if (checkpoints.due(batch.position)) await sink.checkpoint(batch.position);
    if (!batch.caughtUp) continue;
    await sink.caughtUp();
    await realTiming.sleep(gatherMs, sink.signal);
  }
}

/** Decides when a filtered subscription has skipped so many events that its client should get the position. */
class Checkpoints {
  readonly #interval: bigint | undefined;
  #reported: bigint;

  constructor(filter: EventFilter | undefined, from: bigint) {
    this.#interval = filter === undefined ? undefined : BigInt(filter.checkpointInterval);
    this.#reported = from;
  }

  due(position: bigint): boolean {
    if (this.#interval === undefined || position - this.#reported < this.#interval) return false;
    this.#reported = position;
    return true;
  }
}

async function subscribeToStream(
  parts: NodeParts,
  sink: ReadSink,
  { from }: ReadRequest,
  stream: string,
): Promise<void> {
  if ((await parts.events.of(stream)).tombstoned) throw streamDeleted(stream);
  // A subscription from the start of a missing stream counts as caught up at its first event, as in EventStoreDB.
  let mayCatchUp = from === "end" || (await parts.events.last(stream)) !== undefined;
  const following = followStream(parts, stream, from, sink.signal);
  await sink.message(encodeConfirmation(randomUUID()));
  for await (const { events, caughtUp } of following) {
    await sink.recheck();
    await sink.events(events);
    mayCatchUp ||= events.length > 0;
    if (caughtUp && mayCatchUp) await sink.caughtUp();
  }
}

/** Sends events to one client, and drops a live client that lags too far. */
class ReadSink {
  readonly #parts: NodeParts;
  readonly #writer: BufferedWriter<ReadResp>;
  readonly #request: ReadRequest;
  readonly #access: ReadAccess;
  #live = false;
  #position = 0n;

  constructor(parts: NodeParts, writer: BufferedWriter<ReadResp>, request: ReadRequest, access: ReadAccess) {
    this.#parts = parts;
    this.#writer = writer;
    this.#request = request;
    this.#access = access;
  }

  /** Returns true if the client may see the event; other events are skipped. */
  shows({ stream }: RecordedEvent): boolean {
    return this.#access.isWhole || this.#access.mayRead(stream);
  }

  /** Checks the permission again during a subscription. @throws Refusal if the client may no longer read. */
  recheck(): Promise<void> {
    return this.#access.recheck();
  }

  get signal(): AbortSignal {
    return this.#writer.signal;
  }

  async message(message: ReadResp): Promise<void> {
    if (!this.#writer.offer(message)) await this.#drained();
  }

  async events(events: readonly RecordedEvent[]): Promise<void> {
    for (const event of events) {
      const sending = this.event(event);
      if (sending !== undefined) await sending;
    }
  }

  /**
   * Resolves when the next event may be sent; undefined means at once, because a promise for each of a million events
   * is slow.
   */
  event(event: RecordedEvent): Promise<void> | undefined {
    this.#position = event.position;
    const { resolveLinks, structuredIds } = this.#request;
    if (structuredIds || (resolveLinks && event.type === linkType)) return this.#resolved(event);
    return this.#writer.offerFrame(encodeEventFrame(event)) ? undefined : this.#drained();
  }

  async #resolved(event: RecordedEvent): Promise<void> {
    const { resolveLinks, structuredIds } = this.#request;
    const resolved = await this.#parts.reading.resolve(event, resolveLinks);
    // The writer of a link chooses its target, but the target's readers need their own permission.
    const isShown = resolved.event === undefined || this.shows(resolved.event);
    const answer = isShown ? resolved : { ...resolved, event: undefined };
    await this.message(encodeStreamEvent(answer, structuredIds));
  }

  #drained(): Promise<void> {
    return this.#writer.drained(this.#live ? () => this.#dropWhenFarBehind() : undefined);
  }

  async checkpoint(position: bigint): Promise<void> {
    this.#position = position;
    await this.message(encodeCheckpoint(position, this.#live));
  }

  /** Sent once, when the subscription first reaches the end of the log. */
  async caughtUp(): Promise<void> {
    if (this.#live) return;
    this.#live = true;
    await this.message(encodeCaughtUp());
  }

  async #dropWhenFarBehind(): Promise<void> {
    const last = (await this.#parts.store.lastPosition()) ?? 0n;
    if (last - this.#position <= BigInt(this.#parts.limits.liveLagEvents)) return;
    throw new Refusal(
      status.ABORTED,
      "Operation timed out: Consumer too slow to handle event while live. Client resubscription required.",
    );
  }
}
