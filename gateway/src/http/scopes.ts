import { hasScope } from "@hostledger/rpc";

import type { HeldScopes, Operation } from "./operation.ts";
import { RefusalError } from "./refusal.ts";

/** Returns true if an API key with these scopes may call the operation. */
export function mayCall(held: HeldScopes, { scopes }: Pick<Operation, "scopes">): boolean {
  return scopes.some((scope) => hasScope(held, scope));
}

/** @throws RefusalError 403 naming the scope that an API key lacks. */
export function requireScope(held: HeldScopes, operation: Pick<Operation, "scopes">): void {
  if (mayCall(held, operation)) return;
  const [scope, ...others] = operation.scopes;
  const instead = others.length === 0 ? "" : ` (${others.join(" or ")} would do, too)`;
  const message = `The API key lacks the scope ${scope}${instead}.`;
  throw new RefusalError({ code: "missing-scope", message, detail: { scope } });
}

/** Returns the DNS record types that a key may write; an empty list means all. */
export function recordTypesOf(held: HeldScopes): string[] {
  return hasScope(held, "dns") ? [] : ["TXT"];
}
