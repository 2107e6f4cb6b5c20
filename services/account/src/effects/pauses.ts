import type { EffectEnd } from "@hostledger/work";

/** Pauses of the work that the account service does. */

/** Pauses after an attempt that failed, in milliseconds. */
export const retry = { firstMs: 1_000, longestMs: 3_600_000 };

/** Pause while no money may move, in milliseconds. */
export const postponedMs = 60_000;

/** An effect that waits, because the store is an older backup that staff have not accepted. */
export const postponed: EffectEnd = { outcome: "done", step: "postponed", againAfterMs: postponedMs };
