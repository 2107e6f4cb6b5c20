import type { SnapshotCodec } from "@hostledger/core";

import type { EventStore } from "../event-store.port.ts";
import type { SnapshotHead, SnapshotStore } from "./snapshot-store.port.ts";

/** What the snapshots of a handler's streams share. */
export interface SnapshotEnvironment {
  readonly snapshots: SnapshotStore;
  /** Hears why a snapshot was not used or not saved. Nothing is wrong then but speed. */
  readonly onIgnored?: (stream: string, reason: unknown) => void;
}

/** A state and the event it comes after. */
export interface Snapshotted<State> extends Omit<SnapshotHead, "version"> {
  readonly state: State;
}

/**
 * A state is kept again when its stream has grown by this share. Keeping costs by the size of the state: with a fixed
 * distance a long stream would be written over and over, with a share each event is kept about ten times in its life,
 * and a load folds at most a tenth of the stream.
 */
const growthShare = 10n;

/** The snapshots of one stream: what to begin a fold with, and when to keep the next one. Neither ever throws. */
export class StreamSnapshots<State> {
  readonly #stream: string;
  readonly #codec: SnapshotCodec<State>;
  readonly #environment: SnapshotEnvironment;
  /** Events up to the last one that was kept, or is being kept. */
  #kept = 0n;
  #saving = false;

  constructor(stream: string, codec: SnapshotCodec<State>, environment: SnapshotEnvironment) {
    this.#stream = stream;
    this.#codec = codec;
    this.#environment = environment;
  }

  /** The kept state, when it is whole, of this version, and of this very stream. */
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

  /** Keeps the state in the background when it is time to. */
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
        // It is tried again when as much again was added, and not at every event from now on.
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
