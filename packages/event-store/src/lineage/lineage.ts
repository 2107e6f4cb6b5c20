import { categoryOf, ownCategories, readMetadata, StoreRewoundError } from "@hostledger/core";
import type { Timing } from "@hostledger/runtime/async";

import type { EventStore, RecordedEvent, SeenEvent, StoreLineage } from "../event-store.port.ts";
import { compareSeen, type Comparison } from "./seen-event.ts";

/** How long after the first answer the store is asked again, in milliseconds: an answer in a moment of change proves nothing. */
const secondLookMs = 5_000;

/** Maximum events remembered, each the last one seen of its stream. */
const rememberedEvents = 32;

/** An event to compare the store with, and where it was in the log. */
export interface Remembered extends SeenEvent {
  readonly position: bigint;
}

/** What a lineage needs. */
export interface LineageOptions {
  readonly timing: Pick<Timing, "sleep">;
  /**
   * Called once for each loss that is proven, before anybody is told.
   * @param wasOpen true where this run of the process has seen the event, so that the store changed under it.
   */
  readonly onRewound: (lost: SeenEvent, wasOpen: boolean) => void;
}

/**
 * Notices when the store is put back to an older copy. It remembers the last events of ours that this process has seen, and
 * asks the store for them when a connection was made anew or an append met another revision. The store is rewound when the
 * leader, asked twice, lacks one of these events or holds another id at its revision.
 */
export class Lineage implements StoreLineage {
  readonly #options: LineageOptions;
  #store: Pick<EventStore, "read"> | undefined;
  #generation = 0;
  #series = 0;
  #ended = new AbortController();
  /** Why nothing is written; undefined while the store is trusted. */
  #refusal: string | undefined;
  /** Grows with every reason to compare. */
  #doubts = 0;
  #settledDoubts = 0;
  #checking: Promise<void> | undefined;
  /** In the order of their positions. */
  #remembered: Remembered[] = [];
  readonly #sequences = new Map<string, number>();

  constructor(options: LineageOptions) {
    this.#options = options;
  }

  /** Names the store that is asked. Before that nothing is compared. */
  attach(store: Pick<EventStore, "read">): void {
    this.#store = store;
  }

  get generation(): number {
    return this.#generation;
  }

  get series(): number {
    return this.#series;
  }

  get isRewound(): boolean {
    return this.#refusal !== undefined;
  }

  /** Aborts when what was read of the store until now is void. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The last events seen, in the order of their positions. */
  get remembered(): readonly Remembered[] {
    return this.#remembered;
  }

  /** The last id of each sequence that this process knows to be reserved. */
  get sequences(): ReadonlyMap<string, number> {
    return this.#sequences;
  }

