import { Map as PersistentMap } from "immutable";

import { CorruptStreamError } from "../kernel/decider.ts";
import type { EventOf } from "../kernel/event-definition.ts";
import type { Cents } from "../money/money.ts";
import type { payoutEvents } from "./payout.events.ts";

export type PayoutEvent = EventOf<typeof payoutEvents>;
type Of<Type extends PayoutEvent["type"]> = Extract<PayoutEvent, { readonly type: Type }>;

/** A payout at the bank. */
export interface Payout extends Pick<
  Of<"PayoutQueued">["data"],
  "accountId" | "endToEndId" | "iban" | "name" | "queuedAt"
> {
  /** Cents (EUR), above zero. */
  readonly amountCents: Cents;
  /** The file that has it; null while it waits. */
  readonly messageId: string | null;
  /** The bank's entry that paid it; null before. */
  readonly paidBy: number | null;
  /** The bank's entry that brought it back, and the bank's code for why; null if it stayed. */
  readonly returned: { readonly entryId: number; readonly returnCode: string } | null;
}

/** A file for the bank. */
export interface PayoutFile extends Omit<Of<"PayoutFileMade">["data"], "amountCents"> {
  readonly amountCents: Cents;
}

export interface Payouts {
  /** By end-to-end id. */
  readonly payouts: PersistentMap<string, Payout>;
  /** End-to-end ids of payouts that wait for a file, oldest first. */
  readonly waiting: readonly string[];
  /** By message id. */
  readonly files: PersistentMap<string, PayoutFile>;
}

export const noPayouts: Payouts = { payouts: PersistentMap(), waiting: [], files: PersistentMap() };

/** Returns the status of a payout: `waiting`, `in-file`, `paid` or `returned`. */
export function statusOfPayout({ messageId, paidBy, returned }: Payout): string {
  if (returned !== null) return "returned";
  if (paidBy !== null) return "paid";
  return messageId === null ? "waiting" : "in-file";
}

/** Applies an event of payouts. @throws CorruptStreamError if it cannot follow the state */
export function evolvePayouts(state: Payouts, event: PayoutEvent): Payouts {
  switch (event.type) {
    case "PayoutQueued": {
      const { accountId, endToEndId, iban, name, queuedAt } = event.data;
      if (state.payouts.has(endToEndId))
        throw new CorruptStreamError(event.type, `${endToEndId} is there already`);
      const amountCents = BigInt(event.data.amountCents);
      const order = { accountId, endToEndId, iban, name, queuedAt, amountCents };
      const payout = { ...order, messageId: null, paidBy: null, returned: null };
      const payouts = state.payouts.set(endToEndId, payout);
      return { ...state, payouts, waiting: [...state.waiting, endToEndId] };
    }
    case "PayoutFileMade": {
      const { messageId, endToEndIds } = event.data;
      const inFile = new Set(endToEndIds);
      if (state.files.has(messageId) || endToEndIds.some((id) => !state.waiting.includes(id)))
        throw new CorruptStreamError(event.type, `file ${messageId}, or a payout in another file`);
      return {
        payouts: endToEndIds.reduce(
          (payouts, id) => payouts.set(id, { ...payoutIn(state, event.type, id), messageId }),
          state.payouts,
        ),
        waiting: state.waiting.filter((id) => !inFile.has(id)),
        files: state.files.set(messageId, { ...event.data, amountCents: BigInt(event.data.amountCents) }),
      };
    }
    case "PayoutPaid": {
      const { endToEndId, entryId: paidBy } = event.data;
      const payout = payoutIn(state, event.type, endToEndId);
      return { ...state, payouts: state.payouts.set(endToEndId, { ...payout, paidBy }) };
    }
    case "PayoutReturned": {
      const { endToEndId, entryId, returnCode } = event.data;
      const payout = payoutIn(state, event.type, endToEndId);
      const returned = { entryId, returnCode };
      return { ...state, payouts: state.payouts.set(endToEndId, { ...payout, returned }) };
    }
  }
}

function payoutIn({ payouts }: Payouts, type: PayoutEvent["type"], endToEndId: string): Payout {
  const payout = payouts.get(endToEndId);
  if (payout === undefined) throw new CorruptStreamError(type, `no payout ${endToEndId}`);
  return payout;
}
