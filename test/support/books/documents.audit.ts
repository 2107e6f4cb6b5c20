import type { AccountEntry } from "./accounts.audit.ts";
import type { Document } from "./document.ts";
import type { Report } from "./books-event.ts";

/** Every document: right sums, numbers 1, 2, 3 … in each account and series, ids that are nobody else's. */
export function auditDocuments(accounts: ReadonlyMap<number, AccountEntry>, report: Report): void {
  const ids = new Set<number>();
  for (const { accountId, charges, documents } of accounts.values()) {
    const counts = new Map<string, number>();
    const returned = new Map<number, Pick<Document, "vatCents" | "grossCents">>();
    const invoices = new Map(documents.map((document) => [document.id, document]));
    for (const document of documents) {
      if (ids.has(document.id)) report(`the document id ${String(document.id)} is used twice`);
      ids.add(document.id);
      auditNumber(document, counts, report);
      auditSums(document, report);
      auditCorrection(document, invoices, returned, report);
    }
    for (const { chargeId, invoiceId, refunds } of charges.values()) {
      const own = documents.filter(({ cause, action }) => cause === chargeId && action !== "topup");
      const actions = own.map(({ action }) => action).join(", ");
      const wanted = new RegExp(`^(purchase|renewal)(, refund){${String(refunds)}}$`);
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

/** A correction mirrors the part of its invoice that goes back: with those before it, the VAT of the sum, rounded half up. */
function auditCorrection(
  correction: Document,
  invoices: ReadonlyMap<number, Document>,
  returned: Map<number, Pick<Document, "vatCents" | "grossCents">>,
  report: Report,
): void {
  if (correction.corrects === undefined) return;
  const invoice = invoices.get(correction.corrects.id);
  const before = returned.get(correction.corrects.id) ?? { vatCents: 0n, grossCents: 0n };
  const vatCents = before.vatCents - correction.vatCents;
  const grossCents = before.grossCents - correction.grossCents;
  returned.set(correction.corrects.id, { vatCents, grossCents });
  const mirrors =
    invoice?.number === correction.corrects.number &&
    invoice.cause === correction.cause &&
    grossCents <= invoice.grossCents &&
    vatCents === vatOfPart(invoice, grossCents) &&
    invoice.vatRatePercent === correction.vatRatePercent &&
    JSON.stringify(invoice.subject) === JSON.stringify(correction.subject);
  if (!mirrors) report(`${correction.number} does not mirror the invoice it names`);
}

function vatOfPart({ vatCents, grossCents }: Document, partCents: bigint): bigint {
  return grossCents === 0n ? 0n : (2n * vatCents * partCents + grossCents) / (2n * grossCents);
}
