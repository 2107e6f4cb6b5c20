import { setImmediate as nextTurn } from "node:timers/promises";

import { monotonicMilliseconds } from "./timing.ts";

/** How long a turn of the event loop takes at most in which there was next to nothing to do, in milliseconds. */
const idleTurnMs = 0.1;

/** A thread's event loop, or a test's. */
export interface EventLoop {
  monotonicMilliseconds(): number;
  /** Resolves when the present turn is over, with everything that it brings. */
  turnOver(): Promise<void>;
}

/** Lets everybody else who has something to do have a turn of the event loop. */
export async function yieldToOthers(): Promise<void> {
  await nextTurn();
}

/** Makes something of each item, with a turn for others after so many: what is many would keep them waiting until the last. */
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

/** That of this thread. */
export const threadEventLoop: EventLoop = { monotonicMilliseconds, turnOver: yieldToOthers };

/**
 * Waits while others keep the thread busy, at most so many milliseconds: until a turn of the event loop has passed in which there was
 * next to nothing to do. Whoever has work that can wait leaves no time unused by it, where a timer would.
 */
export async function whileOthersAreBusy(limitMs: number, loop = threadEventLoop): Promise<void> {
  const beganMs = loop.monotonicMilliseconds();
  for (let turnBeganMs = beganMs; turnBeganMs - beganMs < limitMs;) {
    await loop.turnOver();
    const nowMs = loop.monotonicMilliseconds();
    if (nowMs - turnBeganMs <= idleTurnMs) return;
    turnBeganMs = nowMs;
  }
}

/** Calls when the present turn of the event loop is over, with everything that it brings. */
export function afterThisTurn(call: () => void): void {
  setImmediate(call);
}
