/**
 * Says which of several processes does a piece of work. A lease saves work and calls; it is no lock on the events, which
 * stay right without it: whoever believes to hold one that is lost meets the expected revision of a stream.
 */
export interface Leases {
  /**
   * Takes the lease when nobody has it, without waiting for it.
   * @param name of the work, at most 200 characters.
   * @returns undefined when it is held, here or elsewhere, when the engine cannot be reached, when as many leases are held
   * here as may be, and after `close`.
   */
  tryAcquire(name: string): Promise<Lease | undefined>;
  /**
   * False while nine tenths of what may be held here are, or the engine has no room for more: who takes on work that lasts asks
   * before anything is promised. The last tenth is for what is under way, which takes leases for what it works on.
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
  /** Lets the work go. Safe to repeat, and never throws: what cannot be given back is lost with the connection. */
  release(): Promise<void>;
}

/** Whether work that lasts may be begun where so many leases are held: the last tenth is for what is under way. */
export function hasRoomFor(held: number, heldLimit: number): boolean {
  return held < heldLimit * 0.9;
}
