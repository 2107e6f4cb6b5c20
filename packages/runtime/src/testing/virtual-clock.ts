import { performance } from "node:perf_hooks";

import { type ManualClock, ManualTime, risingInstants } from "../clock.ts";
import { timingBy } from "../async/timing.ts";

/** A clock whose waits take no real time while real I/O continues. */
export interface VirtualClock extends ManualClock {
  /** Stops the clock until work by other threads or processes has ended. */
  busyWhile<Result>(work: Promise<Result>): Promise<Result>;
}

/** Idle time of the event loop required: interval and number of consecutive checks. */
const lookMs = 1;
const quietLooks = 2;

/** The original timer; an earlier test's clock must not wait for ever on another test's fake timers. */
const { setTimeout: later } = globalThis;

/**
 * Creates a clock for tests of whole instances in one process. Time stands still while the process works; when the
 * event loop is idle, the clock jumps to the next timer. So timers fire in the same order as in real time on any
 * machine: a time limit never ends before running work.
 *
 * Idleness is read from the event loop's own counters of turns, events and sleep; durations are not used. Loopback
 * connections are included. Other threads and processes are not: pass their work to `busyWhile`.
 *
 * @param startIso ISO 8601 UTC; default: the present.
 */
export function virtualClock(startIso = new Date().toISOString()): VirtualClock {
  const time = new ManualTime();
  const startMs = Date.parse(startIso);
  let busy = 0;
  let isWatched = false;

  function watch(): void {
    if (isWatched || time.nextDueMs === undefined) return;
    isWatched = true;
    let last = turnsOfTheLoop();
    let quiet = 0;
    const look = (): void => {
      const present = turnsOfTheLoop();
      quiet = busy === 0 && isQuietBetween(last, present) ? quiet + 1 : 0;
      last = present;
      if (quiet < quietLooks) {
        later(look, lookMs);
        return;
      }
      isWatched = false;
      if (time.nextDueMs !== undefined) time.advance(time.nextDueMs - time.nowMs);
      watch();
    };
    later(look, lookMs);
  }

  return {
    ...risingInstants(() => startMs + Math.floor(time.nowMs)),
    ...timingBy({
      monotonicMilliseconds: () => time.nowMs,
      after(milliseconds, call) {
        const callOff = time.after(milliseconds, call);
        watch();
        return callOff;
      },
    }),
    advance: (milliseconds) => time.advance(milliseconds),
    async busyWhile(work) {
      busy += 1;
      try {
        return await work;
      } finally {
        busy -= 1;
      }
    },
  };
}

interface Turns {
  readonly turns: number;
  readonly events: number;
  /** Milliseconds in which the loop slept. */
  readonly sleptMs: number;
}

function turnsOfTheLoop(): Turns {
  const { loopCount, events } = performance.nodeTiming.uvMetricsInfo;
  return { turns: loopCount, events, sleptMs: performance.eventLoopUtilization().idle };
}

/** Returns true if between two checks the loop only slept for one turn without events. */
function isQuietBetween(before: Turns, after: Turns): boolean {
  return after.events === before.events && after.turns <= before.turns + 1 && after.sleptMs > before.sleptMs;
}
