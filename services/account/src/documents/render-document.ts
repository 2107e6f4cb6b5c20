import {
  type Buyer,
  type DocumentKind,
  eInvoiceType,
  type FrozenDocument,
  pdfType,
  renderDocument,
  termsOfDocument,
} from "@hostledger/audit/documents";
import type { account as messages } from "@hostledger/protocol";
import type { DocumentFormat } from "@hostledger/store/documents";

import type { IssuedDocument } from "./issued-document.ts";

/** Media types of files by format. */
export const mediaTypes: Readonly<Record<DocumentFormat, string>> = { pdf: pdfType, xml: eInvoiceType };

/** A file of a document before it is archived. */
export interface RenderedFile {
  readonly format: DocumentFormat;
  readonly content: Uint8Array;
}

/** The files of a document before they are archived. */
export interface RenderedFiles {
  readonly files: readonly RenderedFile[];
  /** Characters that the fonts of the PDF lack. */
  readonly missingCharacters: readonly string[];
}

/** Renders a document as a PDF, and an invoice or correction also as an electronic invoice. */
export async function renderFiles(issued: IssuedDocument): Promise<RenderedFiles> {
  const { document: found, seller } = issued;
  const { invoice } = found;
  if (invoice === undefined) throw new Error("a document without an invoice cannot be rendered");
  const document = frozenDocument(issued, invoice);
  const { pdf, xml, missingCharacters } = await renderDocument({ document, seller, buyer: buyerOf(found) });
  const files: RenderedFile[] = [{ format: "pdf", content: pdf }];
  // The XML of a payment would owe VAT, because it is an invoice without a supply (§14c UStG).
  if (xml !== undefined) files.push({ format: "xml", content: xml });
  return { files, missingCharacters };
}

/** Converts a document for the renderers. Amounts stay unchanged. */
function frozenDocument(
  { correctedDate, document: found, seller, terms }: IssuedDocument,
  invoice: messages.Invoice,
): FrozenDocument {
  const { cause, pricesIncludeVat, lines } = found;
  const { number, createdAt: issuedAt, netCents, vatRateBasisPoints, vatCents, grossCents } = invoice;
  const kind = kindOf(invoice);
  return {
    kind,
    number,
    issuedAt,
    ...termsOfDocument({ kind, issuedAt, vatRateBasisPoints, terms, seller }),
    cause,
    pricesIncludeVat,
    lines: lines.map(({ description, quantity, unitCents, amountCents }) => ({
      description,
      quantity,
      unitCents,
      amountCents,
    })),
    netCents,
    vatCents,
    grossCents,
    ...correctedBy(found, correctedDate),
    ...takenBackOf(found),
  };
}

/** Returns the buyer named on a document. */
function buyerOf({ accountId, accountName, buyer }: messages.GetInvoiceResponse): Buyer {
  const known = { accountId: Number(accountId), name: accountName };
  if (buyer === undefined) return known;
  const { name, organisation, street, postalCode, city, country, vatId, leitwegId } = buyer;
  return {
    ...known,
    name: name === "" ? accountName : name,
    profile: { organisation, street, postalCode, city, country, vatId, leitwegId },
  };
}

function kindOf({ action, cancelsReceipt }: messages.Invoice): DocumentKind {
  if (cancelsReceipt) return "cancellation";
  if (action === "topup") return "receipt";
  return action === "refund" ? "correction" : "invoice";
}

/** A receipt stays as issued if a cancellation names it; before there were cancellations, the receipt itself said so. */
function takenBackOf({
  takenBackAt: at,
  cancelledBy,
}: messages.GetInvoiceResponse): Pick<FrozenDocument, "takenBack"> {
  return at === undefined || cancelledBy !== undefined ? {} : { takenBack: { at } };
}

function correctedBy(
  { correctsNumber, reason = "" }: messages.GetInvoiceResponse,
  correctedDate: string | undefined,
): Pick<FrozenDocument, "corrects"> {
  if (correctsNumber === undefined || correctedDate === undefined) return {};
  return { corrects: { number: correctsNumber, businessDate: correctedDate, reason } };
}
