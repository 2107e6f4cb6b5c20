import type { Buyer, FrozenDocument, Seller } from "../document.ts";

/** What the thread that makes PDFs is asked. */
export interface PdfRequest {
  /** Chosen by whoever asks; the answer has the same. */
  readonly id: number;
  readonly document: FrozenDocument;
  readonly seller: Seller;
  readonly buyer: Buyer;
}

/** What it answers. */
export type PdfAnswer =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly failure: string };
