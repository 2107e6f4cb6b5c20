import { performance } from "node:perf_hooks";

import { ManualTime } from "../async/manual-time.ts";
import { timingBy } from "../async/timing.ts";
import { risingInstants, type ManualClock } from "../clock.ts";

/** A clock by which waiting costs nothing, while real input and output go on beside it. */
export interface VirtualClock extends ManualClock {
  /** Time stands still until the work has settled: what is done by others than this thread has to be told. */
  busyWhile<Result>(work: Promise<Result>): Promise<Result>;
}

/** How long the event loop has to have had nothing to do, looked at so often, so many times in a row. */
const lookMs = 1;
const quietLooks = 2;

/**
 * The timer that the process has. A clock that a test has left may still look while another test, in the same worker, has put
 * timers of its own in the place of this one: among those it would look for ever, since nothing sleeps.
 */
const { setTimeout: later } = globalThis;

/**
 * A clock for tests of whole instances in one process. Time stands still while the process does something; once the event
 * loop has nothing to do and somebody waits, it jumps to the moment at which the first of them is due. So what is waited
 * for happens in the same order as in real time, however slow the machine is: a limit is never over before work that
 * is under way, only before what is due later.
 *
 * Whether there is something to do is told by the event loop itself, which counts its turns, what they bring, and whether
 * it slept; how long anything takes is not looked at. Loopback connections are part of the loop. Other threads and processes are not: name what is
 * waited for from them with `busyWhile`.
 *
 * @param startIso ISO 8601 UTC; the present without it.
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
  /** Milliseconds in which the loop slept, since there was nothing to do. */
  readonly sleptMs: number;
}

function turnsOfTheLoop(): Turns {
  const { loopCount, events } = performance.nodeTiming.uvMetricsInfo;
  return { turns: loopCount, events, sleptMs: performance.eventLoopUtilization().idle };
}

/** Between two looks there was nothing but the look: one turn, in which the loop slept, and which brought no event. */
function isQuietBetween(before: Turns, after: Turns): boolean {
  return after.events === before.events && after.turns <= before.turns + 1 && after.sleptMs > before.sleptMs;
}
