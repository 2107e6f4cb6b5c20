import { moneyEvent, type MoneyEvent } from "../account-history.ts";
import type { Fact, Facts } from "../fact.ts";

export type Issued = Extract<MoneyEvent, { type: "InvoiceIssued" }>["data"];

/** An account's documents with their causes. */
export interface AccountBooks {
  /** Finds the invoice with this number or id; a correction's number or id finds the corrected invoice. */
  readonly find: (invoice: string) => Issued | undefined;
  /** Returns the movements and documents of a charge or payment, in the order of the stream. */
  readonly factsOf: (cause: string) => readonly Fact[];
  /** Sentences on movements and documents that do not count. */
  readonly unreadable: readonly string[];
}

export async function accountBooks(facts: Facts): Promise<AccountBooks> {
  const invoices = new Map<string, Issued>();
  const byCause = new Map<string, Fact[]>();
  const unreadable: string[] = [];
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
