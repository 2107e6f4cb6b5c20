import { openRows, type PersonalColumns, type TextKeys } from "@hostledger/personal-data";
import { pagesById } from "@hostledger/runtime";

import type { AuditedAccountRow, AuditQueries, PageOf } from "./audit.queries.ts";

/** Rows that are read and opened at a time: some milliseconds, for which others wait. */
const pageRows = 100;

const ofAccounts: PersonalColumns<AuditedAccountRow> = {
  account: ({ id }) => id,
  texts: { name: "name" },
};

/**
 * Accounts with their names opened, by id. Names are sealed where they are kept, so no index helps a search: it opens them
 * one page after the other until it has enough.
 * @param search a part of the name, in any case, or the whole id; empty for all.
 */
export async function findAccounts(
  { accounts }: Pick<AuditQueries, "accounts">,
  keys: TextKeys,
  search: string,
  { afterId, limit }: PageOf,
): Promise<readonly AuditedAccountRow[]> {
  if (search === "") return openRows(keys, await accounts({ afterId, limit }), ofAccounts);
  const folded = search.toLowerCase();
  const found: AuditedAccountRow[] = [];
  const pages = pagesById({
    read: (after, rows) => accounts({ afterId: after, limit: rows }),
    idOf: ({ id }: AuditedAccountRow) => id,
    size: pageRows,
    after: afterId,
  });
  for await (const rows of pages) {
    const opened = await openRows(keys, rows, ofAccounts);
    found.push(
      ...opened.filter(({ id, name }) => String(id) === search || name.toLowerCase().includes(folded)),
    );
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}
