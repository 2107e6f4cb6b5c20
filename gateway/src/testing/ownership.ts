import type { HandlerContext } from "@connectrpc/connect";
import { rejectionError, requireAccount } from "@hostledger/rpc";

/** The refusal of another account's resource (specification §5). */
export const notYours = { code: "unauthorized", message: "This action is unauthorized." } as const;

/** Returns the id of the calling account's only resource of each kind: the account's number. */
export function theirs(context: HandlerContext): bigint {
  return BigInt(requireAccount(context).accountId);
}

/** Refuses like services: accounts 7 and 8 each own the resource with their number; other resources do not exist. */
export function refuseUnlessOwner(context: HandlerContext, id: bigint, kind: string): void {
  if (id !== 7n && id !== 8n) {
    throw rejectionError({ code: "not-found", message: `There is no such ${kind}.` });
  }
  if (theirs(context) !== id) throw rejectionError(notYours);
}
