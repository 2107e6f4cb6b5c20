import type { RecordedEvent } from "@hostledger/event-store";
import { every, type CallOff } from "@hostledger/runtime/async";

import { compileFilter } from "./event-filter.ts";
import { isStoreGone } from "./failure.ts";
import type { GroupJournal } from "./group-journal.codec.ts";
import type { GroupMessage } from "./group-message.ts";
import { followStream, type StreamSources } from "./stream-following.ts";
import { allSource, type StoredGroup } from "./persistent-settings.codec.ts";

/** A connected client. */
export interface Consumer {
  /** Messages it takes without acknowledging. */
  readonly mostInFlight: number;
  readonly from: string;
  readonly name: string;
  send(message: GroupMessage): void;
  /** Ends the connection because the group ended or changed, or the client asked for it. */
  drop(): void;
}

interface InFlight {
  readonly message: GroupMessage;
  readonly consumer: Consumer;
  readonly dueMilliseconds: number;
}

/** What a consumer says of a message it could not handle. */
export type NackAction = "park" | "retry" | "skip" | "stop";

/** Events read ahead at most, whatever the settings say. */
const bufferLimit = 1_000;
const tickMilliseconds = 200;

/**
 * One consumer group: reads its source from the checkpoint, gives each event to one of its consumers, and gives it again
 * when it is not acknowledged in time. At least once: after a crash it goes on from the last checkpoint.
 */
