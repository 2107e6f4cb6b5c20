import { parsed, unparsable, type Parsed } from "@hostledger/core";
import type { Page } from "@hostledger/protocol";

import { validated } from "../errors/validated.ts";

/** A page of a list: rows with an id above `afterId`, in its order, at most `limit` of them. */
export interface RequestedPage {
  readonly afterId: number;
  readonly limit: number;
}

/** Rows of a page whose request names no limit. */
const fullPage = 1_000;

/**
 * Maximum rows of a page whose answers are cached. Longer pages are read rarely, and caching them would evict short
 * ones.
 */
export const longestKeptPage = 100;

/** Maximum rows of a page: a client's largest page, plus one row that shows whether another page follows. */
const longestPage = 1_001;

/**
 * Parses the requested page (`hosting.common.v1.Page`); default: the first page. A limit that is too high is refused
 * rather than lowered, because the caller would take the shorter page for the last one.
 * @throws ConnectError `validation-failed`
 */
export function requestedPage(page: AskedPage | undefined): RequestedPage {
  const { afterId = 0n, limit = 0, descending = false, filter } = page ?? {};
  return validated({
    afterId: parseAfterId(afterId),
    limit: parseLimit(limit),
    ...(descending ? { descending: unparsable("is not known to this list") } : {}),
    ...(filter === undefined ? {} : { filter: unparsable("is not known to this list") }),
  });
}

type AskedPage = Pick<Page, "afterId" | "limit"> & Partial<Pick<Page, "descending" | "filter">>;

function parseAfterId(afterId: bigint): Parsed<number> {
  return afterId >= 0n && afterId <= BigInt(Number.MAX_SAFE_INTEGER)
    ? parsed(Number(afterId))
    : unparsable("must be an id of 0 or more");
}

function parseLimit(limit: number): Parsed<number> {
  if (limit === 0) return parsed(fullPage);
  return Number.isInteger(limit) && limit >= 1 && limit <= longestPage
    ? parsed(limit)
    : unparsable("must be 1 to 1,001, or 0 for 1,000");
}
