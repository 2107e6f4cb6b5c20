import { Worker } from "node:worker_threads";

/** Maximum idle threads; further ones end. */
const mostKept = 8;

const kept: Worker[] = [];

/**
 * Returns an idle or new thread. Starting a thread takes ten times as long as opening a store, so a process that opens
 * many stores reuses threads.
 */
export function takeThread(): Worker {
  const thread = kept.pop();
  if (thread === undefined) return new Worker(new URL("./writer.worker.ts", import.meta.url));
  stopListening(thread);
  thread.ref();
  return thread;
}

/** Returns a thread to the idle ones after its store was closed. It does not prevent the process from ending. */
export function giveBackThread(thread: Worker): void {
  stopListening(thread);
  const forget = (): void => {
    const at = kept.indexOf(thread);
    if (at !== -1) kept.splice(at, 1);
  };
  // An error of an idle thread is ignored.
  thread.on("error", forget);
  thread.once("exit", forget);
  if (kept.length < mostKept) kept.push(thread);
  else void thread.terminate();
  thread.unref();
}

function stopListening(thread: Worker): void {
  for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
}
