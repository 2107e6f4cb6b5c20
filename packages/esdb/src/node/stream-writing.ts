import { randomUUID } from "node:crypto";

import { status } from "@grpc/grpc-js";
import {
  appendLimits,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
} from "@hostledger/store";

import {
  accessDenied,
  appendTooLarge,
  Refusal,
  streamDeleted,
  wrongExpectedVersion,
} from "../codec/refusal.ts";
import { deletedRevision, metadataType, tombstoneType } from "../codec/wire-values.codec.ts";
import { categoryOf, isReadOnly } from "./link-source.ts";
import type { StreamEventsReader } from "./stream-events.ts";

/** Maximum waiting appends of this node; further appends are refused with "Server Is Too Busy". */
const inFlightLimit = 8_192;

/** Writes streams by EventStoreDB's rules: append, soft delete and tombstone. */
export class StreamWriting {
  readonly #store: EventStore;
  readonly #events: StreamEventsReader;
  readonly #keptCategories: ReadonlySet<string>;
  #inFlight = 0;

  /** @param keptCategories categories of streams that cannot be deleted or hidden. */
  constructor(store: EventStore, events: StreamEventsReader, keptCategories: readonly string[] = []) {
    this.#store = store;
    this.#events = events;
    this.#keptCategories = new Set(keptCategories);
  }

