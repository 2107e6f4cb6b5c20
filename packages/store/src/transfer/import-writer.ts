import { appendLimits, type EventStore } from "../event-store.port.ts";
import { OriginalTimesWriter } from "./original-times.ts";
import type { TransferEvent } from "./transfer-file.codec.ts";

/** Maximum appends in progress, and their bytes, if the engine keeps their order. */
const inFlightLimit = 1_000;
const inFlightBytes = 32 * 1_048_576;

/**
 * Appends events in log order. Consecutive events of one stream share an append. If the engine has `restore`, many
 * appends may be in progress, because it keeps the order of calls. Any other engine gets the next append after the
 * answer, because a retry could change the order of the log.
 */
export class ImportWriter {
  readonly #store: EventStore;
  readonly #times: OriginalTimesWriter | undefined;
  #skip: number;
  #group: TransferEvent[] = [];
  #groupBytes = 0;
  #inFlight: { readonly bytes: number; readonly outcome: Promise<unknown> }[] = [];
  #bytesInFlight = 0;

  /** @param present number of events already in the store, which are skipped. */
  constructor(store: EventStore, present: number) {
    this.#store = store;
    this.#skip = present;
    this.#times = store.restore === undefined ? new OriginalTimesWriter(store) : undefined;
  }

  /** Takes the next event of the file. @throws Error the error of an earlier append. */
  async take(event: TransferEvent): Promise<void> {
    if (this.#skip > 0) {
      this.#skip -= 1;
      await this.#times?.add(event.time);
      return;
    }
    const bytes = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata);
    if (!this.#joins(event, bytes)) await this.#send();
    this.#group.push(event);
    this.#groupBytes += bytes;
  }

  async finish(): Promise<void> {
    await this.#send();
    while (this.#inFlight.length > 0) await this.#awaitOldest();
    await this.#times?.flush();
  }

  #joins(event: TransferEvent, bytes: number): boolean {
    const first = this.#group[0];
    if (first === undefined) return true;
    return (
      first.stream === event.stream &&
      (this.#store.restore === undefined || first.time === event.time) &&
      this.#group.length < appendLimits.joinedEvents &&
      this.#groupBytes + bytes <= appendLimits.bytes
    );
  }

  async #send(): Promise<void> {
    const events = this.#group;
    const first = events[0];
    if (first === undefined) return;
    const bytes = this.#groupBytes;
    this.#group = [];
    this.#groupBytes = 0;
    const expected = first.revision === 0n ? "no-stream" : first.revision - 1n;
    if (this.#store.restore === undefined) {
      await this.#store.append(first.stream, expected, events.map(toAppend));
      for (const { time } of events) await this.#times?.add(time);
      return;
    }
    const outcome = this.#store.restore(first.stream, expected, events);
    // Awaited below. Without this handler, an earlier failure would count as unhandled.
    outcome.catch(() => undefined);
    this.#inFlight.push({ bytes, outcome });
    this.#bytesInFlight += bytes;
    while (this.#inFlight.length >= inFlightLimit || this.#bytesInFlight > inFlightBytes)
      await this.#awaitOldest();
  }

  async #awaitOldest(): Promise<void> {
    const oldest = this.#inFlight.shift();
    if (oldest === undefined) return;
    this.#bytesInFlight -= oldest.bytes;
    await oldest.outcome;
  }
}

function toAppend({ id, type, data, metadata }: TransferEvent) {
  return { id, type, data, metadata };
}
