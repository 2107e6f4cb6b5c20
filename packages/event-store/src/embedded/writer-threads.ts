import { Worker } from "node:worker_threads";

/** How many threads without a store are kept for the next one; more end. */
const mostKept = 8;

const kept: Worker[] = [];

/**
 * A thread that has no store yet: one whose store was closed, or a new one. To begin costs a thread ten times as much as to open a
 * store, which a process that opens one after another would pay for each.
 */
export function takeThread(): Worker {
  const thread = kept.pop();
  if (thread === undefined) return new Worker(new URL("./writer.worker.ts", import.meta.url));
  stopListening(thread);
  thread.ref();
  return thread;
}

/** Keeps a thread whose store is closed for the next store. It keeps no process from ending. */
export function giveBackThread(thread: Worker): void {
  stopListening(thread);
  const forget = (): void => {
    const at = kept.indexOf(thread);
    if (at !== -1) kept.splice(at, 1);
  };
  // One that breaks while nobody has it concerns nobody.
  thread.on("error", forget);
  thread.once("exit", forget);
  if (kept.length < mostKept) kept.push(thread);
  else void thread.terminate();
  thread.unref();
}

function stopListening(thread: Worker): void {
  for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
}
