import { status } from "@grpc/grpc-js";
import type { EventStore } from "@hostledger/store";

import { Refusal } from "../codec/refusal.ts";
import type { LinkStreams } from "./link-streams.ts";
import type { StreamFactsReader } from "./stream-facts.ts";
import type { Authority } from "./authority.ts";
import type { StreamReading } from "./stream-reading.ts";
import type { StreamWriting } from "./stream-writing.ts";

/** Bounds of one node. */
export interface NodeLimits {
  /** Readings under way at once. */
  readonly reads: number;
  /** Open subscriptions, catch-up and persistent ones each. */
  readonly subscriptions: number;
  /** Events by which a live subscription may fall behind before its client is dropped as too slow. */
  readonly liveLagEvents: number;
}

export const defaultLimits: NodeLimits = { reads: 256, subscriptions: 512, liveLagEvents: 10_000 };

/** What the handlers of one node share. */
export interface NodeParts {
  readonly store: EventStore;
  readonly facts: StreamFactsReader;
  readonly reading: StreamReading;
  readonly links: LinkStreams;
  readonly writing: StreamWriting;
  readonly authority: Authority;
  readonly limits: NodeLimits;
  readonly reads: BoundedCalls;
  readonly subscriptions: BoundedCalls;
  /** Aborted when the node closes. */
  readonly closing: AbortSignal;
  readonly onBug: (error: unknown) => void;
}

/** A bounded number of things under way at once. */
export class BoundedCalls {
  readonly #limit: number;
  readonly #what: string;
  #taken = 0;

  constructor(limit: number, what: string) {
    this.#limit = limit;
    this.#what = what;
  }

  /** @throws Refusal RESOURCE_EXHAUSTED when all are taken. */
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
