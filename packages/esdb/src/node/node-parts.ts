import { status } from "@grpc/grpc-js";
import type { EventStore } from "@hostledger/store";

import { Refusal } from "../codec/refusal.ts";
import type { LinkStreams } from "./link-streams.ts";
import type { StreamEventsReader } from "./stream-events.ts";
import type { Authority } from "./authority.ts";
import type { StreamReading } from "./stream-reading.ts";
import type { StreamWriting } from "./stream-writing.ts";

export interface NodeLimits {
  /** Maximum concurrent reads. */
  readonly reads: number;
  /** Maximum subscriptions, for catch-up and for persistent ones each. */
  readonly subscriptions: number;
  /** Events by which a live subscription may lag before the node drops its client as too slow. */
  readonly liveLagEvents: number;
}

export const defaultLimits: NodeLimits = { reads: 256, subscriptions: 512, liveLagEvents: 10_000 };

export interface NodeParts {
  readonly store: EventStore;
  readonly events: StreamEventsReader;
  readonly reading: StreamReading;
  readonly links: LinkStreams;
  readonly writing: StreamWriting;
  readonly authority: Authority;
  readonly limits: NodeLimits;
  readonly reads: BoundedCalls;
  readonly subscriptions: BoundedCalls;
  /** Aborts when the node closes. */
  readonly closing: AbortSignal;
  readonly onBug: (error: unknown) => void;
}

/** Limits how many tasks run at once. */
export class BoundedCalls {
  readonly #limit: number;
  readonly #what: string;
  #taken = 0;

  constructor(limit: number, what: string) {
    this.#limit = limit;
    this.#what = what;
  }

  /** @throws Refusal RESOURCE_EXHAUSTED if the limit is reached. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#limit) {
      throw new Refusal(
        status.RESOURCE_EXHAUSTED,
        `this node serves at most ${String(this.#limit)} ${this.#what} at once`,
      );
    }
    this.#taken += 1;
    try {
      return await work();
    } finally {
      this.#taken -= 1;
    }
  }
}
