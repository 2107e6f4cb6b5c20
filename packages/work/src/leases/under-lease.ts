import { isAborted, realTiming, type Timing } from "@hostledger/runtime/async";

import type { Leases } from "./leases.port.ts";

/** Interval at which a waiting worker asks for the lease, in milliseconds. */
const askIntervalMs = 1_000;

/**
 * Does work in one process at a time: waits for the lease, works while it is valid, and waits again after a loss.
 * Returns when the work returns or the signal aborts.
 * @param leases undefined if there is only one process.
 * @param work gets a signal that also aborts when the lease is lost.
 * @throws Every error of the work, after the release of the lease.
 */
export async function runUnderLease(
  leases: Leases | undefined,
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  timing: Timing = realTiming,
): Promise<void> {
  if (leases === undefined) {
    await work(signal);
    return;
  }
  while (!isAborted(signal)) {
    const lease = await leases.tryAcquire(name);
    if (lease === undefined) {
      await timing.sleep(askIntervalMs, signal);
      continue;
    }
    try {
      await work(AbortSignal.any([signal, lease.lost]));
    } finally {
      await lease.release();
    }
    if (!lease.lost.aborted) return;
  }
}
