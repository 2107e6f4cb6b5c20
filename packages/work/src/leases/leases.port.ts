/**
 * Decides which of several processes does a piece of work. A lease only avoids double work: events stay right
 * without a lease, because a process that lost its lease fails at the expected revision of a stream.
 */
export interface Leases {
  /**
   * Takes the lease if it is free, without waiting.
   * @param name of the work, at most 200 characters.
   * @returns undefined if another holder has the lease, the engine cannot be reached, this process has its maximum
   * of leases, or after `close`.
   */
  tryAcquire(name: string): Promise<Lease | undefined>;
  /**
   * False if nine tenths of the maximum of leases are taken, or the engine has no room. Ask before long work is
   * promised: the last tenth is reserved for leases of running work.
   */
  readonly hasRoom: boolean;
  /** Gives back every lease that is held here. */
  close(): Promise<void>;
}

/** A piece of work that is ours, until it is released or lost. */
export interface Lease {
  readonly name: string;
  /** Aborts when somebody else may have the work from now on, through no doing of ours. A release does not abort it. */
  readonly lost: AbortSignal;
  /** Releases the lease. Safe to repeat, and never throws: a lease that cannot be released ends with the connection. */
  release(): Promise<void>;
}

/** Returns true if long work may begin with so many leases taken: the last tenth is reserved for running work. */
export function hasRoomFor(held: number, heldLimit: number): boolean {
  return held < heldLimit * 0.9;
}
