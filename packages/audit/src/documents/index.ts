/** Invoices, corrections, receipts and statements as files: PDF, and electronic invoices (EN 16931). */

export {
  type Buyer,
  type DocumentInput,
  type DocumentKind,
  type FrozenDocument,
  type Seller,
} from "./document.ts";
export { placeholderSeller, sellerOfVersion, termsOfDocument, type IssuedTerms } from "./frozen-terms.ts";
export { eInvoiceType, hasEInvoice, writeEInvoice } from "./einvoice/cii.ts";
export { lackingOfXRechnung, type InvoiceProfile } from "./einvoice/en16931.ts";
export { pdfType, renderDocument, renderPaymentRequest, renderStatement } from "./pdf/render-pdf.ts";
export type { PaymentRequest } from "./pdf/payment-request-layout.ts";
export type { RenderedDocument } from "./pdf/pdf-thread.ts";
