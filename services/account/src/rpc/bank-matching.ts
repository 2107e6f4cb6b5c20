import {
  bankAggregate,
  entryOfTopUp,
  rejection,
  topUpReferenceOf,
  type BankEntry,
  type BankState,
  type MatchEntry,
  type ReassignEntry,
} from "@hostledger/core";
import {
  noSuch,
  rejectionError,
  requireAccepted,
  requireStaff,
  type WithContextValues,
} from "@hostledger/rpc";
import { refusalOf, unusedId } from "@hostledger/store";

import { commandContext, findAccount, refuseBefore } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { bankCreditKind } from "../reads/account.tables.ts";
import { requireApproval, type MoneyRequest } from "./approvals.ts";

/** A payment and the account that it shall belong to. */
interface Assigning {
  readonly iban: string;
  readonly entryId: number;
  readonly accountId: number;
  /** Why staff move it; empty for a payment that waits. */
  readonly reason: string;
}

export interface Assigned {
  readonly entry: BankEntry;
  readonly state: BankState;
  readonly balanceCents: bigint;
  /** Id of the receipt. */
  readonly invoiceId: bigint;
  readonly repeated: boolean;
}

type Assign = MatchEntry | ReassignEntry;

/**
 * Gives a payment to an account, for staff: a waiting payment, or one that another account has.
 * @throws ConnectError for a rejection, or `approval-required`.
 */
export async function assignEntry(
  dependencies: AccountDependencies,
  type: Assign["type"],
  asked: Assigning,
  context: WithContextValues,
): Promise<Assigned> {
  const { clock, commands } = dependencies;
  const staff = requireStaff(context);
  const { iban, entryId, accountId, reason } = asked;
  const { state } = await commands.load(bankAggregate, iban);
  const entry = state.entries.get(entryId);
  if (entry === undefined) throw noSuch("entry: see hostledger bank list");
  const refusal = await refusalOf(commands, bankAggregate, iban, commandOf(type, asked, clock.now()));
  if (refusal !== undefined) throw rejectionError(refusal);
  await findAccount(dependencies, accountId);
  if (ownerOf(entry) !== accountId) {
    const { amountCents } = entry;
    const reference = topUpReferenceOf(iban, entryId, timesAssigned(entry) + 1);
    const data = { reference, amountCents, invoiceId: unusedId, at: clock.now() };
    await refuseBefore(dependencies, accountId, { type: "CreditBalance", data });
    const requested = {
      accountId,
      kind: "top-up",
      amountCents,
      reference,
      reason,
      debtAllowed: false,
    } as const;
    await requireApproval(dependencies, staff, requested, context);
  }
  return assign(dependencies, type, asked, context);
}

/** Carries out a match that another person approved. */
export async function assignApproved(
  dependencies: AccountDependencies,
  { accountId, reference, reason }: MoneyRequest,
  context: WithContextValues,
): Promise<Assigned> {
  const named = entryOfTopUp(reference);
  if (named === undefined) throw new Error(`${reference} is no reference of a bank entry`);
  const { state } = await dependencies.commands.load(bankAggregate, named.iban);
  const entry = state.entries.get(named.entryId);
  const type = entry?.status === "matched" ? "ReassignEntry" : "MatchEntry";
  return assign(dependencies, type, { ...named, accountId, reason }, context);
}

/**
 * Records to which account a payment belongs, and corrects the balances. If it is interrupted, the work engine
 * completes it.
 */
async function assign(
  dependencies: AccountDependencies,
  type: Assign["type"],
  asked: Assigning,
  context: WithContextValues,
): Promise<Assigned> {
  const { clock, commands, ids, projector, work } = dependencies;
  const { iban, entryId, accountId } = asked;
  const command = commandOf(type, asked, clock.now());
  const asCommand = commandContext(context, `bank/${String(entryId)}/${ids.uuid()}`);
  const executed = await commands.execute(bankAggregate, iban, command, asCommand);
  requireAccepted(executed);
  const entry = executed.state.entries.get(entryId);
  if (entry?.status !== "matched") throw new Error(`entry ${String(entryId)} was matched but is not`);
  const attended = await work.attend(
    { kind: bankCreditKind, key: `${iban}/${String(entryId)}` },
    { begin: () => Promise.resolve({}) },
  );
  if (attended.end === "failed")
    throw rejectionError(
      rejection(
        attended.code ?? "temporarily-unavailable",
        `The payment belongs to account ${String(accountId)} now, but could not be credited yet: ${attended.reason} It is tried again.`,
      ),
    );
  const { account, position } = await findAccount(dependencies, accountId);
  await projector.after(position);
  const receipt = account.credits.get(entry.assignments.at(-1)?.topUpReference ?? "");
  return {
    entry,
    state: executed.state,
    balanceCents: account.balanceCents,
    invoiceId: BigInt(receipt?.invoiceId ?? 0),
    repeated: executed.events.length === 0,
  };
}

function commandOf(type: Assign["type"], { entryId, accountId, reason }: Assigning, at: string): Assign {
  return type === "MatchEntry"
    ? { type, data: { entryId, accountId, at } }
    : { type, data: { entryId, accountId, reason, at } };
}

/** Returns the account that has a payment. */
export function ownerOf(entry: BankEntry): number | undefined {
  return entry.status === "matched" ? entry.assignments.at(-1)?.accountId : undefined;
}

function timesAssigned(entry: BankEntry): number {
  return entry.status === "matched" ? entry.assignments.length : 0;
}
