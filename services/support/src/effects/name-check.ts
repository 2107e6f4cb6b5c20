import { pagesById, type Timing } from "@hostledger/runtime";

import type { SupportQueries } from "../reads/support.queries.ts";

/** Interval between checks of all names, in milliseconds. A key that is lost in between is noticed at the next use. */
const intervalMs = 3_600_000;

/** Names opened with one question. */
const pageRows = 1_000;

/**
 * Decrypts the names of all customers at the start and every hour, so that a missing key is noticed before it is
 * needed (the keys themselves report the failure). Works until the signal aborts.
 */
export async function checkNames(
  queries: Pick<SupportQueries, "customersAfter">,
  clock: Timing,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await openAll(queries, signal);
    await clock.sleep(intervalMs, signal);
  }
}

async function openAll(queries: Pick<SupportQueries, "customersAfter">, signal: AbortSignal): Promise<void> {
  const all = pagesById({
    read: (afterId, limit) => queries.customersAfter(afterId, limit),
    idOf: ({ id }) => id,
    size: pageRows,
  });
  // Reading a page decrypts its names.
  for await (const _page of all) if (signal.aborted) return;
}
