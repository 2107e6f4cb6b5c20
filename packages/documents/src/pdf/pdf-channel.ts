import type { Buyer, FrozenDocument, Seller } from "../document.ts";

/** A request to the PDF thread. */
export interface PdfRequest {
  /** Id of the request, repeated in the answer. */
  readonly id: number;
  readonly document: FrozenDocument;
  readonly seller: Seller;
  readonly buyer: Buyer;
}

/** The answer to a request. */
export type PdfAnswer =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly failure: string };