export class PersistentGroup {
  readonly stored: StoredGroup;
  readonly #sources: StreamSources;
  readonly #journal: GroupJournal;
  readonly #onBug: (error: unknown) => void;
  readonly #consumers: Consumer[] = [];
  readonly #buffer: GroupMessage[] = [];
  readonly #retries: GroupMessage[] = [];
  readonly #inFlight = new Map<string, InFlight[]>();
  readonly #load = new Map<Consumer, number>();
  #feed: AbortController | undefined;
  #wakeFeed: (() => void) | undefined;
  #readUpTo: bigint;
  #sentUpTo: bigint;
  #checkpoint: bigint;
  #acknowledgedSince = 0;
  #checkpointedMilliseconds = Date.now();
  #turn = 0;
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
    return this.#consumers;
  }

  get checkpoint(): bigint {
    return this.#checkpoint;
  }

  get counts(): { readonly buffered: number; readonly retrying: number; readonly inFlight: number } {
    return {
      buffered: this.#buffer.length,
      retrying: this.#retries.length,
      inFlight: [...this.#load.values()].reduce((sum, load) => sum + load, 0),
    };
  }

  inFlightOf(consumer: Consumer): number {
    return this.#load.get(consumer) ?? 0;
  }

  connect(consumer: Consumer): void {
    this.#consumers.push(consumer);
    this.#load.set(consumer, 0);
    this.#stopTicking ??= every(tickMilliseconds, () => {
      this.#tick();
    });
    if (this.#feed === undefined) this.#startFeed();
    this.#dispatch();
  }

  /** What the consumer held goes to the others; with the last one the group rests. */
  disconnect(consumer: Consumer): void {
    const index = this.#consumers.indexOf(consumer);
    if (index < 0) return;
    this.#consumers.splice(index, 1);
    for (const held of [...this.#inFlight.values()].flat()) {
      if (held.consumer === consumer) this.#giveAgain(held);
    }
    this.#load.delete(consumer);
    if (this.#consumers.length === 0) this.rest();
    this.#dispatch();
  }

  acknowledge(consumer: Consumer, ids: readonly string[]): void {
    for (const id of ids) this.#settle(this.#held(consumer, id));
    this.#dispatch();
  }

  async refuse(
    consumer: Consumer,
    action: NackAction,
    reason: string,
    ids: readonly string[],
  ): Promise<void> {
    for (const id of ids) {
      const held = this.#held(consumer, id);
      if (held === undefined) continue;
      if (action === "park") await this.#park(held, reason);
      else if (action === "retry") await this.#retry(held, reason);
      else this.#settle(held);
    }
    if (action === "stop") consumer.drop();
    this.#dispatch();
  }

  /** Gives parked messages again. */
  replay(messages: readonly GroupMessage[]): void {
    this.#retries.push(...messages);
    this.#dispatch();
  }

  dropAll(): void {
    for (const consumer of [...this.#consumers]) consumer.drop();
    this.rest();
  }

  /** Stops reading, and stores the checkpoint. */
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
        // The consumers hear that the group ended; they connect again and the feed goes on from where it was.
        if (this.#feed === feed) this.dropAll();
      });
  }

  async #run(signal: AbortSignal): Promise<void> {
    for await (const { events, upTo } of this.#source(signal)) {
      for (const event of events) {
        const resolved = await this.#sources.reading.resolve(event, this.stored.settings.resolveLinks);
        if (signal.aborted) return;
        const at = this.#placeOf(event);
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

  async *#source(
    signal: AbortSignal,
  ): AsyncGenerator<{ events: readonly RecordedEvent[]; upTo: bigint | undefined }, void, undefined> {
    const { source } = this.stored;
    const after = this.#readUpTo;
    if (source !== allSource) {
      const from = after < 0n ? "start" : after;
      for await (const { events } of followStream(this.#sources, source, from, signal))
        yield { events, upTo: undefined };
      return;
    }
    const filter = compileFilter(this.stored.filter);
    const matches =
      filter?.matches ?? ((event: RecordedEvent) => !event.stream.startsWith("$persistentsubscription-"));
    const from = after <= 0n ? "start" : after;
    for await (const { events, position } of this.#sources.store.subscribe({ from, signal })) {
      yield { events: events.filter(matches), upTo: position };
    }
  }

  #placeOf(event: RecordedEvent): bigint {
    return this.stored.source === allSource ? event.position : event.revision;
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeFeed = resolve;
    });
  }

  #dispatch(): void {
    for (;;) {
      const next = this.#retries[0] ?? this.#buffer[0];
      const consumer = next === undefined ? undefined : this.#choose(next);
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

  #choose(message: GroupMessage): Consumer | undefined {
    const free = (consumer: Consumer | undefined): consumer is Consumer =>
      consumer !== undefined && this.inFlightOf(consumer) < consumer.mostInFlight;
    const count = this.#consumers.length;
    if (count === 0) return undefined;
    const { strategy } = this.stored.settings;
    if (strategy === "Pinned") {
      const stream = (message.resolved.event ?? message.resolved.link)?.stream ?? "";
      const pinned = this.#consumers[hash(stream) % count];
      return free(pinned) ? pinned : undefined;
    }
    const first = strategy === "RoundRobin" ? this.#turn : 0;
    for (let step = 0; step < count; step += 1) {
      const consumer = this.#consumers[(first + step) % count];
      if (!free(consumer)) continue;
      this.#turn = (first + step + 1) % count;
      return consumer;
    }
    return undefined;
  }

  #give(message: GroupMessage, consumer: Consumer): void {
    const dueMilliseconds = Date.now() + this.stored.settings.messageTimeoutMilliseconds;
    const held = this.#inFlight.get(message.id) ?? [];
    held.push({ message, consumer, dueMilliseconds });
    this.#inFlight.set(message.id, held);
    this.#load.set(consumer, this.inFlightOf(consumer) + 1);
    if (!message.replayed && message.at > this.#sentUpTo) this.#sentUpTo = message.at;
    this.totalMessages += 1;
    consumer.send(message);
  }

  /** An event id may be in the log twice, so one acknowledgement settles one message. */
  #held(consumer: Consumer, id: string): InFlight | undefined {
    return this.#inFlight.get(id)?.find((held) => held.consumer === consumer);
  }

  #take(held: InFlight): void {
    const rest = (this.#inFlight.get(held.message.id) ?? []).filter((other) => other !== held);
    if (rest.length === 0) this.#inFlight.delete(held.message.id);
    else this.#inFlight.set(held.message.id, rest);
    if (this.#load.has(held.consumer)) this.#load.set(held.consumer, this.inFlightOf(held.consumer) - 1);
  }

  #settle(held: InFlight | undefined): void {
    if (held === undefined) return;
    this.#take(held);
    this.#acknowledgedSince += 1;
    if (this.#acknowledgedSince >= this.stored.settings.maxCheckpointCount) this.#storeCheckpoint();
  }

  #giveAgain(held: InFlight): void {
    this.#take(held);
    held.message.retries += 1;
    this.#retries.push(held.message);
  }

  async #retry(held: InFlight, reason: string): Promise<void> {
    if (held.message.retries >= this.stored.settings.maxRetryCount) await this.#park(held, reason);
    else this.#giveAgain(held);
  }

  /** The link is stored first: a crash between the two gives the event again rather than losing it. */
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
      for (const held of [...this.#inFlight.values()].flat()) {
        if (held.dueMilliseconds <= now) this.#retry(held, "timed out").catch(this.#onBug);
      }
    }
    const isTime = now - this.#checkpointedMilliseconds >= checkpointAfterMilliseconds;
    if (isTime && this.#acknowledgedSince >= Math.max(1, minCheckpointCount)) this.#storeCheckpoint();
    this.#dispatch();
  }

  /** Everything up to here is settled. */
  #settledUpTo(): bigint {
    let lowest: GroupMessage | undefined;
    for (const message of [
      ...[...this.#inFlight.values()].flat().map((held) => held.message),
      ...this.#retries,
    ]) {
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
      // A store that is gone keeps no checkpoint: what was settled since the last one is given again.
      if (!isStoreGone(error)) this.#onBug(error);
    });
  }
}

/** Asked through a function, since the compiler takes what it saw before an `await` for still true. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

function hash(text: string): number {
  let value = 0;
  for (let index = 0; index < text.length; index += 1)
    value = (value * 31 + text.charCodeAt(index)) % 2_147_483_647;
  return value;
}
