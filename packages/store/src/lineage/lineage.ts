import {
  categoryOf,
  ownCategories,
  readMetadata,
  seriesName,
  StoreRewoundError,
  TemporarilyUnavailableError,
} from "@hostledger/core";
import type { Timing } from "@hostledger/runtime/async";

import type { EventStore, RecordedEvent, SeenEvent, StoreLineage } from "../event-store.port.ts";

/** Delay before the second comparison in milliseconds, because an answer during a failover proves nothing. */
const secondLookMs = 5_000;

/** Maximum events remembered, each the last one read of its stream. */
const rememberedEvents = 32;

export interface Remembered extends SeenEvent {
  readonly position: bigint;
}

export interface LineageOptions {
  readonly timing: Pick<Timing, "sleep">;
  /**
   * Called once for each proven loss, before any caller gets an error.
   * @param wasOpen true if this process read the event itself, so the store changed during its run.
   */
  readonly onRewound: (lost: SeenEvent, wasOpen: boolean) => void;
}

/**
 * Detects that the store was restored from an older backup. It remembers the last own events that this process has read.
 * After a reconnection or a revision conflict it looks for them in the store. The store is rewound if the leader, asked
 * twice, lacks one of these events or has another id at its revision.
 */
export class Lineage implements StoreLineage {
  readonly #options: LineageOptions;
  #store: Pick<EventStore, "read"> | undefined;
  #generation = 0;
  #series = 0;
  #ended = new AbortController();
  /** Reason why nothing may be written; undefined while the store is trusted. */
  #refusal: string | undefined;
  /** Number of reasons to compare so far. */
  #invalidations = 0;
  #provenInvalidations = 0;
  #checking: Promise<void> | undefined;
  #remembered: Remembered[] = [];
  readonly #sequences = new Map<string, number>();

  constructor(options: LineageOptions) {
    this.#options = options;
  }

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

  /** Aborts when everything read from the store so far is invalid. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get remembered(): readonly Remembered[] {
    return this.#remembered;
  }

  /** The highest reserved id of each sequence, and the last series of documents, as far as this process knows. */
  get sequences(): ReadonlyMap<string, number> {
    return this.#sequences;
  }

