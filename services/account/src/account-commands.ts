import {
  accountAggregate,
  type AccountCommand,
  type AccountEvent,
  type OpenAccountState,
} from "@hostledger/core";
import { refusalOf, type CommandContext } from "@hostledger/store";
import {
  noSuch,
  rejectionError,
  requestContextOf,
  requireAccepted,
  type WithContextValues,
} from "@hostledger/rpc";

import type { AccountDependencies } from "./dependencies.ts";

/** An account after a command, or as found. */
export interface AccountOutcome {
  readonly account: OpenAccountState;
  /** Position in `$all` of the account's last event. */
  readonly position: bigint | undefined;
  /** Revision of the account's last event. */
  readonly revision: bigint | undefined;
  readonly events: readonly AccountEvent[];
}

/** Executes a command on an account. @throws ConnectError for a rejection. */
export async function commandAccount(
  { accounts }: Pick<AccountDependencies, "accounts">,
  accountId: number,
  command: AccountCommand,
  context: CommandContext,
): Promise<AccountOutcome> {
  const executed = await accounts.execute(accountId, command, context);
  requireAccepted(executed);
  const { state, position, revision, events } = executed;
  if (state.status !== "open")
    throw new Error(`the account ${String(accountId)} took a command but is not open`);
  return { account: state, position, revision, events };
}

/** Checks a command before an id or a quota is used for it. @throws ConnectError for a rejection. */
export async function refuseBefore(
  { commands }: Pick<AccountDependencies, "commands">,
  accountId: number,
  command: AccountCommand,
): Promise<void> {
  const refusal = await refusalOf(commands, accountAggregate, String(accountId), command);
  if (refusal !== undefined) throw rejectionError(refusal);
}

/** Finds an open account. @param maxAgeMs passed to `Accounts.find`. @throws ConnectError `not-found` */
export async function findAccount(
  { accounts }: Pick<AccountDependencies, "accounts">,
  accountId: number,
  maxAgeMs?: number,
): Promise<AccountOutcome> {
  const found = await accounts.find(accountId, maxAgeMs);
  if (found === undefined) throw noSuch("account");
  return { ...found, events: [] };
}

/** Returns the context of a command. @param commandId equal for every repeat of a command. */
export function commandContext(context: WithContextValues, commandId: string): CommandContext {
  return { ...requestContextOf(context), commandId };
}
