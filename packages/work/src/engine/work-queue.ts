import { Semaphore } from "@hostledger/runtime/async";

import type { DueKeys } from "./work-kind.ts";
import type { DueWork, WorkPage } from "./work-store.ts";
import type { WorkKey } from "./work.table.ts";

/** Accounts worked for at a time by a kind that says nothing else. */
const concurrency = 16;

/** Maximum active keys per account; further keys stay in the table. */
const inHandLimit = 20;

export interface QueuedWork extends DueWork {
  /** Keys of its account that are worked on at a time. Default: 1. */
  readonly atOnce?: number;
  /** Accounts worked for at a time. Default: 16. */
  readonly accounts?: number | undefined;
  /** True if the last attempt failed: the key then delays only other failing keys. */
  readonly isFailing?: boolean;
}

interface AccountKeys {
  readonly places: Semaphore;
  inHand: number;
}

/**
 * The active keys. Keys of one account run one after the other, so that a customer with many or slow keys delays
 * nobody else. A kind whose provider hangs delays no other kind.
 */
export class WorkQueue {
  readonly #accounts = new Map<string, AccountKeys>();
  readonly #rooms = new Map<string, Semaphore>();
  readonly #inHand = new Map<string, Promise<void>>();

  /** Returns false if the key is active or its account has too many active keys; a later round tries again. */
  hasRoomFor(row: QueuedWork): boolean {
    const limit = Math.max(inHandLimit, row.atOnce ?? 1);
    return !this.#inHand.has(nameOf(row)) && (this.#accounts.get(ownerOf(row))?.inHand ?? 0) < limit;
  }

  /** Does work on a key when its turn comes; settles as the work does. */
  add(row: QueuedWork, work: () => Promise<void>): Promise<void> {
    const [name, owner] = [nameOf(row), ownerOf(row)];
    const keys = this.#accounts.get(owner) ?? {
      places: new Semaphore({ permits: row.atOnce ?? 1 }),
      inHand: 0,
    };
    this.#accounts.set(owner, keys);
    keys.inHand += 1;
    const done = keys.places
      .run(() => this.#roomOf(row).run(work))
      .finally(() => {
        if (this.#inHand.get(name) === done) this.#inHand.delete(name);
        keys.inHand -= 1;
        if (keys.inHand === 0) this.#accounts.delete(owner);
      });
    this.#inHand.set(name, done);
    return done;
  }

  /** Waits until no key is active. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#inHand.values());
  }

  #roomOf(row: QueuedWork): Semaphore {
    const name = groupOf(row);
    const room = this.#rooms.get(name) ?? new Semaphore({ permits: row.accounts ?? concurrency });
    this.#rooms.set(name, room);
    return room;
  }
}

export function nameOf({ kind, key }: WorkKey): string {
  return `${kind}/${key}`;
}

/** Returns the owner of the queue in which a key waits. */
function ownerOf(row: QueuedWork): string {
  return row.account_id === null ? nameOf(row) : `${groupOf(row)} of account ${String(row.account_id)}`;
}

function groupOf({ kind, isFailing = false }: QueuedWork): string {
  return isFailing ? `failing ${kind}` : kind;
}

/** Reads the keys that a kind's own table makes due. */
export function dueRows(kind: string, due: DueKeys, now: string, limit: number) {
  return async ({ key: after }: WorkPage): Promise<readonly QueuedWork[]> => {
    const keys = await due.read(now, after, limit);
    const { accounts, atOnce } = due;
    const row = { kind, due_at: null, awaits_funds: 0, log_position: 0, atOnce, accounts };
    return keys.map(({ key, accountId, isFailing }) => ({ ...row, key, account_id: accountId, isFailing }));
  };
}
