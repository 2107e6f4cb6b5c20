import { KeyedMutex, Semaphore } from "@hostledger/runtime/async";

import type { DueWork } from "./work-store.ts";
import type { WorkKey } from "./work.table.ts";

/** Accounts worked for at a time by each kind. */
const concurrency = 16;

/** Keys of one account in hand: the others stay in the table. */
const inHandLimit = 20;

/**
 * The keys in hand. Those of one account are worked on one after the other, so that a customer with many or slow keys keeps
 * nobody else waiting; a kind whose provider hangs keeps no other kind waiting.
 */
export class WorkQueue {
  readonly #accounts = new KeyedMutex<string>();
  readonly #rooms = new Map<string, Semaphore>();
  readonly #inHand = new Map<string, Promise<void>>();
  readonly #countOf = new Map<string, number>();

  /** False where the key is in hand, or its account has many in hand: a later round comes back to it. */
  hasRoomFor(row: DueWork): boolean {
    return !this.#inHand.has(nameOf(row)) && (this.#countOf.get(ownerOf(row)) ?? 0) < inHandLimit;
  }

  /** Does work on a key when its turn comes; settles as the work does. */
  add(row: DueWork, work: () => Promise<void>): Promise<void> {
    const [name, owner] = [nameOf(row), ownerOf(row)];
    this.#count(owner, 1);
    const done = this.#accounts
      .run(owner, () => this.#roomOf(row.kind).run(work))
      .finally(() => {
        if (this.#inHand.get(name) === done) this.#inHand.delete(name);
        this.#count(owner, -1);
      });
    this.#inHand.set(name, done);
    return done;
  }

  /** Waits until nothing is in hand. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#inHand.values());
  }

  #roomOf(kind: string): Semaphore {
    const room = this.#rooms.get(kind) ?? new Semaphore({ permits: concurrency });
    this.#rooms.set(kind, room);
    return room;
  }

  #count(owner: string, by: number): void {
    const count = (this.#countOf.get(owner) ?? 0) + by;
    if (count === 0) this.#countOf.delete(owner);
    else this.#countOf.set(owner, count);
  }
}

/** Names a key among all kinds. */
export function nameOf({ kind, key }: WorkKey): string {
  return `${kind}/${key}`;
}

/** Whose turn a key waits for. */
function ownerOf(row: DueWork): string {
  return row.account_id === null ? nameOf(row) : `${row.kind} of account ${String(row.account_id)}`;
}
