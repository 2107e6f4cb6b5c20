import type { DomainEvent } from "@hostledger/core";
import {
  contradictionsIn,
  isMended,
  type CodecOfCategory,
  type Contradictions,
  type EventStore,
  type RecordedEvent,
} from "@hostledger/store";

import type { EventInput } from "./event-input.ts";
import type { Materialisation } from "./materialisation.ts";

/** Maximum earlier events of a stream in which its account is searched. */
const earlierEventsLimit = 1_000;

export interface NewStop {
  readonly projection: string;
  readonly stream: string;
  readonly reason: string;
}

/** Decides whether an event that cannot be applied stops its stream or is skipped. */
export class Stopping {
  readonly #store: Pick<EventStore, "read">;
  readonly #contradictions: Contradictions;

  constructor(store: Pick<EventStore, "read" | "lineage">, codecOf: CodecOfCategory) {
    this.#store = store;
    this.#contradictions = contradictionsIn(store, codecOf);
  }

  /**
   * Finds events that cannot be read or contradict their streams, before any of their rows is written. Events that staff
   * had skipped are skipped; all others stop their streams in every projection that follows them.
   * @returns the newly stopped streams.
   * @throws any error of the store.
   */
  async stopBefore<Event extends DomainEvent>(
    all: readonly Materialisation<Event>[],
    inputs: readonly EventInput<Event>[],
  ): Promise<readonly NewStop[]> {
    const stops: NewStop[] = [];
    for (const input of inputs) {
      if (!all.some((each) => each.follows(input))) continue;
      await this.#compare(input);
      if (input.verdict === "readable") continue;
      const concerned = all.filter((each) => each.isStoppedBy(input));
      for (const each of concerned) {
        const stop = await this.stopOrPass(each, input, input.verdict);
        if (stop !== undefined) stops.push(stop);
      }
    }
    return stops;
  }

  /** Checks an event against the earlier events of its stream. */
  async #compare(input: EventInput<DomainEvent>): Promise<void> {
    if (input.verdict !== "readable") return;
    const contradiction = await this.#contradictions.of(input.recorded);
    if (contradiction !== undefined) input.contradict(contradiction);
  }

  /** Stops the stream of an event in a projection, unless staff had the event skipped. @throws any error of the store. */
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

  /** Returns the account that the latest earlier event of the stream names. */
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
