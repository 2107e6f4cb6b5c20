import {
  accountAggregate,
  type AccountCommand,
  type AccountEvent,
  type OpenAccountState,
} from "@hostledger/core";
import type { CommandContext } from "@hostledger/event-store";
import { noSuch, rejectionError, requestContextOf, type WithContextValues } from "@hostledger/rpc";

import type { AccountDependencies } from "./dependencies.ts";

/** An account after a command, or as it was found. */
export interface AccountOutcome {
  readonly account: OpenAccountState;
  /** Place in the log of the account's last fact. */
  readonly position: bigint | undefined;
  readonly events: readonly AccountEvent[];
}

/** Gives a command to an account. @throws ConnectError the account's refusal. */
export async function commandAccount(
  { commands }: AccountDependencies,
  accountId: number,
  command: AccountCommand,
  context: CommandContext,
): Promise<AccountOutcome> {
  const executed = await commands.execute(accountAggregate, String(accountId), command, context);
  if (!executed.accepted) throw rejectionError(executed.rejection);
  const { state, position, events } = executed;
  if (state.status !== "open")
    throw new Error(`the account ${String(accountId)} took a command but is not open`);
  return { account: state, position, events };
}

/** Finds an open account. @throws ConnectError `not-found`. */
export async function findAccount(
  { commands }: AccountDependencies,
  accountId: number,
): Promise<AccountOutcome> {
  const { state, position } = await commands.load(accountAggregate, String(accountId));
  if (state.status !== "open") throw noSuch("account");
  return { account: state, position, events: [] };
}

/** Who and what a command acts for. @param commandId the same for every repeat of one command. */
export function commandContext(context: WithContextValues, commandId: string): CommandContext {
  return { ...requestContextOf(context), commandId };
}
