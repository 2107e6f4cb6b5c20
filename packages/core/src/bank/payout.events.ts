import { z } from "zod";

import { defineEvents, event, shape } from "../kernel/event-definition.ts";
import { cents, day, id, instant, line, retained, text } from "../kernel/fields.ts";
import { returnCode, returnCodeIn } from "../money/return-codes.ts";

/** Maximum payouts in one file for the bank. */
export const payoutsOfFile = 1_000;

const endToEndId = line(35);

const file = {
  /** Identifies the message at the bank. */
  messageId: endToEndId,
  fromIban: line(34),
  /** The operator's name in the message. */
  debtorName: line(140),
  /** Day on which the bank shall pay. */
  executeOn: day,
  endToEndIds: z.array(endToEndId).min(1).max(payoutsOfFile),
  /** Sum in cents (EUR). */
  amountCents: cents,
  madeAt: instant,
};

const returned = { accountId: id, endToEndId, entryId: id, amountCents: cents, returnedAt: instant };

/** Events of payouts through the operator's bank account (stream `bank-<iban>`). */
export const payoutEvents = defineEvents({
  PayoutQueued: event(
    "A payout whose amount the customer's balance was debited for waits for a file for the bank.",
    {
      accountId: id,
      endToEndId,
      /** Cents (EUR), above zero. */
      amountCents: cents,
      iban: retained(line(34), "keptUntilYear", "keyOwner"),
      name: retained(line(140), "keptUntilYear", "keyOwner"),
      /** 0: the texts are sealed with a key of the operator's books. */
      keyOwner: z.literal(0),
      /** Last year in which the law keeps the texts. */
      keptUntilYear: z.int(),
      queuedAt: instant,
    },
  ),
  PayoutFileMade: event(
    "Staff made a file of credit transfers (pain.001) of the payouts that waited. A payout is in one file only; writing the file again " +
      "gives the same message, which the bank takes once.",
    {
      ...file,
      /** BIC of the operator's bank; empty if unknown. */
      fromBic: line(11),
    },
    { was: [shape(file), (older) => ({ ...older, fromBic: "" })] },
  ),
  PayoutPaid: event("The bank booked a payout: the outgoing entry names it, with its amount.", {
    accountId: id,
    endToEndId,
    entryId: id,
    amountCents: cents,
    paidAt: instant,
  }),
  PayoutReturned: event(
    "The bank returned a payout: the incoming entry names it, with its amount. The customer's balance is credited again next; an erased account's money waits for staff.",
    { ...returned, returnCode },
    {
      was: [
        // The bank's words, which may name a person.
        shape({ ...returned, reason: text }),
        ({ reason, ...older }) => ({ ...older, returnCode: returnCodeIn(reason) }),
      ],
    },
  ),
});
