import type { ServiceImpl } from "@connectrpc/connect";
import {
  bankAggregate,
  dayOf,
  parseIban,
  parseStaffReason,
  paymentAggregate,
  refundIdOf,
  rejection,
  sameOrder,
  type OpenAccountState,
  type PaidOut,
  type PaymentState,
  type PayOut,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import {
  noSuch,
  rejectionError,
  requestedId,
  requireStaff,
  validated,
  type StaffCaller,
  type WithContextValues,
} from "@hostledger/rpc";

import { commandAccount, commandContext, findAccount, refuseBefore } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { orderIdOfPayment, providerNamed } from "../effects/payment-work.ts";
import { payoutKey } from "../effects/payout.effects.ts";
import { paymentKind, payoutKind } from "../reads/account.tables.ts";
import { parseAmount } from "./adjustments.ts";
import { requireApproval, type MoneyRequest } from "./approvals.ts";

type Handlers = Pick<ServiceImpl<typeof admin.AccountAdminService>, "payOut" | "refundPayment">;

/** Maximum wait of a request for the payment provider, in milliseconds. */
const waitLimitMs = 10_000;

/** Creates the staff's handlers that send money back to customers (ADR 0195). */
export function payOutHandlers(dependencies: AccountDependencies): Handlers {
  return {
    async payOut(request, context) {
      const staff = requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const asked = validated({
        amountCents: parseAmount(request.amountCents),
        iban: parseIban(request.iban),
        reason: parseStaffReason(request.reason),
      });
      const requested = {
        accountId,
        kind: "payout",
        reference: "payout",
        debtAllowed: false,
        ...asked,
      } as const;
      return orderPayout(dependencies, staff, requested, context);
    },

    async refundPayment(request, context) {
      const staff = requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const paymentId = requestedId("payment", request.paymentId);
      const asked = validated({
        amountCents: parseAmount(request.amountCents),
        reason: parseStaffReason(request.reason),
      });
      const reference = `payment ${String(paymentId)}`;
      const requested = {
        accountId,
        kind: "payment-refund",
        reference,
        debtAllowed: false,
        ...asked,
      } as const;
      const { account } = await findAccount(dependencies, accountId);
      const { key, topUpReference } = await refundable(dependencies, requested);
      if (madeBefore(account, requested, topUpReference) === undefined) {
        const command = refundOf(dependencies, account, requested, { key, topUpReference });
        await refuseBefore(dependencies, accountId, command);
        await requireApproval(dependencies, staff, requested, context);
      }
      return sendRefund(dependencies, requested, context);
    },
  };
}

/** A payout that staff request. */
export interface PayoutRequest extends MoneyRequest {
  readonly kind: "payout";
  readonly iban: string;
}

/**
 * Debits a payout that one person may order, or that another person approved. A bank account from which no money of the customer came
 * always needs another person. @throws ConnectError for a rejection, or `approval-required`
 */
export async function orderPayout(
  dependencies: AccountDependencies,
  staff: StaffCaller,
  requested: PayoutRequest,
  context: WithContextValues,
) {
  const { accountId, iban } = requested;
  const { account } = await findAccount(dependencies, accountId);
  if (madeBefore(account, requested) === undefined) {
    const command = payoutOf(dependencies, account, requested, "unused");
    await refuseBefore(dependencies, accountId, command);
    const isSource = (await payersOf(dependencies, accountId)).has(iban);
    await requireApproval(dependencies, staff, requested, context, !isSource);
  }
  return sendPayout(dependencies, requested, context);
}

/** Debits a payout, and lets it wait for the bank. What is cut off here, the work engine completes. @throws ConnectError for a rejection */
export async function sendPayout(
  dependencies: AccountDependencies,
  requested: MoneyRequest,
  context: WithContextValues,
) {
  const { accountId } = requested;
  const found = await findAccount(dependencies, accountId);
  const known = madeBefore(found.account, requested);
  const ordered = known?.reference ?? (await nextReference(dependencies));
  const { account, events, position } =
    known === undefined
      ? await commandAccount(
          dependencies,
          accountId,
          payoutOf(dependencies, found.account, requested, ordered),
          commandContext(context, `payout/${ordered}`),
        )
      : found;
  // Another process may have made the same order meanwhile.
  const reference = madeBefore(account, requested)?.reference ?? ordered;
  await dependencies.work.attend(
    { kind: payoutKind, key: payoutKey(accountId, reference) },
    { begin: () => Promise.resolve({}) },
  );
  await dependencies.projector.after(position);
  return { reference, balanceCents: account.balanceCents, repeated: events.length === 0 };
}

/** Debits a refund, and has the work engine order it at the provider. @throws ConnectError for a rejection */
export async function sendRefund(
  dependencies: AccountDependencies,
  requested: MoneyRequest,
  context: WithContextValues,
) {
  const { accountId } = requested;
  const { key, topUpReference } = await refundable(dependencies, requested);
  const found = await findAccount(dependencies, accountId);
  const known = madeBefore(found.account, requested, topUpReference);
  const command = refundOf(dependencies, found.account, requested, { key, topUpReference });
  const refundId = known?.reference ?? command.data.reference;
  const { events } =
    known === undefined
      ? await commandAccount(dependencies, accountId, command, commandContext(context, `refund/${refundId}`))
      : found;
  await dependencies.work.attend(
    { kind: paymentKind, key },
    { limitMs: waitLimitMs, begin: () => Promise.resolve({}) },
  );
  const { state } = await dependencies.commands.load(paymentAggregate, key);
  const { account, position } = await findAccount(dependencies, accountId);
  await dependencies.projector.after(position);
  const status = "refunds" in state ? state.refunds.get(refundId)?.status : undefined;
  return {
    refundId,
    state: status ?? "ordered",
    balanceCents: account.balanceCents,
    repeated: events.length === 0,
  };
}

function madeBefore(
  account: OpenAccountState,
  { amountCents, reason, iban = "" }: MoneyRequest,
  topUpReference: string | null = null,
): PaidOut | undefined {
  return sameOrder(account, { amountCents, reason, iban, topUpReference });
}

async function nextReference({ installation, payoutIds }: AccountDependencies): Promise<string> {
  return `${(await installation.named()).part}-P${String(await payoutIds.next())}`;
}

function payoutOf(
  dependencies: AccountDependencies,
  { name, profile }: OpenAccountState,
  { amountCents, reason, iban = "" }: MoneyRequest,
  reference: string,
): PayOut {
  const { bankIban } = dependencies;
  if (bankIban === undefined)
    throw rejectionError(
      rejection(
        "validation-failed",
        "No bank account is configured: set HOSTLEDGER_BANK_IBAN to your IBAN and restart.",
      ),
    );
  const holder = [profile.organisation, profile.name, name].find((text) => text !== "") ?? name;
  const order = {
    to: "bank",
    topUpReference: null,
    fromIban: bankIban,
    iban,
    name: holder.slice(0, 140),
  } as const;
  return { type: "PayOut", data: { ...order, ...common(dependencies), reference, amountCents, reason } };
}

function refundOf(
  dependencies: AccountDependencies,
  { paidOut }: OpenAccountState,
  { amountCents, reason }: MoneyRequest,
  { key, topUpReference }: { readonly key: string; readonly topUpReference: string },
): PayOut {
  const number = [...paidOut.values()].filter((one) => one.topUpReference === topUpReference).length + 1;
  const reference = refundIdOf(orderIdOfPayment(key), number);
  const order = { to: "source", topUpReference, fromIban: "", iban: "", name: "" } as const;
  return { type: "PayOut", data: { ...order, ...common(dependencies), reference, amountCents, reason } };
}

function common({ clock, retainedJournalYears }: AccountDependencies) {
  const at = clock.now();
  return { at, keptUntilYear: Number(dayOf(at).slice(0, 4)) + retainedJournalYears };
}

/** Finds the settled payment of a request. @throws ConnectError `not-found` also for the payment of another customer */
async function refundable(
  { commands, payments, queries }: AccountDependencies,
  { accountId, reference }: MoneyRequest,
): Promise<{ readonly key: string; readonly topUpReference: string }> {
  const row = await queries.paymentById(Number(reference.slice("payment ".length)));
  if (row?.account_id !== accountId) throw noSuch("payment");
  const key = row.stream_key;
  const { state } = await commands.load(paymentAggregate, key);
  const settled = settledIn(state);
  if (settled === undefined)
    throw rejectionError(
      rejection("validation-failed", "The payment was not settled: there is nothing to refund."),
    );
  const provider = state.status === "absent" ? "" : state.requested.provider;
  if (providerNamed(payments ?? {}, provider) === undefined)
    throw rejectionError(
      rejection(
        "validation-failed",
        "This instance lacks the payment provider of the payment: use hostledger admin account payout.",
      ),
    );
  return { key, topUpReference: settled };
}

function settledIn(state: PaymentState): string | undefined {
  return state.status === "settled" || state.status === "returned"
    ? state.settled.providerReference
    : undefined;
}

/** Returns the IBANs of bank accounts from which money of the account came. */
export async function payersOf(
  { bankIban = "", commands }: Pick<AccountDependencies, "bankIban" | "commands">,
  accountId: number,
): Promise<ReadonlySet<string>> {
  const { state } = await commands.load(bankAggregate, bankIban);
  const ibans = new Set<string>();
  for (const { counterpartyIban, ...entry } of state.entries.values())
    // The IBAN may be absent, or its key gone.
    if (
      entry.status === "matched" &&
      entry.assignments.at(-1)?.accountId === accountId &&
      parseIban(counterpartyIban).ok
    )
      ibans.add(counterpartyIban);
  return ibans;
}
