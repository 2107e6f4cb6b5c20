import {
  nextOfTransfer,
  paymentAggregate,
  transferDays,
  type PaymentState,
  type TransferEffect,
} from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";
import type { AccountCommands } from "@hostledger/store";
import { endOf, workKind, type AnyWorkKind } from "@hostledger/work";

import { transferKind } from "../reads/account.tables.ts";
import { postponed, retry } from "./pauses.ts";

export interface TransferWorkOptions {
  readonly accounts: AccountCommands;
  readonly clock: Clock;
  /** True while the store is an older backup that staff have not accepted: the money may have come since. */
  readonly refusesWrites: () => boolean;
}

/** A top-up with its key. */
interface WorkedTransfer {
  readonly key: string;
  readonly payment: PaymentState;
}

/**
 * Returns the work on top-ups by bank transfer: a top-up for which no money came ends. Its keys are the names of their streams without
 * the category. Money is credited by the work on entries of the bank, also after the end.
 */
export function transferWork({ accounts, clock, refusesWrites }: TransferWorkOptions): AnyWorkKind {
  return workKind<WorkedTransfer, TransferEffect>({
    name: transferKind,
    // A clock that is wrong would end all top-ups at once.
    needsTrustedTime: true,
    load: async (key) => ({ key, payment: (await accounts.commands.load(paymentAggregate, key)).state }),
    next: ({ payment }, now) => nextOfTransfer(payment, now),
    effects: {
      expire: {
        retry,
        async carryOut(_effect, { key }) {
          if (refusesWrites()) return postponed;
          const reason = `No money came within ${String(transferDays)} days.`;
          const data = { because: "expired", reason, at: clock.now() } as const;
          const stream = `${paymentAggregate.category}-${key}`;
          const context = {
            commandId: `${stream}/expired`,
            correlationId: stream,
            actor: "process:transfer",
          };
          const command = { type: "RecordPaymentFailed", data } as const;
          return endOf(await accounts.commands.execute(paymentAggregate, key, command, context), "expired");
        },
      },
    },
  });
}
