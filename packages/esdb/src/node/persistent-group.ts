import { type CallOff, every } from "@hostledger/runtime/async";

import { isStoreGone } from "./failure.ts";
import { type Consumer, GroupConsumers, type GroupMessage, type InFlight } from "./group-consumers.ts";
import type { GroupJournal } from "./group-journal.codec.ts";
import { followGroup, placeOf } from "./group-source.ts";
import type { StoredGroup } from "./persistent-settings.codec.ts";
import type { StreamSources } from "./stream-following.ts";

/** A consumer's verdict on a message that it could not handle. */
export type NackAction = "park" | "retry" | "skip" | "stop";

/** Maximum events read ahead, regardless of the settings. */
const bufferLimit = 1_000;
const tickMilliseconds = 200;

/**
 * A consumer group: it reads its source from the checkpoint, delivers each event to one consumer, and redelivers
 * unacknowledged events after a timeout. Delivery is at least once, because a crash resumes at the last checkpoint.
 */
export class PersistentGroup {
  readonly stored: StoredGroup;
  readonly #sources: StreamSources;
  readonly #journal: GroupJournal;
  readonly #onBug: (error: unknown) => void;
  readonly #consumers = new GroupConsumers();
  readonly #buffer: GroupMessage[] = [];
  readonly #retries: GroupMessage[] = [];
  #feed: AbortController | undefined;
  #wakeFeed: (() => void) | undefined;
  #readUpTo: bigint;
  #sentUpTo: bigint;
  #checkpoint: bigint;
  #acknowledgedSince = 0;
  #checkpointedMilliseconds = Date.now();
  #stopTicking: CallOff | undefined;
  totalMessages = 0;

  constructor(
    stored: StoredGroup,
    checkpoint: bigint,
    sources: StreamSources,
    journal: GroupJournal,
    onBug: (error: unknown) => void,
  ) {
    this.stored = stored;
    this.#checkpoint = checkpoint;
    this.#readUpTo = checkpoint;
    this.#sentUpTo = checkpoint;
    this.#sources = sources;
    this.#journal = journal;
    this.#onBug = onBug;
  }

  get consumers(): readonly Consumer[] {
    return this.#consumers.all;
  }

  get checkpoint(): bigint {
    return this.#checkpoint;
  }

  get counts(): { readonly buffered: number; readonly retrying: number; readonly inFlight: number } {
    return {
      buffered: this.#buffer.length,
      retrying: this.#retries.length,
      inFlight: this.#consumers.inFlight.length,
    };
  }

  inFlightOf(consumer: Consumer): number {
    return this.#consumers.inFlightOf(consumer);
  }