  /** @throws Refusal and the errors of the port; a wrong revision is always a Refusal. */
  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    if (events.some(({ type }) => type === tombstoneType)) {
      throw new Refusal(status.INVALID_ARGUMENT, `${tombstoneType} is written by Tombstone only`);
    }
    refuseLarge(events);
    refuseReadOnly(stream);
    // Metadata hides events or sets permissions.
    if (stream.startsWith("$$")) this.#refuseKept(stream);
    if (this.#inFlight >= inFlightLimit) throw new Refusal(status.UNAVAILABLE, "Server Is Too Busy");
    this.#inFlight += 1;
    try {
      // A protected stream cannot be ended, and an append proves that it is new.
      const isNew = expected === "no-stream" && this.#isKept(stream);
      const stored = await (isNew ? this.#events.ofNew(stream) : this.#events.of(stream));
      if (stored.tombstoned) throw streamDeleted(stream);
      if (stored.softDeleted) return await this.#appendToSoftDeleted(stream, expected, events);
      const result = await this.#appendOrRepeat(stream, expected, events, stored.truncateBefore);
      if (stream.startsWith("$$")) this.#events.forget(stream);
      if (isNew) this.#events.remember(stream, stored);
      return result;
    } catch (error) {
      throw await this.#inTermsOfTheProtocol(stream, error);
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** An append without events: checks the expectation and stores nothing. Returns the stream's last revision. */
  appendNothing(stream: string, expected: ExpectedRevision): Promise<bigint | "no-stream"> {
    refuseReadOnly(stream);
    return this.#checkedLast(stream, expected);
  }

  /**
   * Hides the stream's events. The stream may be written again, and its revisions continue. Returns the log position.
   */
  async softDelete(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    refuseReadOnly(stream);
    this.#refuseKept(stream);
    const last = await this.#checkedLast(stream, expected);
    if (last === "no-stream" && (await this.#events.last(`$$${stream}`)) === undefined) {
      throw wrongExpectedVersion(stream, expected, last);
    }
    // Written by hand, because JSON.stringify cannot write this number exactly.
    return this.#writeMetadata(stream, `{"$tb":${String(deletedRevision)}}`);
  }

  /** Ends the stream for ever. */
  async tombstone(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    refuseReadOnly(stream);
    this.#refuseKept(stream);
    const last = await this.#checkedLast(stream, expected);
    const tombstone = { id: randomUUID(), type: tombstoneType, data: "{}", metadata: "" };
    try {
      return await this.#store.append(stream, last, [tombstone]);
    } catch (error) {
      throw await this.#inTermsOfTheProtocol(stream, error);
    } finally {
      this.#events.forget(stream);
    }
  }

  /** @throws Refusal access denied, because protected events cannot be deleted through the protocol. */
  #refuseKept(stream: string): void {
    if (this.#isKept(stream.replace(/^\$+/u, ""))) throw accessDenied();
  }

  #isKept(stream: string): boolean {
    const category = categoryOf(stream);
    return category !== undefined && this.#keptCategories.has(category);
  }

  /**
   * A soft-deleted stream accepts `no-stream` like a missing one, and its revisions continue. The store is asked
   * first whether the append is a repeat, which stores nothing.
   */
  async #appendToSoftDeleted(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    const last = (await this.#events.last(stream))?.revision;
    if (expected === "stream-exists") throw wrongExpectedVersion(stream, expected, last ?? "no-stream");
    if (last !== undefined && expected !== "any" && expected !== last) {
      const repeated = await this.#repeated(stream, expected, events);
      if (repeated !== undefined) return repeated;
    }
    const next = last === undefined ? 0n : last + 1n;
    await this.#writeMetadata(stream, JSON.stringify({ $tb: Number(next) }));
    return this.#store.append(stream, last ?? "no-stream", events);
  }

  /**
   * `no-stream` may have meant a soft-deleted stream, which continued at the revision in its metadata; a repeat is
   * found there. The stream has passed that revision, so the question cannot store anything.
   */
  async #appendOrRepeat(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
    truncateBefore: bigint,
  ): Promise<AppendResult> {
    try {
      return await this.#store.append(stream, expected, events);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError) || expected !== "no-stream") throw error;
      if (truncateBefore === 0n || error.actual === "no-stream" || error.actual < truncateBefore) throw error;
      const repeated = await this.#store.append(stream, truncateBefore - 1n, events).catch(() => undefined);
      if (repeated === undefined) throw error;
      return repeated;
    }
  }

  async #repeated(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult | undefined> {
    try {
      return await this.#store.append(stream, expected, events);
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError && expected === "no-stream") return undefined;
      throw error;
    }
  }

  async #writeMetadata(stream: string, data: string): Promise<AppendResult> {
    try {
      const event = { id: randomUUID(), type: metadataType, data, metadata: "" };
      return await this.#store.append(`$$${stream}`, "any", [event]);
    } finally {
      this.#events.forget(stream);
    }
  }

  /** Returns the stream's last revision, for a deletion that expects it. */
  async #checkedLast(stream: string, expected: ExpectedRevision): Promise<bigint | "no-stream"> {
    const events = await this.#events.of(stream);
    if (events.tombstoned) throw streamDeleted(stream);
    const last = (await this.#events.last(stream))?.revision ?? "no-stream";
    const exists = last !== "no-stream" && !events.softDeleted;
    const fits =
      expected === "any" ||
      (expected === "stream-exists" && exists) ||
      (expected === "no-stream" && !exists) ||
      expected === last;
    if (!fits) throw wrongExpectedVersion(stream, expected, last);
    return last;
  }

  /** The stream may have been tombstoned during the append; then the caller gets that error. */
  async #inTermsOfTheProtocol(stream: string, error: unknown): Promise<unknown> {
    if (!(error instanceof WrongExpectedRevisionError)) return error;
    const { tombstoned } = await this.#events.of(stream);
    return tombstoned ? streamDeleted(stream) : wrongExpectedVersion(stream, error.expected, error.actual);
  }
}

/** Streams of links are computed from the log and cannot be written. */
function refuseReadOnly(stream: string): void {
  if (isReadOnly(stream)) throw accessDenied();
}

function refuseLarge(events: readonly EventToAppend[]): void {
  let bytes = 0;
  for (const { data, metadata } of events) bytes += Buffer.byteLength(data) + Buffer.byteLength(metadata);
  if (bytes > appendLimits.bytes) throw appendTooLarge(appendLimits.bytes);
}
