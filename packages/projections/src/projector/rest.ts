import { realTiming, whileOthersAreBusy } from "@hostledger/runtime/async";

import type { PositionWaiters } from "./position-waiters.ts";
import type { ProjectorOptions } from "./projector.ts";

/** How long the projector rests after a commit while nobody waits, in milliseconds. */
const unawaitedRestMs = 100;
/** How long it rests at most whoever waits, in milliseconds. */
const longestRestMs = 20;
/** Live events that came together, from which on more are on their way: an order appends fewer at once. */
const manyEvents = 6;

/** What a projector goes by when it rests. */
export interface RestOptions extends Pick<ProjectorOptions<never>, "restMs" | "timing" | "eventLoop"> {
  readonly database: { readonly storage: { readonly isWatched: boolean } };
  readonly store: { readonly shared?: boolean };
  readonly waiters: Pick<PositionWaiters, "untilAwaited">;
}

/**
 * Rests after a commit of live events: what comes meanwhile goes into the next one. Whoever waits for the read model waits for a short
 * rest at most: where others hear of each commit, for as long as the last one took; else while others keep the thread busy, with whom
 * he would not be done sooner. While nobody waits it goes on resting, but for a process by itself on a store that others write to: there
 * nobody can be made to wait for what was stored (`shownSoFar`), and no other process is spared anything.
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
