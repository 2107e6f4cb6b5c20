import {
  type Buyer,
  type DocumentKind,
  eInvoiceType,
  type FrozenDocument,
  hasEInvoice,
  pdfType,
  renderDocument,
  type Seller,
  termsOfDocument,
  writeEInvoice,
} from "@hostledger/audit/documents";
import type { account as messages } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";
import { defined, Semaphore, SemaphoreFullError } from "@hostledger/runtime";

import type { OperationServices } from "../../http/operation.ts";

/** Renders one PDF at a time, in at most about 0.1 s each, because rendering blocks one thread. */
const renderingLimits = { permits: 1, waiting: 7 };

/** File formats of documents. */
export const invoiceFormats = ["pdf", "xml"] as const;

export type InvoiceFormat = (typeof invoiceFormats)[number];

/** Creates the renderer of documents, one PDF at a time. */
export function createInvoiceFiles(
  seller: Seller,
  renderings = new Semaphore(renderingLimits),
): OperationServices["invoiceFile"] {
  return async (found, format) => {
    const { invoice } = found;
    if (invoice === undefined) throw new Error("the account service answered a document without an invoice");
    const document = frozenDocument(found, invoice, seller);
    const input = { document, seller, buyer: buyerOf(found) };
    const name = `${document.number}.${format}`;
    if (format === "pdf") {
      const { pdf } = await whenFree(renderings, () => renderDocument(input));
      return { type: pdfType, name, bytes: pdf };
    }
    if (!hasEInvoice(document)) throw noEInvoice();
    return { type: eInvoiceType, name, bytes: Buffer.from(writeEInvoice(input).xml) };
  };
}

async function whenFree<Bytes>(renderings: Semaphore, render: () => Promise<Bytes>): Promise<Bytes> {
  try {
    return await renderings.run(render);
  } catch (error) {
    if (!(error instanceof SemaphoreFullError)) throw error;
    throw rejectionError({
      code: "overloaded",
      message: "Too many documents are being made at the moment. Try again in a second.",
      detail: { retryAfterSeconds: 1 },
    });
  }
}

/** Returns the formats of a document; without an electronic invoice only PDF. */
export function formatsOf(found: messages.GetInvoiceResponse): readonly InvoiceFormat[] {
  const { invoice } = found;
  const isBoth = invoice !== undefined && hasEInvoice({ kind: kindOf(invoice) });
  return isBoth ? invoiceFormats : ["pdf"];
}

/** Refuses the XML of a payment, because an invoice without a supply would owe VAT (§14c UStG). */
function noEInvoice() {
  return rejectionError({
    code: "not-found",
    message: "The receipt of a top-up, or its cancellation, is no VAT invoice and has no XML; read its PDF.",
  });
}

/** Converts a document of the account service for the renderers. Amounts stay unchanged. */
function frozenDocument(
  found: messages.GetInvoiceResponse,
  invoice: messages.Invoice,
  seller: Seller,
): FrozenDocument {
  const { cause, pricesIncludeVat, lines } = found;
  const { number, createdAt: issuedAt, netCents, vatRateBasisPoints, vatCents, grossCents } = invoice;
  const kind = kindOf(invoice);
  return {
    kind,
    number,
    issuedAt,
    // The account service tells no terms yet.
    ...termsOfDocument({ kind, issuedAt, vatRateBasisPoints, terms: null, seller }),
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
    ...correctedBy(found),
    ...takenBackOf(found),
  };
}

/** Returns the UTC day of an instant, which dates documents that froze no business date. */
function dayOf(instant: string): string {
  return instant.slice(0, 10);
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

function takenBackOf({
  takenBackAt: at,
  cancelledBy,
}: messages.GetInvoiceResponse): Pick<FrozenDocument, "takenBack"> {
  return at === undefined ? {} : { takenBack: { at, ...defined({ cancelledBy }) } };
}

function correctedBy({
  correctsNumber,
  correctsIssuedAt,
  reason = "",
}: messages.GetInvoiceResponse): Pick<FrozenDocument, "corrects"> {
  if (correctsNumber === undefined || correctsIssuedAt === undefined) return {};
  return { corrects: { number: correctsNumber, businessDate: dayOf(correctsIssuedAt), reason } };
}
