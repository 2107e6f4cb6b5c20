import type { DocumentTexts } from "./document-texts.ts";

/** Documents in English. Titles add the German term, which German tax law uses. */
export const en: DocumentTexts = {
  amount: (euros) => euros,
  day: (day) => day,
  period: (from, to) => (from === to ? from : `${from} to ${to}`),
  line: (description) => description,
  titles: {
    invoice: "Invoice (Rechnung)",
    correction: "Correction of an invoice (Rechnungskorrektur)",
    receipt: "Payment receipt (Zahlungsbeleg)",
    cancellation: "Receipt cancellation (Zahlungsbeleg-Storno)",
  },
  to: "To",
  from: "From",
  vatId: "VAT ID",
  taxNumber: "Tax number",
  customerNumber: "Customer number",
  number: "Number",
  date: "Date",
  supplied: "Supplied",
  correctsInvoice: "Corrects invoice",
  cancelsReceipt: "Cancels receipt",
  numberOf: (number, day) => `${number} of ${day}`,
  reason: "Reason",
  paymentReference: "Payment reference",
  description: "Description",
  quantity: "Quantity",
  price: { net: "Price (net, EUR)", gross: "Price (gross, EUR)" },
  lineAmount: { net: "Amount (net, EUR)", gross: "Amount (gross, EUR)" },
  returnOf: (kind, number) => `Return of ${kind} ${number}`,
  net: "Net",
  vat: (rate) => `VAT ${rate}`,
  vatContained: (rate) => `VAT contained, ${rate}`,
  total: "Total",
  received: "Received",
  returned: "Returned",
  paid: "Paid from your prepaid balance. Nothing is due.",
  paidBack: "The amount was returned to your prepaid balance. Nothing is due.",
  thanks: "Thank you for your payment. It was added to your prepaid balance.",
  receiptIsNoInvoice:
    "This receipt is no VAT invoice: what the payment is for is invoiced when it is bought.",
  takenBack: "The payment was taken back. Its amount was taken from your prepaid balance.",
  cancellationIsNoInvoice: "This document is no VAT invoice.",
  paymentRequest: {
    title: "Payment request (Zahlungsaufforderung)",
    payee: "Payee",
    amount: "Amount",
    reference: "Reference",
    howToPay:
      "Scan the QR code with your banking app, or transfer the amount with exactly this reference. The money that comes is added to your prepaid balance.",
    isNoInvoice: "This payment request is no VAT invoice.",
  },
  notPaid: (day, cancelledBy) =>
    `Not paid (nicht bezahlt): the payment was taken back on ${day}.${
      cancelledBy === undefined ? "" : ` Document ${cancelledBy} cancels this receipt.`
    }`,
  placeholderNotice:
    "The seller is a placeholder: this installation has not been told who sells. This is no valid invoice.",
  missing: (codes) => `\uFFFD stands for characters that the fonts of this file lack: ${codes}.`,
  page: (page, pages) => `page ${String(page)} of ${String(pages)}`,
  exempt: "Exempt from VAT.",
  fromBalance: "Paid from the prepaid balance",
  toBalance: "Returned to the prepaid balance",
  correctionNote: (number, reason) => `Correction of invoice ${number}: ${reason}`,
};
