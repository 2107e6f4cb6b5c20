import { formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { parseAmount, parseId, parseText } from "../arguments/value-parsers.ts";
import { jsonInteger } from "../output/json.ts";
import { argument, required } from "../staff/command-line.codec.ts";
import { call } from "../staff/staff-table.ts";

const { payOut, refundPayment } = admin.AccountAdminService.method;

const accountId = argument("<id>", "account id", parseId);
const amountCents = required("--amount <euros>", "how much, for example 10.00", parseAmount);
const reason = required("--reason <text>", "why, 1 to 500 characters", parseText);

/** Commands that send money back to customers. */
export const payoutCommands = [
  call(["payout", "send money of the balance to the customer's bank account"], payOut, {
    inputs: {
      accountId,
      amountCents,
      iban: required("--iban <iban>", "IBAN of the customer", parseText),
      reason,
    },
    answer({ reference, balanceCents, repeated }, { accountId: id = 0n, amountCents: cents = 0n }) {
      const balance = formatEuros(balanceCents);
      const done = repeated
        ? `Nothing was done: ${reference} was ordered before.`
        : `${formatEuros(cents)} EUR are debited from account ${String(id)}, and ${reference} waits: hostledger bank payouts.`;
      return {
        document: { account_id: jsonInteger(id), reference, balance, repeated },
        text: `${done} The balance is ${balance} EUR.\n`,
      };
    },
  }),
  call(["refund", "send money of a payment back to its source through the payment provider"], refundPayment, {
    inputs: {
      accountId,
      paymentId: required("--payment <number>", "number of the payment, as its customer sees it", parseId),
      amountCents,
      reason,
    },
    answer({ refundId, state, balanceCents, repeated }, { accountId: id = 0n, amountCents: cents = 0n }) {
      const balance = formatEuros(balanceCents);
      const done = repeated
        ? `Nothing was done: ${refundId} was ordered before, and is ${state}.`
        : `The refund ${refundId} of ${formatEuros(cents)} EUR is ${state}.`;
      return {
        document: { account_id: jsonInteger(id), refund_id: refundId, state, balance, repeated },
        text: `${done} The balance is ${balance} EUR.\n`,
      };
    },
  }),
];
