import { rejection } from "@hostledger/core";
import { callerOf, rejectionError, requestedId, type WithContextValues } from "@hostledger/rpc";

/** Returns the account: a customer's own, or any for a service. @throws ConnectError `unauthorized`, `not-found` */
export function ownAccount(requested: bigint, context: WithContextValues): number {
  const accountId = requestedId("account", requested);
  const caller = callerOf(context);
  if (caller.kind === "account" && caller.accountId !== accountId)
    throw rejectionError(rejection("unauthorized"));
  return accountId;
}
