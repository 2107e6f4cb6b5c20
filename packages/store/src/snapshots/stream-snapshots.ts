import type { SnapshotCodec } from "@hostledger/core";

import type { EventStore } from "../event-store.port.ts";
import type { SnapshotHead, SnapshotStore } from "./snapshot-store.port.ts";

export interface SnapshotEnvironment {
  readonly snapshots: SnapshotStore;
  /** Called with the reason if a snapshot was not used or not saved. Only speed is affected. */
  readonly onIgnored?: (stream: string, reason: unknown) => void;
}

/** A state and the event after which it was taken. */
export interface Snapshotted<State> extends Omit<SnapshotHead, "version"> {
  readonly state: State;
}

/**
 * A new snapshot is due when the stream has grown by this share, as a divisor. The cost of a snapshot grows with the
 * state, so a fixed distance would rewrite long streams too often. With a share, a load folds at most a tenth of the
 * stream.
 */
const growthShare = 10n;

/** Snapshots of one stream: loads the start of a fold and saves new ones when due. Never throws. */
export class StreamSnapshots<State> {
  readonly #stream: string;
  readonly #codec: SnapshotCodec<State>;
  readonly #environment: SnapshotEnvironment;
  /** Number of events up to the last snapshot, saved or in progress. */
  #kept = 0n;
  #saving = false;

  constructor(stream: string, codec: SnapshotCodec<State>, environment: SnapshotEnvironment) {
    this.#stream = stream;
    this.#codec = codec;
    this.#environment = environment;
  }

  /** Loads the snapshot if it is complete, of this version and of this stream. */
  async load(store: EventStore): Promise<Snapshotted<State> | undefined> {
    try {
      const snapshot = await this.#environment.snapshots.load(this.#stream);
      if (snapshot?.version !== this.#codec.version) return undefined;
      const { revision, position, eventId, parts } = snapshot;
      if (!(await this.#isOfThisStream(store, revision, eventId))) return undefined;
      const decoder = this.#codec.decoder();
      for await (const part of parts) decoder.add(part);
      const state = decoder.finish();
      this.#kept = revision + 1n;
      return { state, revision, position, eventId };
    } catch (error) {
      this.#environment.onIgnored?.(this.#stream, error);
      return undefined;
    }
  }

  /** Saves the state in the background if a snapshot is due. */
  consider({ state, ...after }: Snapshotted<State>): void {
    const events = after.revision + 1n;
    const distance = this.#kept / growthShare;
    const every = BigInt(this.#codec.every);
    if (this.#saving || events - this.#kept < (distance > every ? distance : every)) return;
    this.#saving = true;
    this.#kept = events;
    const { snapshots, onIgnored } = this.#environment;
    void snapshots
      .save(this.#stream, { version: this.#codec.version, ...after }, this.#codec.encode(state))
      .catch((error: unknown) => {
        // Retried after as much growth again, not at every event.
        onIgnored?.(this.#stream, error);
      })
      .finally(() => {
        this.#saving = false;
      });
  }

  async #isOfThisStream(store: EventStore, revision: bigint, eventId: string): Promise<boolean> {
    for await (const event of store.read(this.#stream, { from: revision, limit: 1 })) {
      return event.revision === revision && event.id === eventId;
    }
    return false;
  }
}
