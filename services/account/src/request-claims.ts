import { requestAggregate, type Rejection } from "@hostledger/core";
import {
  createCommandHandler,
  type CommandHandler,
  type CommandHandlerOptions,
} from "@hostledger/event-store";
import type { ClaimOf } from "@hostledger/rpc";
import type { Clock } from "@hostledger/runtime";
import { hash } from "node:crypto";

/**
 * Keys whose state stays in memory between commands. Few, since an outcome may be large (256 KiB) and a key is mostly asked
 * about twice, within a moment; a repeat that comes later reads its stream, which is short.
 */
const requestsInMemory = 256;

/** What handles the commands about keys: one for a process, since its state in memory must be what all of it has written. */
export function createRequestCommands(
  options: Pick<CommandHandlerOptions, "store" | "recordedBy" | "tracing">,
): CommandHandler {
  return createCommandHandler({ ...options, cacheLimit: requestsInMemory });
}

/** Claims the keys of requests, for the services that are about to have an effect. */
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
          // Not known: whoever tries again sends the same command.
          making = undefined;
          throw error;
        });
        return making;
      },
    };
  };
}

/**
 * The id of a key's stream. A hash, since a key may hold what a stream's name must not; the account is part of it, so that
 * accounts do not share keys. NUL is in no key, which makes the two parts unmistakable.
 */
export function requestIdOf(accountId: number, key: string): string {
  return hash("sha256", `${String(accountId)}\0${key}`, "hex");
}
