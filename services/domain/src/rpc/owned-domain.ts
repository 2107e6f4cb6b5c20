import type { HandlerContext } from "@connectrpc/connect";
import { parseId, rejection, type RejectionCode } from "@hostledger/core";
import { rejectionError, requireAccount } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import type { DomainRow } from "../reads/domain.queries.ts";

/**
 * The caller's domain of this id. A domain never changes hands, so that the read model may tell whose it is.
 * @throws ConnectError `not-found` where there is none, `unauthorized` where it is another account's, or the caller none.
 */
export async function ownedDomain(
  { queries }: Pick<DomainDependencies, "queries">,
  domainId: bigint,
  context: HandlerContext,
): Promise<DomainRow> {
  const { accountId } = requireAccount(context);
  const id = parseId(domainId);
  const row = id.ok ? await queries.domainById(id.value) : undefined;
  if (row === undefined) throw rejectionError(rejection("not-found", "There is no such domain."));
  if (row.account_id !== accountId) throw rejectionError(rejection("unauthorized"));
  return row;
}

/** @throws ConnectError where the domain is on its way to us: nobody can be asked for anything yet. */
export function refuseOnItsWay(
  { expiry_date: expiryDate }: DomainRow,
  code: RejectionCode = "domain-not-active",
): void {
  if (expiryDate !== null) return;
  throw rejectionError(rejection(code, "The domain is on its way to us from another registrar."));
}
