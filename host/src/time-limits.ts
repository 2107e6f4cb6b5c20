import { Backoff } from "@hostledger/runtime";

/** Time for running requests to finish at shutdown, in milliseconds: longer than the slowest registration. */
export const graceMs = 30_000;

/**
 * Time for which a leaving gateway keeps idle connections, in milliseconds, so that a request at that moment gets an
 * answer and the advice to reconnect.
 */
export const lingerMs = 3_000;

/** Pauses between attempts to reach a store at a start. @param overallMs total time of the attempts */
export function startBackoff(overallMs: number): Backoff {
  return new Backoff({ firstMs: 100, longestMs: 500, overallMs });
}

/** Time limits of one step of a shutdown, and of all steps together, in milliseconds. */
export const shutdownLimits = { stepLimitMs: 35_000, limitMs: 40_000 } as const;

/**
 * Attempts of a call to another process: with the pauses about 15 s, in which a restarted process is back. A service
 * that runs once has no replica.
 */
export const serviceAttempts = 16;

/** Maximum wait of the gateway for a service's answer, in milliseconds. */
export const requestTimeoutMs = 60_000;

/**
 * Time for which a request belongs to the gateway that began it if it is unknown whether the gateway lives, in
 * milliseconds: by then the gateway has given every answer.
 */
export const takeOverAfterMs = requestTimeoutMs + 5_000;

/** A rebuild of read models may take as long as the log is. */
export const staffDeadline = { defaultMs: 30_000, maximumMs: 3_600_000 } as const;
