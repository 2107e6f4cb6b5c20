import type { EndTerms } from "@hostledger/core";

import type { DomainQueries } from "../reads/domain.queries.ts";
import type { ShownDomainRow } from "../reads/shown-domain.queries.ts";

const none: ReadonlyMap<string, EndTerms> = new Map();

/** Caches life cycles of extensions, and reads them again only if a row shows a later position. */
export function keptLifeCycles(
  queries: Pick<DomainQueries, "lifeCycles">,
): (rows: readonly Pick<ShownDomainRow, "life_cycles_position">[]) => Promise<ReadonlyMap<string, EndTerms>> {
  let kept: { readonly position: number | null; readonly lifeCycles: typeof none } | undefined;
  return async ([row]) => {
    if (row === undefined) return none;
    const { life_cycles_position: position } = row;
    if (kept?.position === position) return kept.lifeCycles;
    // Read after the rows, so the life cycles are at least as new.
    const lifeCycles = await queries.lifeCycles();
    kept = { position, lifeCycles };
    return lifeCycles;
  };
}
