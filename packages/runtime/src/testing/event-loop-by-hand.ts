import { yieldToOthers, type EventLoop } from "../async/event-loop.ts";

/** An event loop whose turns a test triggers. */
export interface EventLoopByHand {
  readonly loop: EventLoop;
  /** Takes a turn of some milliseconds if somebody waits for it, and lets waiters continue. */
  turn(milliseconds: number): Promise<void>;
  taken(): number;
}

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
