import { realTiming, whileOthersAreBusy } from "@hostledger/runtime/async";

import type { PositionWaiters } from "./position-waiters.ts";
import type { ProjectorOptions } from "./projector.ts";

/** How long the projector rests after a commit, at most, in milliseconds. */
const longestRestMs = 20;
/** Live events that came together, from which on more are on their way: an order appends fewer at once. */
const manyEvents = 6;

/** What a projector goes by when it rests. */
export interface RestOptions extends Pick<ProjectorOptions<never>, "restMs" | "eventLoop"> {
  readonly database: { readonly storage: { readonly isWatched: boolean } };
  readonly waiters: Pick<PositionWaiters, "untilAwaited">;
}

/**
 * Rests after a commit of live events: what comes meanwhile goes into the next one. Where others hear of each, it rests for as long as
 * the last one took. Else only while others keep the thread busy: with those that wait for this read model they would not be done sooner,
 * and nothing is late on a thread that has time.
 */
export async function restAfter(
  { events, tookMs }: { readonly events: number; readonly tookMs: number },
  { database, restMs = 0, eventLoop, waiters }: RestOptions,
  signal: AbortSignal,
): Promise<void> {
  if (database.storage.isWatched) {
    await realTiming.sleep(Math.min(tookMs, longestRestMs), signal);
    if (restMs > tookMs) await waiters.untilAwaited(restMs - tookMs, signal);
  } else if (events >= manyEvents) await whileOthersAreBusy(longestRestMs, eventLoop);
}
