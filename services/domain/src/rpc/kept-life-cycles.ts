import type { EndTerms } from "@hostledger/core";

import type { DomainQueries } from "../reads/domain.queries.ts";
import type { ShownDomainRow } from "../reads/shown-domain.queries.ts";

const none: ReadonlyMap<string, EndTerms> = new Map();

/**
 * Life cycles of extensions for rows that are shown, read again only where the rows say that something was said of them since:
 * what is shown needs one statement. The table says nothing of the past, and no row of it goes.
 */
export function keptLifeCycles(
  queries: Pick<DomainQueries, "lifeCycles">,
): (rows: readonly Pick<ShownDomainRow, "life_cycles_position">[]) => Promise<ReadonlyMap<string, EndTerms>> {
  let kept: { readonly position: number | null; readonly lifeCycles: typeof none } | undefined;
  return async ([row]) => {
    if (row === undefined) return none;
    const { life_cycles_position: position } = row;
    if (kept?.position === position) return kept.lifeCycles;
    // Read after the rows: they are of that position, or of a later one.
    const lifeCycles = await queries.lifeCycles();
    kept = { position, lifeCycles };
    return lifeCycles;
  };
}
