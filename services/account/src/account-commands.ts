import {
  accountAggregate,
  type AccountCommand,
  type AccountEvent,
  type OpenAccountState,
} from "@hostledger/core";
import { recentMs, refusalOf, type CommandContext } from "@hostledger/event-store";
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
  dependencies: AccountDependencies,
  accountId: number,
  command: AccountCommand,
  context: CommandContext,
): Promise<AccountOutcome> {
  const { commands } = dependencies;
  if (documented.has(command.type)) await beginDocumentSeries(dependencies, accountId, context);
  const executed = await commands.execute(accountAggregate, String(accountId), command, context);
  if (!executed.accepted) throw rejectionError(executed.rejection);
  const { state, position, revision, events } = executed;
  if (state.status !== "open")
    throw new Error(`the account ${String(accountId)} took a command but is not open`);
  return { account: state, position, revision, events };
}

/** Commands that issue a document. */
const documented: ReadonlySet<AccountCommand["type"]> = new Set([
  "ChargeBalance",
  "CreditBalance",
  "GrantRefund",
  "RefundCharge",
  "RefundRegistration",
  "ReverseTopUp",
]);

/** After the store was put back to an older copy, the account's next document is the first of a new series. */
async function beginDocumentSeries(
  { clock, commands, store }: AccountDependencies,
  accountId: number,
  { actor, correlationId }: CommandContext,
): Promise<void> {
  const series = store.lineage?.series ?? 0;
  if (series === 0) return;
  const { state } = await commands.load(accountAggregate, String(accountId), recentMs);
  if (state.status !== "open" || state.documentSeries >= series) return;
  await commands.execute(
    accountAggregate,
    String(accountId),
    { type: "BeginDocumentSeries", data: { series, at: clock.now() } },
    { commandId: `document-series/${String(series)}`, correlationId, actor },
  );
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
 * @param maxAgeMs as it was so many milliseconds ago at most, and never more than a second.
 * @throws ConnectError `not-found`, which never rests on what was so a moment ago.
 */
export async function findAccount(
  { commands }: Pick<AccountDependencies, "commands">,
  accountId: number,
  maxAgeMs = 0,
): Promise<AccountOutcome> {
  for (const ageMs of maxAgeMs > 0 ? [Math.min(maxAgeMs, recentMs), 0] : [0]) {
    const { state, position, revision } = await commands.load(accountAggregate, String(accountId), ageMs);
    if (state.status === "open") return { account: state, position, revision, events: [] };
  }
  throw noSuch("account");
}

/** Who and what a command acts for. @param commandId the same for every repeat of one command. */
export function commandContext(context: WithContextValues, commandId: string): CommandContext {
  return { ...requestContextOf(context), commandId };
}
