import type { Buyer, FrozenDocument, Seller } from "../document.ts";

export interface PdfRequest {
  /** Id of the request, repeated in the answer. */
  readonly id: number;
  readonly document: FrozenDocument;
  readonly seller: Seller;
  readonly buyer: Buyer;
}

export type PdfAnswer =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly failure: string };
