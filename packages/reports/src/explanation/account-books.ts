import { moneyEvent, type MoneyEvent } from "../account-history.ts";
import type { Fact, Facts, UnreadableFact } from "../fact.ts";

/** An invoice or a receipt as it was frozen. */
export type Issued = Extract<MoneyEvent, { type: "InvoiceIssued" }>["data"];

/** What one account's stream tells of its documents and what caused them. */
export interface AccountBooks {
  /** The invoice of this number or id; a correction's number or id finds the invoice that it corrects. */
  readonly find: (invoice: string) => Issued | undefined;
  /** The movements and documents of a charge, or of a payment, in the order of the stream. */
  readonly factsOf: (cause: string) => readonly Fact[];
  /** Movements and documents that cannot be read. */
  readonly unreadable: readonly UnreadableFact[];
}

/** Reads an account's stream. */
export async function accountBooks(facts: Facts): Promise<AccountBooks> {
  const invoices = new Map<string, Issued>();
  const byCause = new Map<string, Fact[]>();
  const unreadable: UnreadableFact[] = [];
  for await (const fact of facts) {
    const event = moneyEvent(fact, (found) => unreadable.push(found));
    if (event === undefined) continue;
    if (event.type === "InvoiceIssued") {
      invoices.set(event.data.number, event.data);
      invoices.set(String(event.data.invoiceId), event.data);
    } else if (event.type === "CorrectionIssued" || event.type === "ReceiptCancelled") {
      const corrected = invoices.get(event.data.correctsNumber);
      if (corrected !== undefined) {
        invoices.set(event.data.number, corrected);
        invoices.set(String(event.data.correctionId), corrected);
      }
    }
    const cause = causeOf(event);
    byCause.set(cause, [...(byCause.get(cause) ?? []), fact]);
  }
  return {
    find: (invoice) => invoices.get(invoice),
    factsOf: (cause) => byCause.get(cause) ?? [],
    unreadable,
  };
}

function causeOf(event: MoneyEvent): string {
  switch (event.type) {
    case "BalanceCredited":
    case "BalanceAdjusted":
    case "ReceiptCancelled":
      return event.data.reference;
    case "InvoiceIssued":
      return event.data.cause;
    case "BalanceCharged":
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded":
    case "CorrectionIssued":
      return event.data.chargeId;
  }
}
