import { requestAggregate, type Rejection } from "@hostledger/core";
import { createCommandHandler, type CommandHandler, type CommandHandlerOptions } from "@hostledger/store";
import type { ClaimOf } from "@hostledger/rpc";
import type { Clock } from "@hostledger/runtime";
import { hash } from "node:crypto";

/** Maximum keys cached. Small, because an outcome may have 256 KiB and most repeats come within moments. */
const requestsInMemory = 256;

/** Creates the handler of commands on keys. One per process, because its cache must include all writes of the process. */
export function createRequestCommands(
  options: Pick<CommandHandlerOptions, "store" | "recordedBy" | "tracing">,
): CommandHandler {
  return createCommandHandler({ ...options, cacheLimit: requestsInMemory });
}

/** Creates the function that claims idempotency keys before a service's first effect. */
export function createRequestClaims({
  requests,
  clock,
}: {
  readonly requests: CommandHandler;
  readonly clock: Clock;
}): ClaimOf {
  return ({ accountId, key, fingerprint, owner }, origin) => {
    const { operationId } = origin;
    let isMade = false;
    let making: Promise<Rejection | undefined> | undefined;
    const store = async (): Promise<Rejection | undefined> => {
      const data = { accountId, fingerprint, operationId, owner, at: clock.now() };
      const claimed = await requests.execute(
        requestAggregate,
        requestIdOf(accountId, key),
        { type: "BeginRequest", data },
        { ...origin, commandId: `begin/${operationId}` },
      );
      isMade = claimed.accepted;
      return claimed.accepted ? undefined : claimed.rejection;
    };
    return {
      get isMade() {
        return isMade;
      },
      make() {
        making ??= store().catch((error: unknown) => {
          // The outcome is unknown, so the next attempt sends the command again.
          making = undefined;
          throw error;
        });
        return making;
      },
    };
  };
}

/**
 * Returns the id of a key's stream: a hash, because a key may contain characters forbidden in stream names. The account
 * is included, so that accounts do not share keys; NUL separates the parts because no key contains it.
 */
export function requestIdOf(accountId: number, key: string): string {
  return hash("sha256", `${String(accountId)}\0${key}`, "hex");
}
