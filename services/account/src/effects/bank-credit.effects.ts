import {
  accountAggregate,
  bankAggregate,
  bankAsProvider,
  dayOf,
  nextOfBankEntry,
  paymentAggregate,
  receivedTransfers,
  type AccountState,
  type BankCreditEffect,
  type BankEntry,
  type BankState,
  type PaymentCommand,
  type TransferTopUp,
  type WorkedBankEntry,
} from "@hostledger/core";
import type { Clock, Ids } from "@hostledger/runtime";
import type { CommandContext } from "@hostledger/store";
import {
  endOf,
  requestDailyWorkTicket,
  workKind,
  type AnyWorkKind,
  type EffectEnd,
  type WorkKind,
} from "@hostledger/work";

import type { AccountDependencies } from "../dependencies.ts";
import { bankCreditKind } from "../reads/account.tables.ts";
import { taking } from "../references.ts";
import { postponed, retry } from "./pauses.ts";
import { moveBalance } from "./payment-balance.effects.ts";
import { ticketOptions } from "./ticket-options.ts";

export interface BankCreditOptions extends Pick<AccountDependencies, "accounts" | "commands" | "queries"> {
  readonly clock: Clock;
  readonly ids: Ids;
  /** True while no money may move. */
  readonly refusesWrites: () => boolean;
}

/**
 * Returns the work on entries of the bank account (ADR 0195). It credits and debits accounts until each payment is
 * on the account to which it belongs. The top-up that a payment names records the amount received. Its keys are an
 * IBAN and the number of an entry.
 */
export function bankCreditWork(options: BankCreditOptions): AnyWorkKind {
  const { clock } = options;
  return workKind<WorkedBankEntry, BankCreditEffect>({
    name: bankCreditKind,
    // A payment is credited because it was received, not because of the time.
    needsTrustedTime: false,
    load: (key) => loadEntry(options, key),
    next: nextOfBankEntry,
    effects: {
      credit: {
        retry,
        carryOut({ accountId, topUpReference: reference, amountCents }) {
          const context = taking(
            options,
            { kind: "top-up", reference, accountId },
            contextOf(options, `top-up/${reference}`),
          );
          return moveBalance(options, { accountId, context, step: "credited" }, (invoiceId) => ({
            type: "CreditBalance",
            data: { reference, amountCents, invoiceId, at: clock.now() },
          }));
        },
      },
      reverse: {
        retry,
        carryOut({ accountId, topUpReference: reference, reason }) {
          const context = contextOf(options, `top-up-reversed/${reference}`);
          return moveBalance(options, { accountId, context, step: "reversed" }, (correctionId) => ({
            type: "ReverseTopUp",
            // The payment was never this customer's, so a debt may remain.
            data: { reference, correctionId, reason, debtAllowed: true, at: clock.now() },
          }));
        },
      },
      ...topUpEffects(options),
    },
    tellOfFailures: (key, reason) =>
      requestDailyWorkTicket(
        ticketOptions(options),
        { work: "bank-credits", about: `bank entry ${key.slice(key.indexOf("/") + 1)}` },
        reason,
      ),
  });
}

/** Creates effects that record the bank's entries on the stream of a top-up. */
function topUpEffects(
  options: BankCreditOptions,
): Pick<WorkKind<WorkedBankEntry, BankCreditEffect>["effects"], "settle" | "give-back"> {
  const { clock, ids } = options;
  const record = async (key: string, command: PaymentCommand, step: string): Promise<EffectEnd> => {
    if (options.refusesWrites()) return postponed;
    const context = contextOf(options, `${step}/${ids.uuid()}`);
    return endOf(await options.commands.execute(paymentAggregate, key, command, context), step);
  };
  return {
    settle: {
      retry,
      carryOut({ paymentKey, received: { amountCents, topUpReference, valueDate } }) {
        const data = {
          amountCents,
          feeCents: 0n,
          providerReference: topUpReference,
          valueDate,
          at: clock.now(),
        };
        return record(paymentKey, { type: "RecordPaymentSettled", data }, "settled");
      },
    },
    "give-back": {
      retry,
      carryOut({ paymentKey }) {
        const at = clock.now();
        // Staff's reason may name another customer.
        const reason = "The bank transfer was another customer's.";
        const data = { reason, feeCents: 0n, valueDate: dayOf(at), at };
        return record(paymentKey, { type: "RecordPaymentReturned", data }, "given back");
      },
    },
  };
}

async function loadEntry({ accounts, commands }: BankCreditOptions, key: string): Promise<WorkedBankEntry> {
  const [iban = "", entryId] = key.split("/");
  const { state } = await commands.load(bankAggregate, iban);
  const entry = state.entries.get(Number(entryId));
  const assignments = entry?.status === "matched" ? entry.assignments : [];
  const loaded = await Promise.all(
    assignments.map(async ({ accountId }): Promise<[number, AccountState]> => [
      accountId,
      (await accounts.commands.load(accountAggregate, String(accountId))).state,
    ]),
  );
  return { entry, accounts: new Map(loaded), topUps: await loadTopUps(commands, state, entry) };
}

async function loadTopUps(
  commands: BankCreditOptions["commands"],
  bank: BankState,
  entry: BankEntry | undefined,
): Promise<readonly TransferTopUp[]> {
  const topUps = entry?.status === "matched" ? entry.topUps : [];
  return Promise.all(
    topUps.map(async ({ paymentKey: key }) => {
      const { state: payment } = await commands.load(paymentAggregate, key);
      const isTransfer = payment.status !== "absent" && payment.requested.provider === bankAsProvider;
      const received = isTransfer
        ? receivedTransfers(bank, { paymentKey: key, accountId: payment.requested.accountId })
        : undefined;
      return { key, payment, received };
    }),
  );
}

function contextOf({ ids }: BankCreditOptions, commandId: string): CommandContext {
  return { commandId, correlationId: `bank-credit/${ids.uuid()}`, actor: "process:bank-credit" };
}
