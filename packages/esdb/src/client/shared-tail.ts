import type { EventBatch, Position, RecordedEvent, SubscribeOptions } from "@hostledger/store";

import type { EventStoreDbLimits } from "./limits.ts";

/** What a tail is made of. */
export interface SharedTailOptions {
  /** Follows the log for all of them. */
  readonly follow: (options: SubscribeOptions) => AsyncIterable<EventBatch>;
  readonly limits: Pick<EventStoreDbLimits, "bufferedMessages" | "bufferedBytes" | "checkpointEvents">;
}

/** Where somebody stands who has reached the end of the log, and what he hears. */
export interface TailPlace {
  /** Everything up to here has been heard. */
  readonly after: Position;
  /** Undefined: every stream. */
  readonly prefixes: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Follows the log once for all subscriptions of a process that have reached its end: an event is sent and decoded once, however
 * many hear it. Who joins is not made to wait for the others, nor they for him: whoever takes too little falls out, and has to
 * come to the end by himself again.
 */
export class SharedTail {
  readonly #options: SharedTailOptions;
  readonly #members = new Set<TailMember>();
  /** The one subscription for all; its signal ends it. */
  #running: AbortController | undefined;
  /** What it hears: all that was asked for since somebody was there. Undefined: every stream. */
  #prefixes: readonly string[] | undefined = [];
  /** Everything up to here was passed on. */
  #position: Position = 0n;

  constructor(options: SharedTailOptions) {
    this.#options = options;
  }

  /** Goes on after a place; ends with the signal, or when the rest has to be heard elsewhere. Never throws. */
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

  /** Goes on as before where that is enough for the member; else anew, from where it brings everybody all that is missing. */
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

  /** Never rejects: whoever is left without goes on by himself, and hears of the reason. */
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
      // Each of them meets it by himself.
    }
    if (this.#running !== running) return;
    this.#running = undefined;
    for (const member of this.#members) member.end();
  }
}

/** One of those who hear. */
class TailMember {
  readonly prefixes: readonly string[] | undefined;
  readonly #limits: SharedTailOptions["limits"];
  #position: Position;
  #events: RecordedEvent[] = [];
  #bytes = 0;
  /** Events of others that have gone by since something was told. */
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

  /** Everything up to here was heard, or waits to be taken. */
  get position(): Position {
    return this.#position;
  }

  offer({ events, position, caughtUp }: EventBatch): void {
    // Whoever has fallen out stays a member until he looks again, which may take him long.
    if (this.#isOver) return;
    const { bufferedBytes, bufferedMessages, checkpointEvents } = this.#limits;
    for (const event of events) {
      if (event.position <= this.#position) continue;
      if (!hears(this.prefixes, event.stream)) {
        this.#passed += 1;
        continue;
      }
      this.#events.push(event);
      this.#bytes += event.data.length + event.metadata.length;
    }
    // The server tells of a place without events when so many have gone by that nobody hears.
    if (events.length === 0 && position > this.#position) this.#passed += checkpointEvents;
    if (position > this.#position) this.#position = position;
    this.#isCaughtUp = caughtUp;
    if (this.#events.length > bufferedMessages || this.#bytes > bufferedBytes) this.end();
    if (this.#isDue) this.#wake?.();
  }

  /** What has come; waits for it. Undefined: this is the end. */
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

  /** What waits to be taken is let go of: whoever goes on elsewhere hears it there. */
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

/** Whether a stream is among those that begin so. @param prefixes undefined: every stream. */
export function hears(prefixes: readonly string[] | undefined, stream: string): boolean {
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
