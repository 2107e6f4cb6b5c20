import { rejection } from "@hostledger/core";
import { callerOf, rejectionError, requestedId, type WithContextValues } from "@hostledger/rpc";

/**
 * Returns the account that the caller may read: a customer its own, a service any. @throws ConnectError `unauthorized`,
 * `not-found`.
 */
export function ownAccount(requested: bigint, context: WithContextValues): number {
  const accountId = requestedId("account", requested);
  const caller = callerOf(context);
  if (caller.kind === "account" && caller.accountId !== accountId)
    throw rejectionError(rejection("unauthorized"));
  return accountId;
}
