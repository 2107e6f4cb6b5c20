import type { DomainEvent } from "@hostledger/core";
import {
  contradictionsIn,
  isMended,
  type CodecOfCategory,
  type Contradictions,
  type EventStore,
  type RecordedEvent,
} from "@hostledger/event-store";

import type { EventInput } from "./event-input.ts";
import type { Materialisation } from "./materialisation.ts";

/** Earlier events of a stream that are looked through for the account that it belongs to. */
const earlierEventsLimit = 1_000;

/** A stream that stopped in a projection. */
export interface NewStop {
  readonly projection: string;
  readonly stream: string;
  readonly reason: string;
}

/** Decides what becomes of streams whose events cannot be taken. */
export class Stopping {
  readonly #store: Pick<EventStore, "read">;
  readonly #contradictions: Contradictions;

  constructor(store: Pick<EventStore, "read" | "lineage">, codecOf: CodecOfCategory) {
    this.#store = store;
    this.#contradictions = contradictionsIn(store, codecOf);
  }

  /**
   * Looks for events that cannot be read or contradict their streams, before any of their rows is written: those that staff had passed over are, and all
   * others stop their streams in every projection that follows them.
   * @returns the streams that stopped now. @throws what the store throws.
   */
  async stopBefore<Event extends DomainEvent>(
    all: readonly Materialisation<Event>[],
    inputs: readonly EventInput<Event>[],
  ): Promise<readonly NewStop[]> {
    const stops: NewStop[] = [];
    for (const input of inputs) {
      if (all.some((each) => each.follows(input))) await this.#compare(input);
      const concerned = all.filter((each) => each.isStoppedBy(input));
      for (const each of concerned) {
        const stop = await this.stopOrPass(each, input, input.verdict);
        if (stop !== undefined) stops.push(stop);
      }
    }
    return stops;
  }

  /** Holds an event against those before it in its stream. */
  async #compare(input: EventInput<DomainEvent>): Promise<void> {
    if (input.verdict !== "readable") return;
    const contradiction = await this.#contradictions.of(input.recorded);
    if (contradiction !== undefined) input.contradict(contradiction);
  }

  /**
   * Stops the stream of an event in a projection, unless staff had the event passed over.
   * @throws what the store throws.
   */
  async stopOrPass<Event extends DomainEvent>(
    target: Materialisation<Event>,
    input: EventInput<Event>,
    cause: unknown,
  ): Promise<NewStop | undefined> {
    const { recorded } = input;
    const { name } = target.projection;
    if (await isMended(this.#store, recorded)) {
      target.pass(input);
      return undefined;
    }
    const { stream, reason } = target.stop(input, cause, await this.#accountOf(recorded));
    return { projection: name, stream, reason };
  }

  /** The account that the events of the stream before this one name last. */
  async #accountOf({ stream, revision }: RecordedEvent): Promise<number | undefined> {
    if (revision === 0n) return undefined;
    const options = { from: revision - 1n, direction: "backwards", limit: earlierEventsLimit } as const;
    for await (const { data } of this.#store.read(stream, options)) {
      const accountId = accountIn(data);
      if (accountId !== undefined) return accountId;
    }
    return undefined;
  }
}

function accountIn(text: string): number | undefined {
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data !== "object" || data === null || !("accountId" in data)) return undefined;
    return Number.isSafeInteger(data.accountId) ? Number(data.accountId) : undefined;
  } catch {
    return undefined;
  }
}
