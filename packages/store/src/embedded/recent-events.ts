import type { RecordedEvent } from "../event-store.port.ts";

/** Limits of the memory for live subscriptions: events, and characters of data and metadata. */
const eventLimit = 8_192;
const characterLimit = 16 * 1_048_576;

/**
 * The end of the log in memory: a ring buffer in which live subscriptions find new events without reading the file. A
 * subscription that is further behind reads the file. Positions of the embedded store have no gaps, so a position is an
 * index.
 */
export class RecentEvents {
  readonly #ring: (RecordedEvent | undefined)[] = new Array<RecordedEvent | undefined>(eventLimit).fill(
    undefined,
  );
  #first: number;
  #last: number;
  #characters = 0;

  /** @param last position of the log's last event at opening; 0 if the log is empty. */
  constructor(last: number) {
    this.#first = last + 1;
    this.#last = last;
  }

  get last(): number {
    return this.#last;
  }

  push(event: RecordedEvent): void {
    this.#last += 1;
    if (this.#last - this.#first >= eventLimit) this.#forgetFirst();
    this.#ring[this.#last % eventLimit] = event;
    this.#characters += sizeOf(event);
    while (this.#characters > characterLimit) this.#forgetFirst();
  }

  /** Returns at most `limit` events after the position; undefined if some are no longer in memory. */
  after(position: number, limit: number): readonly RecordedEvent[] | undefined {
    if (position + 1 < this.#first) return undefined;
    const events: RecordedEvent[] = [];
    const end = Math.min(this.#last, position + limit);
    for (let at = position + 1; at <= end; at += 1) {
      const event = this.#ring[at % eventLimit];
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  #forgetFirst(): void {
    const slot = this.#first % eventLimit;
    const event = this.#ring[slot];
    if (event !== undefined) this.#characters -= sizeOf(event);
    this.#ring[slot] = undefined;
    this.#first += 1;
  }
}

function sizeOf(event: RecordedEvent): number {
  return event.data.length + event.metadata.length;
}
