import type { ChargeHistory } from "./charge-history.ts";
import type { ReconciledSides } from "./reconciliation.ts";

/** Reports a difference between two sides about a charge. */
export type Tell = (sides: ReconciledSides, message: string) => void;

/** State of a charge; `charged` for a team's charge, of which nothing further is known. */
export type ChargeEnd = "delivered" | "refunded" | "unfinished" | "charged" | "wrong";

/** Compares books, documents, run and deliveries of a charge. */
export function judgeCharge(history: ChargeHistory, tell: Tell): ChargeEnd {
  const { charge, run } = history;
  if (charge === undefined) {
    judgeUncharged(history, tell);
    return "wrong";
  }
  judgeDocuments(history, charge.grossCents, tell);
  const isRefunded = history.refundedCents >= charge.grossCents;
  if (history.isTeams) return isRefunded ? "refunded" : "charged";
  if (run === undefined) {
    tell("charges-runs", "is charged, and no run made the charge");
    return "wrong";
  }
  if (history.isFree) tell("charges-runs", "is charged, and its order was free of charge");
  if (history.deliveries > 0 && history.refundedCents > history.grantedCents)
    tell("charges-deliveries", "is delivered, and was refunded as well");
  if (history.deliveries > 1) tell("charges-deliveries", `is delivered ${String(history.deliveries)} times`);
  if (run !== "delivered" && run !== "undelivered") return "unfinished";
  return judgeEnd(history, run, isRefunded, tell);
}

function judgeEnd(
  { deliveries }: ChargeHistory,
  run: "delivered" | "undelivered",
  isRefunded: boolean,
  tell: Tell,
): ChargeEnd {
  if (run === "delivered" && deliveries === 0) {
    tell("charges-deliveries", "ended as delivered, and no fact tells what was delivered");
    return "wrong";
  }
  if (run === "delivered") return "delivered";
  if (deliveries > 0) {
    tell("charges-deliveries", "is delivered, and its run tells that it was not");
    return "wrong";
  }
  if (isRefunded) return "refunded";
  tell("charges-runs", "is charged, and its run ended without delivery or whole refund");
  return "wrong";
}

function judgeDocuments(history: ChargeHistory, grossCents: bigint, tell: Tell): void {
  const { invoices, invoicedCents, refundedCents, correctedCents } = history;
  if (invoices !== 1) tell("charges-documents", `has ${String(invoices)} invoices instead of one`);
  else if (invoicedCents !== grossCents)
    tell(
      "charges-documents",
      `is over ${String(grossCents)} cents, its invoice over ${String(invoicedCents)}`,
    );
  if (refundedCents !== correctedCents)
    tell(
      "charges-documents",
      `is refunded ${String(refundedCents)} cents, its corrections are over ${String(correctedCents)}`,
    );
  if (refundedCents > grossCents)
    tell("charges-documents", `is over ${String(grossCents)} cents, refunded were ${String(refundedCents)}`);
}

/** Accepts a run that was never charged; reports documents, refunds and deliveries without a charge. */
function judgeUncharged(history: ChargeHistory, tell: Tell): void {
  const { invoices, refundedCents, correctedCents, deliveries, run, isFree } = history;
  if (invoices > 0) tell("charges-documents", "has an invoice, and was never charged");
  if (refundedCents !== 0n || correctedCents !== 0n)
    tell("charges-documents", "is refunded, and was never charged");
  if (deliveries > 0) tell("charges-deliveries", "is delivered, and was never charged");
  else if (run === "delivered" && !isFree) tell("charges-runs", "ended as delivered, and was never charged");
}
