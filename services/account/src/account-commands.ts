import {
  accountAggregate,
  type AccountCommand,
  type AccountEvent,
  type OpenAccountState,
} from "@hostledger/core";
import { refusalOf, type CommandContext } from "@hostledger/event-store";
import { noSuch, rejectionError, requestContextOf, type WithContextValues } from "@hostledger/rpc";

import type { AccountDependencies } from "./dependencies.ts";

/** An account after a command, or as it was found. */
export interface AccountOutcome {
  readonly account: OpenAccountState;
  /** Place in the log of the account's last fact. */
  readonly position: bigint | undefined;
  /** Its place in the account's stream. */
  readonly revision: bigint | undefined;
  readonly events: readonly AccountEvent[];
}

/** Gives a command to an account. @throws ConnectError the account's refusal. */
export async function commandAccount(
  { accounts }: Pick<AccountDependencies, "accounts">,
  accountId: number,
  command: AccountCommand,
  context: CommandContext,
): Promise<AccountOutcome> {
  const executed = await accounts.execute(accountId, command, context);
  if (!executed.accepted) throw rejectionError(executed.rejection);
  const { state, position, revision, events } = executed;
  if (state.status !== "open")
    throw new Error(`the account ${String(accountId)} took a command but is not open`);
  return { account: state, position, revision, events };
}

/** Asks an account before an id or a quota is taken for a command. @throws ConnectError what it would refuse the command with. */
export async function refuseBefore(
  { commands }: Pick<AccountDependencies, "commands">,
  accountId: number,
  command: AccountCommand,
): Promise<void> {
  const refusal = await refusalOf(commands, accountAggregate, String(accountId), command);
  if (refusal !== undefined) throw rejectionError(refusal);
}

/**
 * Finds an open account.
 * @param maxAgeMs as `Accounts.find`.
 * @throws ConnectError `not-found`
 */
export async function findAccount(
  { accounts }: Pick<AccountDependencies, "accounts">,
  accountId: number,
  maxAgeMs?: number,
): Promise<AccountOutcome> {
  const found = await accounts.find(accountId, maxAgeMs);
  if (found === undefined) throw noSuch("account");
  return { ...found, events: [] };
}

/** Who and what a command acts for. @param commandId the same for every repeat of one command. */
export function commandContext(context: WithContextValues, commandId: string): CommandContext {
  return { ...requestContextOf(context), commandId };
}
