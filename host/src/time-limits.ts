import { Backoff } from "@hostledger/runtime";

/** Time for running requests to finish at shutdown, in milliseconds: longer than the slowest registration. */
export const graceMs = 30_000;

/**
 * How long a gateway that leaves keeps connections without a request, in milliseconds, so that whoever sends one at that
 * moment is answered, and told to connect anew.
 */
export const lingerMs = 3_000;

/** Pauses between attempts to reach what does not answer yet at a start. @param overallMs how long is tried */
export function startBackoff(overallMs: number): Backoff {
  return new Backoff({ firstMs: 100, longestMs: 500, overallMs });
}

/** How long one step of a shutdown is waited for, and all of them together, in milliseconds. */
export const shutdownLimits = { stepLimitMs: 35_000, limitMs: 40_000 } as const;

/**
 * How often a call to another process is tried: with the pauses in between about 15 s, in which a process that is
 * restarted is back. A service that runs once has no other to go to meanwhile.
 */
export const serviceAttempts = 16;

/** How long the gateway waits for a service's answer, in milliseconds. */
export const requestTimeoutMs = 60_000;

/**
 * How long a request that a gateway began stays its own where nobody can tell whether the gateway lives, in milliseconds:
 * it has given every answer by then.
 */
export const takeOverAfterMs = requestTimeoutMs + 5_000;

/** A rebuild of read models may take as long as the log is. */
export const staffDeadline = { defaultMs: 30_000, maximumMs: 3_600_000 } as const;
