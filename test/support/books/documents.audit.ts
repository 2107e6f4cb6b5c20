import type { AccountEntry } from "./accounts.audit.ts";
import type { Document } from "./document.ts";
import type { Report } from "./fact.ts";

/** Every document: right sums, numbers 1, 2, 3 … in each account and series, ids that are nobody else's. */
export function auditDocuments(accounts: ReadonlyMap<number, AccountEntry>, report: Report): void {
  const ids = new Set<number>();
  for (const { accountId, charges, documents } of accounts.values()) {
    const counts = new Map<string, number>();
    const invoices = new Map(documents.map((document) => [document.id, document]));
    for (const document of documents) {
      if (ids.has(document.id)) report(`the document id ${String(document.id)} is used twice`);
      ids.add(document.id);
      auditNumber(document, counts, report);
      auditSums(document, report);
      auditCorrection(document, invoices, report);
    }
    for (const { chargeId, invoiceId, refundedBy } of charges.values()) {
      const own = documents.filter(({ cause, action }) => cause === chargeId && action !== "topup");
      const actions = own.map(({ action }) => action).join(", ");
      const wanted = refundedBy === undefined ? /^(purchase|renewal)$/ : /^(purchase|renewal), refund$/;
      if (!wanted.test(actions) || own[0]?.id !== invoiceId)
        report(`${chargeId} of account ${String(accountId)} has the documents: ${actions}`);
    }
  }
}

function auditNumber(
  { number: written, accountId, action }: Document,
  counts: Map<string, number>,
  report: Report,
): void {
  const series = action === "topup" ? "T" : action === "refund" ? "C" : "";
  const count = (counts.get(series) ?? 0) + 1;
  counts.set(series, count);
  const wanted = `${written.slice(0, 4)}-${String(accountId)}-${series}${String(count).padStart(6, "0")}`;
  if (written !== wanted || !/^20\d\d-/.test(written))
    report(`a document is numbered ${written}, it should be ${wanted}`);
}

function auditSums(document: Document, report: Report): void {
  const { netCents, vatCents, vatRatePercent, grossCents, lines, action } = document;
  const isTaxed = action !== "topup";
  const right =
    netCents + vatCents === grossCents &&
    (vatRatePercent === 0n || (isTaxed && vatRatePercent === 19n)) &&
    // A correction has no prices of its own: it mirrors its invoice, to the cent.
    (lines === undefined ||
      (lines.sumCents === (lines.includeVat ? grossCents : netCents) && vatCents === vatOf(document)));
  if (!right) {
    report(
      `the sums of ${document.number} do not fit: ${[lines?.sumCents, netCents, vatCents, grossCents].map(String).join(", ")}`,
    );
  }
}

/** Half up: on net prices VAT is added, in gross prices it is contained. */
function vatOf({ netCents, grossCents, vatRatePercent: rate, lines }: Document): bigint {
  if (lines?.includeVat !== true) return (netCents * rate + 50n) / 100n;
  return (2n * grossCents * rate + 100n + rate) / (2n * (100n + rate));
}

function auditCorrection(
  correction: Document,
  invoices: ReadonlyMap<number, Document>,
  report: Report,
): void {
  if (correction.corrects === undefined) return;
  const invoice = invoices.get(correction.corrects.id);
  const mirrors =
    invoice?.number === correction.corrects.number &&
    invoice.cause === correction.cause &&
    invoice.netCents === -correction.netCents &&
    invoice.vatCents === -correction.vatCents &&
    invoice.vatRatePercent === correction.vatRatePercent &&
    JSON.stringify(invoice.subject) === JSON.stringify(correction.subject);
  if (!mirrors) report(`${correction.number} does not mirror the invoice it names`);
}
