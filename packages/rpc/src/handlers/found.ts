import type { ConnectError } from "@connectrpc/connect";
import { parseId, rejection } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import { requireAccount, type WithContextValues } from "../interceptors/call-context.ts";

/** The refusal of what is not there. @param what in words: `domain` */
export function noSuch(what: string): ConnectError {
  return rejectionError(rejection("not-found", `There is no such ${what}.`));
}

/** The number that a request names something by. @throws ConnectError `not-found` where nothing can have it. */
export function requestedId(what: string, id: bigint): number {
  const parsed = parseId(id);
  if (!parsed.ok) throw noSuch(what);
  return parsed.value;
}

/** The row that a request names. @throws ConnectError `not-found` where there is none. */
export async function foundRow<Row>(
  what: string,
  id: bigint,
  find: (id: number) => Promise<Row | undefined>,
): Promise<Row> {
  const row = await find(requestedId(what, id));
  if (row === undefined) throw noSuch(what);
  return row;
}

/**
 * The caller's own row of this id. Nothing here changes hands, so that a read model may tell whose it is.
 * @throws ConnectError `not-found` where there is none, `unauthorized` where it is another account's or nobody's, or the
 * caller none.
 */
export async function ownRow<Row extends { readonly account_id: number | null }>(
  what: string,
  id: bigint,
  context: WithContextValues,
  find: (id: number) => Promise<Row | undefined>,
): Promise<Row> {
  const { accountId } = requireAccount(context);
  const row = await foundRow(what, id, find);
  if (row.account_id !== accountId) throw rejectionError(rejection("unauthorized"));
  return row;
}
