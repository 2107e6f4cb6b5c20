/** Invoices, corrections, receipts and statements as files: PDF, and electronic invoices (EN 16931). */

export {
  nameOf,
  placeholderSeller,
  type Buyer,
  type CorrectedDocument,
  type DocumentKind,
  type DocumentLine,
  type FrozenDocument,
  type Seller,
} from "./document.ts";
export { eInvoiceType, hasEInvoice, renderEInvoice } from "./einvoice/cii.ts";
export { pdfType, renderPdf, renderStatement } from "./pdf/render-pdf.ts";
