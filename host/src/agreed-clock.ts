import type { ServerTime } from "@hostledger/leases";
import { monotonicMilliseconds, risingInstants, type Clock } from "@hostledger/runtime";

/** The time that all processes over one database agree on, whatever their machines' clocks say (ADR 0122). */
export interface AgreedClock {
  readonly clock: Clock;
  /** Goes by this time from now on. */
  hear(time: ServerTime): void;
}

/**
 * Creates the clock. It is the process's own until it hears of the database's, and goes on by the monotonic clock while the database
 * is not to be reached.
 *
 * @param offsetMs by how much this deployment's time was moved on purpose (`HOSTLEDGER_CLOCK_OFFSET`).
 */
export function createAgreedClock(own: Clock, offsetMs: number): AgreedClock {
  let heard: ServerTime | undefined;
  const epochMilliseconds = (): number =>
    heard === undefined
      ? own.epochMilliseconds()
      : Math.floor(heard.epochMs + offsetMs + monotonicMilliseconds() - heard.monotonicMs);
  return {
    clock: { ...own, ...risingInstants(epochMilliseconds) },
    hear(time) {
      heard = time;
    },
  };
}
