import { isTeamCharge } from "@hostledger/core";

import { bareType, type Facts, type UnreadableFact } from "../fact.ts";
import { made, unknown, type Report } from "../report.ts";
import { accountBooks } from "./account-books.ts";
import { deliveries, stepsOf, type ExplanationStep } from "./steps.ts";
import { factsAround } from "./facts-around.ts";

/** How an invoice ended: `credited` for a receipt, `open` while its process runs; a team's is delivered, as far as it is known here. */
export type ExplanationOutcome = "delivered" | "refunded" | "credited" | "open";

/** Why an invoice exists. */
export interface Explanation {
  readonly number: string;
  readonly invoiceId: number;
  readonly accountId: number;
  /** The charge, or the payment's reference. */
  readonly cause: string;
  /** Cents (EUR). */
  readonly grossCents: bigint;
  readonly outcome: ExplanationOutcome;
  /** From the request to the end, in the order in which they happened. */
  readonly steps: readonly ExplanationStep[];
}

/** An explanation as it was found. */
export interface FoundExplanation extends Explanation {
  /** Movements and documents of the account that cannot be read and are left out. */
  readonly unreadable: readonly UnreadableFact[];
}

/** Which invoice, and how to read the few streams that tell of it. */
export interface ExplanationRequest {
  /** Its number (or a receipt's or correction's), or its id in digits. */
  readonly invoice: string;
  /** Whose it is: `accountOfDocument(number)`, or the read model's answer for an id. */
  readonly accountId: number;
  /** All facts of a stream in its order; none for a stream that does not exist. */
  readonly readStream: (stream: string) => Facts;
}

/**
 * Tells why an invoice exists: from the request that caused it, through charge, order and provisioning, to what was
 * delivered or refunded. Reads the account's stream and the few that the charge names, and no other.
 */
export async function explainInvoice(request: ExplanationRequest): Promise<Report<FoundExplanation>> {
  const { invoice, accountId, readStream } = request;
  const books = await accountBooks(readStream(`account-${String(accountId)}`));
  const issued = books.find(invoice);
  if (issued === undefined) return unknown(`There is no invoice ${invoice}.`);
  const { number, invoiceId, cause, grossCents, action } = issued;
  const own = books.factsOf(cause);
  const facts = action === "topup" ? own : [...own, ...(await factsAround(cause, accountId, readStream))];
  const steps = stepsOf(facts, cause);
  return made({
    number,
    invoiceId,
    accountId,
    cause,
    grossCents: BigInt(grossCents),
    outcome: action === "topup" ? "credited" : outcomeOf(steps, cause),
    steps,
    unreadable: books.unreadable,
  });
}

/**
 * An order's own refund is later than any delivery that failed, so it decides; without either the run has not ended. What staff
 * return, they return whatever became of the order.
 */
function outcomeOf(steps: readonly ExplanationStep[], cause: string): ExplanationOutcome {
  const types = new Set(steps.map(({ fact }) => bareType(fact)));
  if (types.has("RegistrationRefunded") || types.has("ChargeRefunded")) return "refunded";
  const isDelivered = isTeamCharge(cause) || [...types].some((type) => deliveries.has(type));
  return isDelivered ? "delivered" : "open";
}
