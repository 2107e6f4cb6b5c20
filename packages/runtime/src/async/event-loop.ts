import { setImmediate as nextTurn } from "node:timers/promises";

/** Lets everybody else who has something to do have a turn of the event loop. */
export async function yieldToOthers(): Promise<void> {
  await nextTurn();
}

/** Calls when the present turn of the event loop is over, with everything that it brings. */
export function afterThisTurn(call: () => void): void {
  setImmediate(call);
}