  /** Remembers an own event. Before a pending comparison is done, new events are ignored. */
  note(event: Remembered): void {
    const last = this.#remembered.at(-1);
    if (this.#isInDoubt || (last !== undefined && event.position <= last.position)) return;
    const { stream, revision, id, position } = event;
    const others = this.#remembered.filter((other) => other.stream !== stream);
    const seen = { stream, revision, id, position, series: this.#series };
    this.#remembered = [...others.slice(1 - rememberedEvents), seen];
  }

  noteBatch(events: readonly RecordedEvent[]): void {
    const last = events.findLast(isOurs);
    if (last !== undefined) this.note(last);
  }

  noteSequence(name: string, last: number): void {
    if (last > (this.#sequences.get(name) ?? 0)) this.#sequences.set(name, last);
  }

  /** Requests a comparison before the next append, after a lost connection or a revision conflict. */
  invalidate(): void {
    this.#invalidations += 1;
  }

  /** Waits for a pending comparison. @throws EventStoreUnavailableError the store does not answer. */
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

  /** Compares the store with the events that an earlier run of this process remembered. */
  async resume(remembered: readonly Remembered[]): Promise<void> {
    const decisive = await this.#firstDecisive(remembered.filter((seen) => !this.isAccepted(seen)));
    if (decisive?.outcome === "missing") this.#rewind(decisive.seen, false);
    // A moved store gives its events other positions.
    else if (decisive?.outcome === "same" && decisive.position !== decisive.seen.position)
      this.#remembered = [{ ...decisive.seen, position: decisive.position }];
    else this.#remembered = [...remembered];
  }

  async suspect(seen: SeenEvent): Promise<void> {
    if (this.isRewound || this.isAccepted(seen)) return;
    if ((await this.#lookTwice(seen)).outcome === "missing") this.#rewind(seen, false);
  }

  /** True if staff accepted an older backup after the event was read, so the store may lack it. */
  isAccepted({ series = 0 }: SeenEvent): boolean {
    return series < this.#series;
  }

  /**
   * Waits until an append of this generation may be sent or repeated.
   * @throws StoreRewoundError the store is now another copy.
   */
  async admitUnder(generation: number): Promise<void> {
    await this.settled();
    if (generation !== this.#generation) throw new StoreRewoundError(this.#refusal ?? anotherCopy);
  }

  refuse(reason: string): void {
    this.#refusal ??= reason;
  }

  /** Allows appends again after staff accepted the store. */
  accept(): void {
    this.#refusal = undefined;
  }

  /** Notes the number of older backups that staff have accepted. */
  noteSeries(series: number): void {
    this.#series = series;
    if (series > 0) this.noteSequence(seriesName, series);
  }

  get #isInDoubt(): boolean {
    return this.#invalidations > this.#provenInvalidations;
  }

  async #check(): Promise<void> {
    const invalidations = this.#invalidations;
    const decisive = await this.#firstDecisive(this.#remembered);
    if (decisive?.outcome === "missing") this.#rewind(decisive.seen, true);
    this.#provenInvalidations = invalidations;
  }

  /**
   * Returns the last remembered event with a definite comparison. The log is linear, so that event decides for all
   * earlier ones.
   */
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
    this.#refusal = `the event store was restored from an older backup: it lacks event ${String(lost.revision)} of ${lost.stream}`;
    this.#generation += 1;
    this.#remembered = [];
    this.#options.onRewound(lost, wasOpen);
    const ended = this.#ended;
    this.#ended = new AbortController();
    ended.abort();
  }
}

/** Error sentence for an append to a copy that was replaced. */
const anotherCopy = "the event store was restored from an older backup";

const categories = new Set(ownCategories);

/** Categories that are always written: events about the store's state, causes of tickets, and uses of credentials. */
const alwaysWritten = new Set(["auditor", "clock", "rewind", "ticketcause"]);

/** True if comparisons may use the events of this stream. */
export function isCompared(stream: string): boolean {
  const category = categoryOf(stream);
  return categories.has(category) && !alwaysWritten.has(category) && category !== "transfer";
}

/** True for an own event: stream and metadata are ours. */
function isOurs({ stream, metadata }: RecordedEvent): boolean {
  if (!isCompared(stream)) return false;
  try {
    readMetadata(metadata);
    return true;
  } catch {
    return false;
  }
}

/** Result of a comparison: the event is there, is missing, or nothing can be concluded. */
type Comparison =
  | { readonly outcome: "same"; readonly event: RecordedEvent }
  | { readonly outcome: "missing" }
  | { readonly outcome: "unknown" };

/** Read options that make the leader answer from its disk. */
const confirmed = { limit: 1, fromLeader: true } as const;

/**
 * Looks for an event that was read before. A stream that was deleted, scavenged or cut by its metadata proves nothing.
 * @throws EventStoreUnavailableError the store does not answer.
 */
async function compareSeen(
  store: Pick<EventStore, "read">,
  { stream, revision, id }: SeenEvent,
): Promise<Comparison> {
  try {
    for await (const event of store.read(stream, { ...confirmed, from: revision })) {
      if (event.revision !== revision) return { outcome: "unknown" };
      return event.id === id ? { outcome: "same", event } : { outcome: "missing" };
    }
    for await (const _event of store.read(stream, { ...confirmed, direction: "backwards" }))
      return { outcome: "missing" };
    return (await isCut(store, stream)) ? { outcome: "unknown" } : { outcome: "missing" };
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError) throw error;
    // A tombstone, or metadata that this user may not read.
    return { outcome: "unknown" };
  }
}

/** True if the metadata of a stream lets the store drop its events. */
async function isCut(store: Pick<EventStore, "read">, stream: string): Promise<boolean> {
  for await (const { data } of store.read(`$$${stream}`, { ...confirmed, direction: "backwards" }))
    return /"\$(tb|maxAge|maxCount)"/.test(data);
  return false;
}
