import { setImmediate as nextTurn } from "node:timers/promises";

import { monotonicMilliseconds } from "./timing.ts";

/** Maximum milliseconds of a turn of the event loop that counts as idle. */
const idleTurnMs = 0.1;

export interface EventLoop {
  monotonicMilliseconds(): number;
  /** Resolves after the present turn. */
  turnOver(): Promise<void>;
}

export async function yieldToOthers(): Promise<void> {
  await nextTurn();
}

/** Maps items, yielding after every `partSize` items so that other work is not blocked. */
export async function mapInParts<Item, Made>(
  items: readonly Item[],
  partSize: number,
  make: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    made.push(make(item));
    if (made.length % partSize === 0) await yieldToOthers();
  }
  return made;
}

export const threadEventLoop: EventLoop = { monotonicMilliseconds, turnOver: yieldToOthers };

/** Waits for an idle turn of the event loop, at most `limitMs`; a timer would waste the idle time. */
export async function whileOthersAreBusy(limitMs: number, loop = threadEventLoop): Promise<void> {
  const beganMs = loop.monotonicMilliseconds();
  for (let turnBeganMs = beganMs; turnBeganMs - beganMs < limitMs;) {
    await loop.turnOver();
    const nowMs = loop.monotonicMilliseconds();
    if (nowMs - turnBeganMs <= idleTurnMs) return;
    turnBeganMs = nowMs;
  }
}

export function afterThisTurn(call: () => void): void {
  setImmediate(call);
}
