import { pagesById, type Timing } from "@hostledger/runtime";

import type { SupportQueries } from "../reads/support.queries.ts";

/** How often all names are opened, in milliseconds. A key that is lost in between is noticed by whoever reads a text of it. */
const intervalMs = 3_600_000;

/** Names opened with one question. */
const pageRows = 1_000;

/**
 * Opens the names of all customers, at the start and then every hour: so a missing key is noticed (by the keys themselves, which
 * hear of what does not open) before somebody needs it. Works until the signal aborts.
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
  // Reading is what opens them.
  for await (const _page of all) if (signal.aborted) return;
}
