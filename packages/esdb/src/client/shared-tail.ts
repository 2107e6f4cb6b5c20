import type { EventBatch, Position, RecordedEvent, SubscribeOptions } from "@hostledger/store";

import type { EventStoreDbLimits } from "./limits.ts";

export interface SharedTailOptions {
  /** Follows the log for all members. */
  readonly follow: (options: SubscribeOptions) => AsyncIterable<EventBatch>;
  readonly limits: Pick<EventStoreDbLimits, "bufferedMessages" | "bufferedBytes" | "checkpointEvents">;
}

/** A member's place at the end of the log, and its streams. */
export interface TailPlace {
  /** The member received everything up to this position. */
  readonly after: Position;
  /** Undefined means every stream. */
  readonly prefixes: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * One subscription for all members of a process that have reached the end of the log, so that each event is sent and
 * decoded once. Members do not wait for each other: a slow member is dropped and must catch up by itself.
 */
export class SharedTail {
  readonly #options: SharedTailOptions;
  readonly #members = new Set<TailMember>();
  /** Its signal ends the one subscription. */
  #running: AbortController | undefined;
  /** Streams of the subscription: all that current members asked for. Undefined means every stream. */
  #prefixes: readonly string[] | undefined = [];
  /** Everything up to this position was passed to the members. */
  #position: Position = 0n;

  constructor(options: SharedTailOptions) {
    this.#options = options;
  }

  /** Runs from a position until the signal aborts or the rest must be read elsewhere. Never throws. */
  async *after({ after, prefixes, signal }: TailPlace): AsyncGenerator<EventBatch, void, undefined> {
    const member = new TailMember(after, prefixes, this.#options.limits);
    const leave = (): void => {
      member.end();
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#members.add(member);
    try {
      if (signal.aborted) return;
      this.#include(member);
      for (let batch = await member.take(); batch !== undefined; batch = await member.take()) yield batch;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#members.delete(member);
      if (this.#members.size === 0) this.#stop();
    }
  }

  /**
   * Continues the running subscription if it has the member's streams; otherwise starts a new one at the earliest
   * missing position.
   */
  #include({ position, prefixes }: TailMember): void {
    const isRunning = this.#running !== undefined;
    if (isRunning && position >= this.#position && covers(this.#prefixes, prefixes)) return;
    const from = isRunning && this.#position < position ? this.#position : position;
    this.#prefixes = isRunning ? union(this.#prefixes, prefixes) : prefixes;
    this.#stop();
    const running = new AbortController();
    this.#running = running;
    this.#position = from;
    void this.#run(from, running);
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  /** Never rejects: dropped members continue by themselves and get the reason. */
  async #run(from: Position, running: AbortController): Promise<void> {
    const { signal } = running;
    const streams = this.#prefixes === undefined ? {} : { streamPrefixes: this.#prefixes };
    try {
      const batches = this.#options.follow({ from: from === 0n ? "start" : from, ...streams, signal });
      for await (const batch of batches) {
        if (signal.aborted) return;
        for (const member of this.#members) member.offer(batch);
        this.#position = batch.position;
      }
    } catch {
      // Each dropped member meets the same error by itself.
    }
    if (this.#running !== running) return;
    this.#running = undefined;
    for (const member of this.#members) member.end();
  }
}

class TailMember {
  readonly prefixes: readonly string[] | undefined;
  readonly #limits: SharedTailOptions["limits"];
  #position: Position;
  #events: RecordedEvent[] = [];
  #bytes = 0;
  /** Events of other streams since the last message to the member. */
  #passed = 0;
  #isCaughtUp = true;
  #wasCaughtUp = true;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(
    position: Position,
    prefixes: readonly string[] | undefined,
    limits: SharedTailOptions["limits"],
  ) {
    this.#position = position;
    this.prefixes = prefixes;
    this.#limits = limits;
  }

  /** Everything up to this position was received or is buffered. */
  get position(): Position {
    return this.#position;
  }

  offer({ events, position, caughtUp }: EventBatch): void {
    // A dropped member stays in the list until it takes its next events, which may be much later.
    if (this.#isOver) return;
    const { bufferedBytes, bufferedMessages, checkpointEvents } = this.#limits;
    for (const event of events) {
      if (event.position <= this.#position) continue;
      if (!matchesPrefixes(this.prefixes, event.stream)) {
        this.#passed += 1;
        continue;
      }
      this.#events.push(event);
      this.#bytes += event.data.length + event.metadata.length;
    }
    // After this many events of other streams, the member gets a position without events.
    if (events.length === 0 && position > this.#position) this.#passed += checkpointEvents;
    if (position > this.#position) this.#position = position;
    this.#isCaughtUp = caughtUp;
    if (this.#events.length > bufferedMessages || this.#bytes > bufferedBytes) this.end();
    if (this.#isDue) this.#wake?.();
  }

  /** Returns the buffered events; waits if there are none. Undefined is the end. */
  async take(): Promise<EventBatch | undefined> {
    while (!this.#isOver && !this.#isDue)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#wake = undefined;
    if (this.#isOver) return undefined;
    const batch = { events: this.#events, position: this.#position, caughtUp: this.#isCaughtUp };
    this.#events = [];
    this.#bytes = 0;
    this.#passed = 0;
    this.#wasCaughtUp = this.#isCaughtUp;
    return batch;
  }

  /** Discards buffered events, because the member will read them elsewhere. */
  end(): void {
    this.#isOver = true;
    this.#events = [];
    this.#wake?.();
  }

  get #isDue(): boolean {
    if (this.#events.length > 0 || this.#passed >= this.#limits.checkpointEvents) return true;
    return this.#isCaughtUp && !this.#wasCaughtUp;
  }
}

/** Returns true if the stream has one of the prefixes. @param prefixes undefined means every stream. */
export function matchesPrefixes(prefixes: readonly string[] | undefined, stream: string): boolean {
  return prefixes === undefined || prefixes.some((prefix) => stream.startsWith(prefix));
}

function covers(all: readonly string[] | undefined, some: readonly string[] | undefined): boolean {
  if (all === undefined) return true;
  return some?.every((prefix) => all.some((each) => prefix.startsWith(each))) ?? false;
}

function union(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  return one === undefined || other === undefined ? undefined : [...new Set([...one, ...other])];
}
