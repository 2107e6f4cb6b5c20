import { isTeamCharge } from "@hostledger/core";

import { bareType, type Facts } from "../fact.ts";
import { made, unknown, type Report } from "../report.ts";
import { accountBooks } from "./account-books.ts";
import { deliveries, stepsOf, type ExplanationStep } from "./steps.ts";
import { factsAround } from "./facts-around.ts";

/** `credited` for a receipt, `open` while its process runs. Team charges count as delivered. */
export type ExplanationOutcome = "delivered" | "refunded" | "credited" | "open";

/** The events behind an invoice. */
export interface Explanation {
  readonly number: string;
  readonly invoiceId: number;
  readonly accountId: number;
  /** Id of the charge, or the payment's reference. */
  readonly cause: string;
  readonly grossCents: bigint;
  readonly outcome: ExplanationOutcome;
  /** Steps from the request to the end, in order of time. */
  readonly steps: readonly ExplanationStep[];
}

export interface FoundExplanation extends Explanation {
  /** Sentences on movements and documents of the account that the explanation omits. */
  readonly unreadable: readonly string[];
}

export interface ExplanationRequest {
  /** Number of the invoice, receipt or correction, or its id in digits. */
  readonly invoice: string;
  /** The account, from `accountOfDocument(number)`, or from the read model for an id. */
  readonly accountId: number;
  /** Returns a stream's events in order; empty if the stream does not exist. */
  readonly readStream: (stream: string) => Facts;
}

/** Explains an invoice from request to delivery or refund. Reads only streams that belong to the charge. */
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

/** Returns the result of an order: its own refund decides, then a delivery; otherwise the run is open. */
function outcomeOf(steps: readonly ExplanationStep[], cause: string): ExplanationOutcome {
  const types = new Set(steps.map(({ fact }) => bareType(fact)));
  if (types.has("RegistrationRefunded") || types.has("ChargeRefunded")) return "refunded";
  const isDelivered = isTeamCharge(cause) || [...types].some((type) => deliveries.has(type));
  return isDelivered ? "delivered" : "open";
}
