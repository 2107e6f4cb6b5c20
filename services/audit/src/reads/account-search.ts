import { domainToASCII } from "node:url";

import { canonicalAddress } from "@hostledger/core";
import { openRows, type PersonalColumns, type TextKeys } from "@hostledger/store/personal-data";
import { pagesById } from "@hostledger/runtime";

import type { AuditedAccountRow, AuditQueries, PageOf, SearchedAccountRow } from "./audit.queries.ts";

/** Rows read and decrypted at a time: some milliseconds without a pause. */
const pageRows = 100;

/** Maximum accounts found by one domain, address, ticket or request. */
const mostOfOne = 100;

const ofAccounts: PersonalColumns<AuditedAccountRow> = {
  account: ({ id }) => id,
  texts: { name: "name" },
};

const ofSearched: PersonalColumns<SearchedAccountRow> = {
  account: ({ id }) => id,
  texts: { name: "name", profile_name: "name", organisation: "organisation", email: "email" },
};

/** An account with the names of the fields in which the search text was found; empty without a search. */
export type FoundAccount = AuditedAccountRow & { readonly foundBy: readonly string[] };

type SearchQueries = Pick<
  AuditQueries,
  "accounts" | "searchedAccounts" | "documentByNumber" | "ownersOf" | "references"
>;

/**
 * Returns accounts with readable names, by id. Names and e-mail addresses are sealed in the read model, so no index
 * helps: the search decrypts page after page until it has enough.
 * @param search part of the name, organisation or e-mail address, in any case; or the whole id, domain, server address,
 * document number, ticket id or request id. Empty for all accounts.
 */
export async function findAccounts(
  queries: SearchQueries,
  keys: TextKeys,
  search: string,
  { afterId, limit }: PageOf,
): Promise<readonly FoundAccount[]> {
  if (search === "") {
    const rows = await openRows(keys, await queries.accounts({ afterId, limit }), ofAccounts);
    return rows.map((row) => ({ ...row, foundBy: [] }));
  }
  const named = await accountsNamed(queries, search);
  const found: FoundAccount[] = [];
  const pages = pagesById({
    read: (after, rows) => queries.searchedAccounts({ afterId: after, limit: rows }),
    idOf: ({ id }: SearchedAccountRow) => id,
    size: pageRows,
    after: afterId,
  });
  for await (const rows of pages) {
    const opened = await openRows(keys, rows, ofSearched);
    found.push(
      ...opened
        .map((row) => ({ ...row, foundBy: [...textsWith(search, row), ...(named.get(row.id) ?? [])] }))
        .filter(({ foundBy }) => foundBy.length > 0),
    );
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Returns the fields of an account that contain the search text. */
function textsWith(search: string, row: SearchedAccountRow): readonly string[] {
  const folded = search.toLowerCase();
  const texts = {
    name: row.name,
    "profile's name": row.profile_name,
    organisation: row.organisation,
    "e-mail": row.email,
  };
  const names = Object.entries(texts).filter(([, text]) => text?.toLowerCase().includes(folded) === true);
  return [...(String(row.id) === search ? ["account's id"] : []), ...names.map(([name]) => name)];
}

/** Returns accounts found by the name of a domain, server, document, ticket or request, with the kind of the match. */
async function accountsNamed(
  queries: SearchQueries,
  search: string,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const domain = domainToASCII(search.replace(/\.$/u, "")).toLowerCase();
  const address = canonicalAddress(search);
  const [ofDomain, ofTicket, document, servers, requests] = await Promise.all([
    domain.includes(".") ? queries.ownersOf(`domain-${domain}`, mostOfOne) : [],
    /^[1-9]\d{0,14}$/u.test(search) ? queries.ownersOf(`ticket-${search}`, mostOfOne) : [],
    queries.documentByNumber(search),
    address === undefined ? [] : queries.references("address", address, mostOfOne),
    queries.references("request", search, mostOfOne),
  ]);
  const named = new Map<number, string[]>();
  const add = (accountId: number | null | undefined, what: string): void => {
    if (accountId === null || accountId === undefined) return;
    const known = named.get(accountId) ?? [];
    if (!known.includes(what)) named.set(accountId, [...known, what]);
  };
  for (const owner of ofDomain) add(owner, `domain ${domain}`);
  for (const owner of ofTicket) add(owner, `ticket ${search}`);
  add(document?.account_id, `document ${search}`);
  for (const { stream, account_id: owner } of servers) add(owner, stream.replace("-", " "));
  for (const { stream, account_id: owner } of requests) add(owner ?? accountOf(stream), `request ${search}`);
  return named;
}

/** Returns the account of an account stream; undefined for any other stream. */
function accountOf(stream: string): number | undefined {
  const id = /^account-(\d+)$/u.exec(stream)?.[1];
  return id === undefined ? undefined : Number(id);
}
