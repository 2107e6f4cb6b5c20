import { realTiming, whileOthersAreBusy } from "@hostledger/runtime/async";

import type { PositionWaiters } from "./position-waiters.ts";
import type { ProjectorOptions } from "./projector.ts";

/** Pause after a commit while nobody waits, in milliseconds. */
const unawaitedRestMs = 100;
/** Longest pause while callers wait, in milliseconds. */
const longestRestMs = 20;
/** Live events in one batch from which more are likely to follow, because an order appends fewer at once. */
const manyEvents = 6;

export interface RestOptions extends Pick<ProjectorOptions<never>, "restMs" | "timing" | "eventLoop"> {
  readonly database: { readonly storage: { readonly isWatched: boolean } };
  readonly store: { readonly shared?: boolean };
  readonly waiters: Pick<PositionWaiters, "untilAwaited">;
}

/**
 * Pauses after a commit of live events, so that further events join the next commit. The first pause is short, because
 * callers may wait: if other processes follow each commit, it lasts as long as the last commit; otherwise, after many
 * events, only while other work keeps the thread busy. It is longer while nobody waits. A single process on a shared store
 * takes no longer pause, because that would spare no other process and `after("end")` cannot wait there. The pauses stay because one
 * client's registration takes a third more processor time without them (ADR 0008).
 */
export async function restAfter(
  { events, tookMs }: { readonly events: number; readonly tookMs: number },
  { database, store, restMs = unawaitedRestMs, timing = realTiming, eventLoop, waiters }: RestOptions,
  signal: AbortSignal,
): Promise<void> {
  const { isWatched } = database.storage;
  if (isWatched) await timing.sleep(Math.min(tookMs, longestRestMs), signal);
  else if (events >= manyEvents) await whileOthersAreBusy(longestRestMs, eventLoop);
  const mayRest = isWatched || store.shared !== true;
  if (mayRest && restMs > tookMs) await waiters.untilAwaited(restMs - tookMs, signal, timing);
}
