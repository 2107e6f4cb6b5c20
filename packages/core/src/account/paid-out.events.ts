import { z } from "zod";

import { returnCodeIn, sentenceOfReturn } from "../money/return-codes.ts";
import { defineEvents, event, shape } from "../kernel/event-definition.ts";
import { cents, id, instant, line, retained, staffReason, text } from "../kernel/fields.ts";

/** Target of money that leaves a balance: the source of a payment (a refund), or a bank account (a payout). */
export const payoutTargets = ["source", "bank"] as const;

export type PayoutTarget = (typeof payoutTargets)[number];

/** Maximum characters of a reference of money that goes out. */
export const longestPayoutReference = 200;

const returned = {
  accountId: id,
  to: z.enum(payoutTargets),
  reference: line(longestPayoutReference),
  /** Cents (EUR), above zero: the whole amount that was debited. */
  amountCents: cents,
  balanceAfterCents: cents,
  /** The words of the payment provider about a refund; the bank's code in our words about a payout. */
  reason: text,
  returnedAt: instant,
};

/** Events of money that goes back to the customer (stream `account-<id>`). */
export const paidOutEvents = defineEvents({
  BalancePaidOut: event(
    "Staff ordered that money of the balance goes back to the customer. The balance is debited now; the payment provider refunds it to " +
      "the source next, or the bank transfers it. It is no expense, and has no document.",
    {
      accountId: id,
      to: z.enum(payoutTargets),
      /** Id of the refund at the payment provider, or the end-to-end id of the transfer. */
      reference: line(longestPayoutReference),
      /** Reference of the top-up that is refunded; null for a payout to the bank. */
      topUpReference: text.nullable(),
      /** Cents (EUR), above zero. */
      amountCents: cents,
      balanceAfterCents: cents,
      /** The operator's bank account that pays; empty for a refund. */
      fromIban: line(34),
      /** The customer's bank account and its holder; empty for a refund. */
      iban: retained(line(34), "keptUntilYear", "keyOwner"),
      name: retained(line(140), "keptUntilYear", "keyOwner"),
      /** 0: the texts are sealed with a key of the operator's books, because they are needed after an erasure. */
      keyOwner: z.literal(0),
      /** Last year in which the law keeps the texts. */
      keptUntilYear: z.int(),
      reason: staffReason,
      paidOutAt: instant,
    },
  ),
  PaidOutReturned: event(
    "Money that was to go to the customer did not arrive: the payment provider refused the refund, or the bank returned the transfer. " +
      "The balance is credited again.",
    returned,
    {
      was: [
        // The reason of a payout was in the bank's words, which may name a person.
        shape(returned),
        ({ reason, ...older }) => ({
          ...older,
          reason: older.to === "bank" ? sentenceOfReturn(returnCodeIn(reason)) : reason,
        }),
      ],
    },
  ),
});