  connect(consumer: Consumer): void {
    this.#consumers.add(consumer);
    this.#stopTicking ??= every(tickMilliseconds, () => {
      this.#tick();
    });
    if (this.#feed === undefined) this.#startFeed();
    this.#dispatch();
  }

  /** Redelivers the consumer's messages to others; without consumers the group pauses. */
  disconnect(consumer: Consumer): void {
    if (!this.#consumers.remove(consumer)) return;
    for (const held of this.#consumers.inFlight) {
      if (held.consumer === consumer) this.#giveAgain(held);
    }
    this.#consumers.forget(consumer);
    if (this.consumers.length === 0) this.rest();
    this.#dispatch();
  }

  acknowledge(consumer: Consumer, ids: readonly string[]): void {
    for (const id of ids) this.#settle(this.#consumers.held(consumer, id));
    this.#dispatch();
  }

  async refuse(
    consumer: Consumer,
    action: NackAction,
    reason: string,
    ids: readonly string[],
  ): Promise<void> {
    for (const id of ids) {
      const held = this.#consumers.held(consumer, id);
      if (held === undefined) continue;
      if (action === "park") await this.#park(held, reason);
      else if (action === "retry") await this.#retry(held, reason);
      else this.#settle(held);
    }
    if (action === "stop") consumer.drop();
    this.#dispatch();
  }

  /** Redelivers parked messages. */
  replay(messages: readonly GroupMessage[]): void {
    this.#retries.push(...messages);
    this.#dispatch();
  }

  dropAll(): void {
    for (const consumer of [...this.consumers]) consumer.drop();
    this.rest();
  }

  /** Stops reading and stores the checkpoint. */
  rest(): void {
    this.#feed?.abort();
    this.#feed = undefined;
    this.#wakeFeed?.();
    this.#stopTicking?.();
    this.#stopTicking = undefined;
    this.#storeCheckpoint();
  }

  #startFeed(): void {
    const feed = new AbortController();
    this.#feed = feed;
    this.#run(feed.signal)
      .catch((error: unknown) => {
        if (!feed.signal.aborted && !isStoreGone(error)) this.#onBug(error);
      })
      .finally(() => {
        // The consumers get an error, connect again, and the group resumes at the same event.
        if (this.#feed === feed) this.dropAll();
      });
  }

  async #run(signal: AbortSignal): Promise<void> {
    for await (const { events, upTo } of followGroup(this.stored, this.#sources, this.#readUpTo, signal)) {
      for (const event of events) {
        const resolved = await this.#sources.reading.resolve(event, this.stored.settings.resolveLinks);
        if (signal.aborted) return;
        const at = placeOf(this.stored, event);
        this.#buffer.push({
          resolved,
          id: event.id,
          at,
          before: this.#readUpTo,
          replayed: false,
          retries: 0,
        });
        this.#readUpTo = at;
        this.#dispatch();
        while (this.#buffer.length >= bufferLimit && !isOver(signal)) await this.#room();
      }
      if (isOver(signal)) return;
      if (upTo !== undefined && upTo > this.#readUpTo) this.#readUpTo = upTo;
    }
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeFeed = resolve;
    });
  }

  #dispatch(): void {
    for (;;) {
      const next = this.#retries[0] ?? this.#buffer[0];
      const { strategy } = this.stored.settings;
      const consumer = next === undefined ? undefined : this.#consumers.choose(next, strategy);
      if (next === undefined || consumer === undefined) break;
      if (this.#retries[0] === next) this.#retries.shift();
      else this.#buffer.shift();
      this.#give(next, consumer);
    }
    if (this.#buffer.length < bufferLimit) {
      this.#wakeFeed?.();
      this.#wakeFeed = undefined;
    }
  }

  #give(message: GroupMessage, consumer: Consumer): void {
    const dueMilliseconds = Date.now() + this.stored.settings.messageTimeoutMilliseconds;
    this.#consumers.give(message, consumer, dueMilliseconds);
    if (!message.replayed && message.at > this.#sentUpTo) this.#sentUpTo = message.at;
    this.totalMessages += 1;
    consumer.send(message);
  }

  #settle(held: InFlight | undefined): void {
    if (held === undefined) return;
    this.#consumers.take(held);
    this.#acknowledgedSince += 1;
    if (this.#acknowledgedSince >= this.stored.settings.maxCheckpointCount) this.#storeCheckpoint();
  }

  #giveAgain(held: InFlight): void {
    this.#consumers.take(held);
    held.message.retries += 1;
    this.#retries.push(held.message);
  }

  async #retry(held: InFlight, reason: string): Promise<void> {
    if (held.message.retries >= this.stored.settings.maxRetryCount) await this.#park(held, reason);
    else this.#giveAgain(held);
  }

  /** The link is stored first, so that a crash between the two steps repeats the event instead of losing it. */
  async #park(held: InFlight, reason: string): Promise<void> {
    const event = held.message.resolved.link ?? held.message.resolved.event;
    if (event !== undefined) await this.#journal.park(event, reason);
    this.#settle(held);
  }

  #tick(): void {
    const now = Date.now();
    const { messageTimeoutMilliseconds, checkpointAfterMilliseconds, minCheckpointCount } =
      this.stored.settings;
    if (messageTimeoutMilliseconds > 0) {
      for (const held of this.#consumers.inFlight) {
        if (held.dueMilliseconds <= now) this.#retry(held, "timed out").catch(this.#onBug);
      }
    }
    const isTime = now - this.#checkpointedMilliseconds >= checkpointAfterMilliseconds;
    if (isTime && this.#acknowledgedSince >= Math.max(1, minCheckpointCount)) this.#storeCheckpoint();
    this.#dispatch();
  }

  /** All events up to here are acknowledged or parked. */
  #settledUpTo(): bigint {
    let lowest: GroupMessage | undefined;
    for (const message of [...this.#consumers.inFlight.map((held) => held.message), ...this.#retries]) {
      if (!message.replayed && (lowest === undefined || message.at < lowest.at)) lowest = message;
    }
    if (lowest !== undefined) return lowest.before;
    return this.#buffer.length === 0 ? this.#readUpTo : this.#sentUpTo;
  }

  #storeCheckpoint(): void {
    this.#acknowledgedSince = 0;
    this.#checkpointedMilliseconds = Date.now();
    const settled = this.#settledUpTo();
    if (settled <= this.#checkpoint) return;
    this.#checkpoint = settled;
    this.#journal.checkpoint(settled).catch((error: unknown) => {
      // A closed store stores no checkpoint; events since the last checkpoint are delivered again.
      if (!isStoreGone(error)) this.#onBug(error);
    });
  }
}

/** A function, because the compiler assumes that a field checked before an `await` is unchanged after it. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
