import { isTeamCharge } from "@hostledger/core";

import { bareType, type Facts, type UnreadableFact } from "../fact.ts";
import { made, unknown, type Report } from "../report.ts";
import { accountBooks } from "./account-books.ts";
import { deliveries, stepsOf, type ExplanationStep } from "./steps.ts";
import { factsAround } from "./facts-around.ts";

/**
 * Result of an invoice: `credited` for a receipt, `open` while its process runs. A team's charge counts as delivered,
 * because its delivery is unknown here.
 */
export type ExplanationOutcome = "delivered" | "refunded" | "credited" | "open";

/** The events behind an invoice. */
export interface Explanation {
  readonly number: string;
  readonly invoiceId: number;
  readonly accountId: number;
  /** Id of the charge, or the payment's reference. */
  readonly cause: string;
  /** Cents (EUR). */
  readonly grossCents: bigint;
  readonly outcome: ExplanationOutcome;
  /** Steps from the request to the end, in order of time. */
  readonly steps: readonly ExplanationStep[];
}

/** An explanation with the omitted events. */
export interface FoundExplanation extends Explanation {
  /** Unreadable movements and documents of the account, which the explanation omits. */
  readonly unreadable: readonly UnreadableFact[];
}

/** The invoice, and access to the streams. */
export interface ExplanationRequest {
  /** Number of the invoice, receipt or correction, or its id in digits. */
  readonly invoice: string;
  /** The account, from `accountOfDocument(number)`, or from the read model for an id. */
  readonly accountId: number;
  /** Returns a stream's events in order; empty if the stream does not exist. */
  readonly readStream: (stream: string) => Facts;
}

/**
 * Explains an invoice from its request through charge, order and provisioning to the delivery or refund. Reads only the
 * account's stream and the streams that belong to the charge.
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
 * Returns the result of an order. The order's own refund decides, because it follows every failed delivery. Without refund
 * and delivery, the run is still open. Partial refunds by staff do not count.
 */
function outcomeOf(steps: readonly ExplanationStep[], cause: string): ExplanationOutcome {
  const types = new Set(steps.map(({ fact }) => bareType(fact)));
  if (types.has("RegistrationRefunded") || types.has("ChargeRefunded")) return "refunded";
  const isDelivered = isTeamCharge(cause) || [...types].some((type) => deliveries.has(type));
  return isDelivered ? "delivered" : "open";
}
