import { isAborted, realTiming, type Timing } from "@hostledger/runtime/async";

import type { Leases } from "./leases.port.ts";

/** How often a worker that waits for its turn asks for the lease, in milliseconds. */
const askIntervalMs = 1_000;

/**
 * Does work in one process at a time: waits for the lease, works while it is held, and waits again after it was lost.
 * Returns when the work returns by itself, or when the signal aborts.
 * @param leases left out where one process is all there is.
 * @param work gets a signal that also aborts when the lease is lost.
 * @throws whatever the work throws, with the lease given back.
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