  /** Remembers an event of ours; while there is a doubt, nothing new counts as seen. */
  note(event: Remembered): void {
    const last = this.#remembered.at(-1);
    if (this.#isInDoubt || (last !== undefined && event.position <= last.position)) return;
    const { stream, revision, id, position } = event;
    const others = this.#remembered.filter((other) => other.stream !== stream);
    const seen = { stream, revision, id, position, series: this.#series };
    this.#remembered = [...others.slice(1 - rememberedEvents), seen];
  }

  /** Remembers the last event of ours in a batch. */
  noteBatch(events: readonly RecordedEvent[]): void {
    const last = events.findLast(isOurs);
    if (last !== undefined) this.note(last);
  }

  /** Remembers how far a sequence is reserved. */
  noteSequence(name: string, last: number): void {
    if (last > (this.#sequences.get(name) ?? 0)) this.#sequences.set(name, last);
  }

  /** The connection broke, or an append met another revision: the store is compared before the next append. */
  doubt(): void {
    this.#doubts += 1;
  }

  /**
   * Waits until the store was compared, where there is a doubt.
   * @throws EventStoreUnavailableError the store does not answer.
   */
  async settled(): Promise<void> {
    while (this.#isInDoubt) {
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined;
      });
      await this.#checking;
    }
  }

  /**
   * Waits until an append to a stream may be sent.
   * @throws StoreRewoundError while nothing may be written, and EventStoreUnavailableError.
   */
  async admit(stream: string): Promise<void> {
    if (!isCompared(stream)) return;
    await this.settled();
    if (this.#refusal !== undefined) throw new StoreRewoundError(this.#refusal);
  }

  /** Compares the store with what an earlier run of this process remembered. */
  async resume(remembered: readonly Remembered[]): Promise<void> {
    const decisive = await this.#firstDecisive(remembered.filter((seen) => !this.isAccepted(seen)));
    if (decisive?.outcome === "missing") this.#rewind(decisive.seen, false);
    // A store that was moved gives its events other positions.
    else if (decisive?.outcome === "same" && decisive.position !== decisive.seen.position)
      this.#remembered = [{ ...decisive.seen, position: decisive.position }];
    else this.#remembered = [...remembered];
  }

  async suspect(seen: SeenEvent): Promise<void> {
    if (this.isRewound || this.isAccepted(seen)) return;
    if ((await this.#lookTwice(seen)).outcome === "missing") this.#rewind(seen, false);
  }

  /** True where the event was seen before staff accepted a copy that may lack it. */
  isAccepted({ series = 0 }: SeenEvent): boolean {
    return series < this.#series;
  }

  /**
   * Waits until an append that began under a generation may be sent, or sent again.
   * @throws StoreRewoundError the store is another copy now.
   */
  async admitUnder(generation: number): Promise<void> {
    await this.settled();
    if (generation !== this.#generation) throw new StoreRewoundError(this.#refusal ?? anotherCopy);
  }

  /** Nothing is written until the store is accepted; the reason is a sentence. */
  refuse(reason: string): void {
    this.#refusal ??= reason;
  }

  /** Staff have accepted the store as it is. */
  accept(): void {
    this.#refusal = undefined;
  }

  /** Takes note of how often staff have accepted an older copy. */
  noteSeries(series: number): void {
    this.#series = series;
  }

  get #isInDoubt(): boolean {
    return this.#doubts > this.#settledDoubts;
  }

  async #check(): Promise<void> {
    const doubts = this.#doubts;
    const decisive = await this.#firstDecisive(this.#remembered);
    if (decisive?.outcome === "missing") this.#rewind(decisive.seen, true);
    this.#settledDoubts = doubts;
  }

  /** The last event seen of which the store says anything. The log is a line: that event speaks for all before it. */
  async #firstDecisive(
    remembered: readonly Remembered[],
  ): Promise<
    | { readonly seen: Remembered; readonly outcome: "same"; readonly position: bigint }
    | { readonly seen: Remembered; readonly outcome: "missing" }
    | undefined
  > {
    for (const seen of remembered.toReversed()) {
      const found = await this.#lookTwice(seen);
      if (found.outcome === "same") return { seen, outcome: "same", position: found.event.position };
      if (found.outcome === "missing") return { seen, outcome: "missing" };
    }
    return undefined;
  }

  async #lookTwice(seen: SeenEvent): Promise<Comparison> {
    if (this.#store === undefined) return { outcome: "unknown" };
    const first = await compareSeen(this.#store, seen);
    if (first.outcome !== "missing") return first;
    await this.#options.timing.sleep(secondLookMs);
    return compareSeen(this.#store, seen);
  }

  #rewind(lost: SeenEvent, wasOpen: boolean): void {
    this.#refusal = `the event store was put back to an older copy: it lacks event ${String(lost.revision)} of ${lost.stream}`;
    this.#generation += 1;
    this.#remembered = [];
    this.#options.onRewound(lost, wasOpen);
    const ended = this.#ended;
    this.#ended = new AbortController();
    ended.abort();
  }
}

/** What a caller is told whose append belongs to a copy that is gone. */
const anotherCopy = "the event store was put back to an older copy";

const categories = new Set(ownCategories);

/** Streams that are written whatever the state of the store: events about that state, causes of tickets, and the use of credentials. */
const alwaysWritten = new Set(["auditor", "clock", "rewind", "ticketcause"]);

/** True where a stream holds events that the comparison may go by. */
export function isCompared(stream: string): boolean {
  const category = categoryOf(stream);
  return categories.has(category) && !alwaysWritten.has(category) && category !== "transfer";
}

/** An event of ours: in a stream of ours, with metadata of ours. */
function isOurs({ stream, metadata }: RecordedEvent): boolean {
  if (!isCompared(stream)) return false;
  try {
    readMetadata(metadata);
    return true;
  } catch {
    return false;
  }
}
