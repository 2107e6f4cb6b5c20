import { parsed, unparsable, type Parsed } from "@hostledger/core";
import type { Page } from "@hostledger/protocol";

import { validated } from "../errors/validated.ts";

/** Which part of a list to read: rows with an id above `afterId`, in its order, at most `limit` of them. */
export interface RequestedPage {
  readonly afterId: number;
  readonly limit: number;
}

/** Rows of a page whose request names no limit. */
const fullPage = 1_000;

/**
 * Pages of up to so many rows are asked for again and again, and what they are shown as is kept. Longer ones are read to the
 * end now and then: keeping all of that would push out what is asked for often.
 */
export const longestKeptPage = 100;

/** The most rows of a page: a client's largest page and the one row more that tells whether another page follows. */
const longestPage = 1_001;

/**
 * Reads which page of a list is asked for (`hosting.common.v1.Page`); without one it is the first.
 *
 * A limit that is too high is refused rather than lowered: whoever asked would take the shorter page for the last one.
 *
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
