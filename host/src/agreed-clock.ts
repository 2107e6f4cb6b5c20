import type { ServerTime } from "@hostledger/work/leases";
import { monotonicMilliseconds, risingInstants, type Clock } from "@hostledger/runtime";

/** The time that all processes over one database agree on, whatever their machines' clocks say (ADR 0023). */
export interface AgreedClock {
  readonly clock: Clock;
  /** Goes by this time from now on. */
  observe(time: ServerTime): void;
  /**
   * What time the process's own clock should have by the database's, in milliseconds since 1970; undefined until it is heard. Having been
   * moved ahead on purpose is right, having been moved behind is not (ADR 0023).
   */
  expectedMilliseconds(): number | undefined;
}

/**
 * Creates the clock. It is the process's own until it hears of the database's, and goes on by the monotonic clock while the database
 * is not to be reached.
 *
 * @param offsetMs by how much this deployment's time was moved on purpose (`HOSTLEDGER_CLOCK_OFFSET`).
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
