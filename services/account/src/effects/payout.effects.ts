import {
  accountAggregate,
  bankAggregate,
  nextOfPayout,
  staffTickets,
  type PayoutEffect,
  type WorkedPayout,
} from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";
import {
  accountRecorder,
  requestStaffTicket,
  type AccountCommands,
  type CommandContext,
  type CommandHandler,
} from "@hostledger/store";
import { endOf, workKind, type AnyWorkKind } from "@hostledger/work";

import { payoutKind } from "../reads/account.tables.ts";
import { postponed, retry } from "./pauses.ts";

export interface PayoutWorkOptions {
  readonly accounts: AccountCommands;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  /** True while no money may move. */
  readonly refusesWrites: () => boolean;
}

/** Returns the key of the work on a payout. */
export function payoutKey(accountId: number, reference: string): string {
  return `${String(accountId)}/${reference}`;
}

/**
 * Returns the work on payouts to bank accounts (ADR 0195): what was debited waits for a file for the bank, and what the bank returned
 * is credited again, or waits for staff if the account was erased. Every effect is safe to repeat.
 */
export function payoutWork(options: PayoutWorkOptions): AnyWorkKind {
  const { accounts, clock, commands, refusesWrites } = options;
  return workKind<WorkedPayout & { readonly fromIban: string }, PayoutEffect>({
    name: payoutKind,
    // Debited money is paid out whatever the clock says.
    needsTrustedTime: false,
    async load(key) {
      const [accountId = "", reference = ""] = key.split("/");
      const { state: account } = await commands.load(accountAggregate, accountId);
      const fromIban = account.status === "open" ? account.paidOut.get(reference)?.fromIban : undefined;
      if (fromIban === undefined) return undefined;
      const { state: bank } = await commands.load(bankAggregate, fromIban);
      return { account, bank, fromIban, reference };
    },
    next: nextOfPayout,
    effects: {
      queue: {
        retry,
        async carryOut({ accountId, paidOut }) {
          if (refusesWrites()) return postponed;
          const { reference: endToEndId, amountCents, iban, name, keptUntilYear, fromIban } = paidOut;
          const data = { accountId, endToEndId, amountCents, iban, name, keptUntilYear, at: clock.now() };
          const context = contextOf(endToEndId, "queue");
          return endOf(
            await commands.execute(bankAggregate, fromIban, { type: "QueuePayout", data }, context),
            "queued",
          );
        },
      },
      park: {
        retry,
        async carryOut({ accountId, reference, amountCents, reason }, { fromIban }) {
          if (refusesWrites()) return postponed;
          const ticket = staffTickets.payoutCameBack({ accountId, reference, amountCents, reason });
          await requestStaffTicket({ commands, clock }, ticket, accountRecorder);
          const data = { endToEndId: reference, at: clock.now() };
          const context = contextOf(reference, "park");
          return endOf(
            await commands.execute(bankAggregate, fromIban, { type: "ParkReturnedPayout", data }, context),
            "waits for staff",
          );
        },
      },
      "give-back": {
        retry,
        async carryOut({ accountId, reference, reason }) {
          if (refusesWrites()) return postponed;
          const data = { reference, reason, at: clock.now() };
          const context = contextOf(reference, "give-back");
          return endOf(
            await accounts.execute(accountId, { type: "GivePaidOutBack", data }, context),
            "credited again",
          );
        },
      },
    },
  });
}

function contextOf(reference: string, step: string): CommandContext {
  const correlationId = `payout-${reference}`;
  return { commandId: `${correlationId}/${step}`, correlationId, actor: "process:payout" };
}
