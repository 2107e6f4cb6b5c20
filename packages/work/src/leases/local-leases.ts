import { hasRoomFor, type Lease, type Leases } from "./leases.port.ts";

/** The names that are taken, for all holders that share the room. */
export type LeaseRoom = Map<string, AbortController>;

export interface LocalLeases extends Leases {
  /** Loses all leases at once, as a holder with a broken connection does. */
  lose(): void;
}

export interface LocalLeasesOptions {
  /** Shared by the holders that exclude each other. Default: a room of its own. */
  readonly room?: LeaseRoom;
  /** Leases held at a time. Default 100,000. */
  readonly heldLimit?: number;
}

/** Leases for a service that runs in one process; several holders in one process share a room. */
export function createLocalLeases(options: LocalLeasesOptions = {}): LocalLeases {
  const { room = new Map<string, AbortController>(), heldLimit = 100_000 } = options;
  const held = new Map<string, AbortController>();
  let closed = false;

  function free(name: string, holder: AbortController): void {
    // A lease that was lost may be somebody else's by now.
    if (room.get(name) === holder) room.delete(name);
    if (held.get(name) === holder) held.delete(name);
  }

  function tryAcquire(name: string): Promise<Lease | undefined> {
    if (closed || room.has(name) || held.size >= heldLimit) return Promise.resolve(undefined);
    const holder = new AbortController();
    room.set(name, holder);
    held.set(name, holder);
    const release = (): Promise<void> => {
      free(name, holder);
      return Promise.resolve();
    };
    return Promise.resolve({ name, lost: holder.signal, release });
  }

  return {
    tryAcquire,
    get hasRoom() {
      return hasRoomFor(held.size, heldLimit);
    },
    lose() {
      for (const [name, holder] of [...held]) {
        free(name, holder);
        holder.abort();
      }
    },
    close() {
      closed = true;
      for (const [name, holder] of [...held]) free(name, holder);
      return Promise.resolve();
    },
  };
}
