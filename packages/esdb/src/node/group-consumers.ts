import type { ConsumerStrategy } from "./persistent-settings.codec.ts";
import type { ResolvedEvent } from "../codec/read-answer.codec.ts";

/** A message in delivery to a consumer, or waiting for redelivery. */
export interface GroupMessage {
  readonly resolved: ResolvedEvent;
  /** Id in acknowledgements: the link's, or the event's. */
  readonly id: string;
  /** Its revision (of a stream) or position (of `$all`), and that of the event before it. */
  readonly at: bigint;
  readonly before: bigint;
  /** A parked message in redelivery; it does not move the checkpoint. */
  readonly replayed: boolean;
  retries: number;
}

/** A connected client. */
export interface Consumer {
  /** Maximum unacknowledged messages. */
  readonly mostInFlight: number;
  readonly from: string;
  readonly name: string;
  send(message: GroupMessage): void;
  /** Ends the connection, because the group ended or changed, or the client asked for it. */
  drop(): void;
}

/** A message that a consumer received and has not acknowledged. */
export interface InFlight {
  readonly message: GroupMessage;
  readonly consumer: Consumer;
  readonly dueMilliseconds: number;
}

/** The consumers of one group: their order, and their unacknowledged messages. */
export class GroupConsumers {
  readonly #consumers: Consumer[] = [];
  readonly #inFlight = new Map<string, InFlight[]>();
  readonly #load = new Map<Consumer, number>();
  #turn = 0;

  get all(): readonly Consumer[] {
    return this.#consumers;
  }

  /** Number of unacknowledged messages of all consumers. */
  get inFlight(): readonly InFlight[] {
    return [...this.#inFlight.values()].flat();
  }

  inFlightOf(consumer: Consumer): number {
    return this.#load.get(consumer) ?? 0;
  }

  add(consumer: Consumer): void {
    this.#consumers.push(consumer);
    this.#load.set(consumer, 0);
  }

  /** Returns false if the consumer is unknown. The caller redelivers the consumer's messages to others. */
  remove(consumer: Consumer): boolean {
    const index = this.#consumers.indexOf(consumer);
    if (index < 0) return false;
    this.#consumers.splice(index, 1);
    return true;
  }

  /** Returns the consumer for the next message; undefined while all suitable consumers are busy. */
  choose(message: GroupMessage, strategy: ConsumerStrategy): Consumer | undefined {
    const free = (consumer: Consumer | undefined): consumer is Consumer =>
      consumer !== undefined && this.inFlightOf(consumer) < consumer.mostInFlight;
    const count = this.#consumers.length;
    if (count === 0) return undefined;
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

  give(message: GroupMessage, consumer: Consumer, dueMilliseconds: number): void {
    const held = this.#inFlight.get(message.id) ?? [];
    held.push({ message, consumer, dueMilliseconds });
    this.#inFlight.set(message.id, held);
    this.#load.set(consumer, this.inFlightOf(consumer) + 1);
  }

  /** An event id may be in the log twice, so one acknowledgement ends one message. */
  held(consumer: Consumer, id: string): InFlight | undefined {
    return this.#inFlight.get(id)?.find((held) => held.consumer === consumer);
  }

  take(held: InFlight): void {
    const rest = (this.#inFlight.get(held.message.id) ?? []).filter((other) => other !== held);
    if (rest.length === 0) this.#inFlight.delete(held.message.id);
    else this.#inFlight.set(held.message.id, rest);
    if (this.#load.has(held.consumer)) this.#load.set(held.consumer, this.inFlightOf(held.consumer) - 1);
  }

  /** Stops counting messages of a consumer after they were given to others. */
  forget(consumer: Consumer): void {
    this.#load.delete(consumer);
  }
}

function hash(text: string): number {
  let value = 0;
  for (let index = 0; index < text.length; index += 1)
    value = (value * 31 + text.charCodeAt(index)) % 2_147_483_647;
  return value;
}
