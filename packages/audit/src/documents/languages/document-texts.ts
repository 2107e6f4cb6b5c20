import type { DocumentKind } from "../document.ts";

/** All that a payment request says in one language. */
export interface PaymentRequestTexts {
  readonly title: string;
  readonly payee: string;
  readonly amount: string;
  /** Label of the reference (ISO 11649). */
  readonly reference: string;
  /** Says how to use the QR code and the reference. */
  readonly howToPay: string;
  readonly isNoInvoice: string;
}

/** All that a document says in one language. */
export interface DocumentTexts {
  /** Writes an amount: `1234.56` becomes `1234,56`. @param euros with a point and two decimals. */
  amount(euros: string): string;
  /** Writes a day. @param day YYYY-MM-DD */
  day(day: string): string;
  /** Writes days of supply. */
  period(from: string, to: string): string;
  /** Translates the description of a line, which events record in English. Other texts, as of a team's charge, stay. */
  line(description: string): string;
  readonly titles: Readonly<Record<DocumentKind, string>>;
  readonly to: string;
  readonly from: string;
  readonly vatId: string;
  readonly taxNumber: string;
  readonly customerNumber: string;
  readonly number: string;
  readonly date: string;
  readonly supplied: string;
  readonly correctsInvoice: string;
  readonly cancelsReceipt: string;
  /** Names a document and its date. */
  numberOf(number: string, day: string): string;
  readonly reason: string;
  readonly paymentReference: string;
  readonly description: string;
  readonly quantity: string;
  readonly price: Readonly<Record<"net" | "gross", string>>;
  readonly lineAmount: Readonly<Record<"net" | "gross", string>>;
  returnOf(kind: "invoice" | "payment", number: string): string;
  readonly net: string;
  /** Name of the VAT in the sums. @param rate such as `19 %` or `21 % (NL)`. */
  vat(rate: string): string;
  vatContained(rate: string): string;
  readonly total: string;
  readonly received: string;
  readonly returned: string;
  readonly paid: string;
  readonly paidBack: string;
  readonly thanks: string;
  readonly receiptIsNoInvoice: string;
  readonly takenBack: string;
  readonly cancellationIsNoInvoice: string;
  readonly paymentRequest: PaymentRequestTexts;
  /** Text on a receipt whose payment was reversed. */
  notPaid(day: string, cancelledBy: string | undefined): string;
  readonly placeholderNotice: string;
  /** Names the characters that the fonts lack. @param codes such as `U+1F600`. */
  missing(codes: string): string;
  page(page: number, pages: number): string;
  /** Reason for a document without VAT whose event has none. */
  readonly exempt: string;
  /** Payment means of the electronic invoice (BT-82). */
  readonly fromBalance: string;
  readonly toBalance: string;
  /** Note of the electronic invoice (BT-22). */
  correctionNote(number: string, reason: string): string;
}
