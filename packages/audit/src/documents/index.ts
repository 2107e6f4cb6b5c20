/** Invoices, corrections, receipts and statements as files: PDF, and electronic invoices (EN 16931). */

export {
  placeholderSeller,
  type Buyer,
  type DocumentKind,
  type FrozenDocument,
  type Seller,
} from "./document.ts";
export { eInvoiceType, hasEInvoice, renderEInvoice } from "./einvoice/cii.ts";
export { pdfType, renderPdf, renderStatement } from "./pdf/render-pdf.ts";
