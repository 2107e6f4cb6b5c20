import type { ConnectError } from "@connectrpc/connect";
import { parseId, rejection } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import { requireAccount, type WithContextValues } from "../interceptors/call-context.ts";

/** Creates the rejection of a missing resource. @param what name of its kind, such as `domain` */
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
 * Returns the caller's own row by id. A read model may decide the owner, because these resources never change their
 * owner.
 * @throws ConnectError `not-found` if there is no row; `unauthorized` if another account or nobody owns it, or the
 * caller is no customer.
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
