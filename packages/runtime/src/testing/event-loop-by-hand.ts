import { yieldToOthers, type EventLoop } from "../async/event-loop.ts";

/** An event loop whose turns a test takes. */
export interface EventLoopByHand {
  readonly loop: EventLoop;
  /** Takes a turn of so many milliseconds, where somebody waits for one, and lets everybody see it. */
  turn(milliseconds: number): Promise<void>;
  /** Turns that somebody has waited for so far. */
  taken(): number;
}

/** Makes one. */
export function eventLoopByHand(): EventLoopByHand {
  let nowMs = 0;
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    loop: {
      monotonicMilliseconds: () => nowMs,
      turnOver: () =>
        new Promise((resolve) => {
          waiting.push(resolve);
        }),
    },
    async turn(milliseconds) {
      const over = waiting;
      waiting = [];
      nowMs += milliseconds;
      if (over.length > 0) count += 1;
      for (const resolve of over) resolve();
      await yieldToOthers();
    },
    taken: () => count,
  };
}
