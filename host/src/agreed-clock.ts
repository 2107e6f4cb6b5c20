import type { ServerTime } from "@hostledger/work/leases";
import { monotonicMilliseconds, risingInstants, type Clock } from "@hostledger/runtime";

/** The clock that all processes over one database share, whatever their machines' clocks show (ADR 0023). */
export interface AgreedClock {
  readonly clock: Clock;
  /** Goes by this time from now on. */
  observe(time: ServerTime): void;
  /**
   * Returns the time that the process's own clock should show according to the database, in milliseconds since 1970;
   * undefined before the first answer. A clock set ahead on purpose is right; one set back is not (ADR 0023).
   */
  expectedMilliseconds(): number | undefined;
}

/**
 * Creates the clock. It equals the process's own clock until the database answers, and follows the monotonic clock
 * while the database cannot be reached.
 * @param offsetMs intended offset of this deployment (`HOSTLEDGER_CLOCK_OFFSET`), in milliseconds.
 */
export function createAgreedClock(own: Clock, offsetMs: number): AgreedClock {
  let heard: ServerTime | undefined;
  const databaseMilliseconds = (): number | undefined =>
    heard === undefined ? undefined : Math.floor(heard.epochMs + monotonicMilliseconds() - heard.monotonicMs);
  const epochMilliseconds = (): number => {
    const database = databaseMilliseconds();
    return database === undefined ? own.epochMilliseconds() : database + offsetMs;
  };
  return {
    clock: { ...own, ...risingInstants(epochMilliseconds) },
    observe(time) {
      heard = time;
    },
    expectedMilliseconds() {
      const database = databaseMilliseconds();
      return database === undefined ? undefined : database + Math.max(0, offsetMs);
    },
  };
}
