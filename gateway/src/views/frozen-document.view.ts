import type { Buyer, DocumentKind, FrozenDocument } from "@hostledger/audit/documents";
import type { account as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

/** Converts a document of the account service for the renderers. Amounts stay unchanged. */
export function frozenDocument(
  found: messages.GetInvoiceResponse,
  invoice: messages.Invoice,
): FrozenDocument {
  const { cause, pricesIncludeVat, lines } = found;
  const { number, createdAt: issuedAt, netCents, vatRatePercent, vatCents, grossCents } = invoice;
  return {
    kind: kindOf(invoice),
    number,
    issuedAt,
    cause,
    pricesIncludeVat,
    lines: lines.map(({ description, quantity, unitCents, amountCents }) => ({
      description,
      quantity,
      unitCents,
      amountCents,
    })),
    netCents,
    vatRatePercent,
    vatCents,
    grossCents,
    ...correctedBy(found),
    ...takenBackOf(found),
  };
}

/** Returns the buyer named on a document. */
export function buyerOf({ accountId, accountName, buyer }: messages.GetInvoiceResponse): Buyer {
  const known = { accountId: Number(accountId), name: accountName };
  if (buyer === undefined) return known;
  const { name, organisation, street, postalCode, city, country, vatId } = buyer;
  return {
    ...known,
    name: name === "" ? accountName : name,
    profile: { organisation, street, postalCode, city, country, vatId },
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
  return { corrects: { number: correctsNumber, issuedAt: correctsIssuedAt, reason } };
}
