import { parseId, rejection } from "@hostledger/core";
import { rejectionError, requireAccount, type WithContextValues } from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import type { ServerRow } from "../reads/server.queries.ts";

/**
 * The caller's server of this id.
 * @throws ConnectError `not-found` when there is none, `unauthorized` when it is another account's.
 */
export async function ownServer(
  { queries }: ServerDependencies,
  serverId: bigint,
  context: WithContextValues,
): Promise<ServerRow> {
  const { accountId } = requireAccount(context);
  const id = parseId(serverId);
  const row = id.ok ? await queries.serverById(id.value) : undefined;
  if (row === undefined) throw rejectionError(rejection("not-found", "There is no such server."));
  if (row.account_id !== accountId) throw rejectionError(rejection("unauthorized"));
  return row;
}
