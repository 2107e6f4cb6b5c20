import { create } from "@bufbuild/protobuf";
import { type Seller, sellerOfVersion } from "@hostledger/audit/documents";
import {
  accountCodec,
  type DocumentTerms,
  erasedText,
  notAvailableText,
  sellerCodec,
} from "@hostledger/core";
import { account as messages } from "@hostledger/protocol";
import { decodeEvent, type EventStore } from "@hostledger/store";
import { z } from "zod";

import type { AccountDependencies } from "../dependencies.ts";
import { readDocument } from "../rpc/get-invoice.rpc.ts";

/** Everything that the files of a document depend on. */
export interface IssuedDocument {
  readonly document: messages.GetInvoiceResponse;
  readonly seller: Seller;
  /** Inputs frozen at the issue; null on older documents. */
  readonly terms: DocumentTerms | null;
  /** Business date of the corrected document; absent if there is none. */
  readonly correctedDate?: string;
  /** Last year in which the law keeps the document; null on older documents. */
  readonly keptUntilYear: number | null;
}

export interface IssuedDocumentOptions extends Pick<
  AccountDependencies,
  "accounts" | "projector" | "queries" | "subjectKeys"
> {
  readonly store: Pick<EventStore, "read">;
  /** Named on documents that froze none, while there is no first seller. */
  readonly seller: Seller;
}

/** The buyer as `InvoiceIssued` froze it. */
const frozenBuyer = z.object({
  name: z.string(),
  organisation: z.string(),
  street: z.string(),
  postalCode: z.string(),
  city: z.string(),
  country: z.string(),
  vatId: z.string(),
  leitwegId: z.string().default(""),
});

/** Creates a function that finds a document with what its event froze. @returns undefined if there is none */
export function createFindIssued(
  options: IssuedDocumentOptions,
): (documentId: number) => Promise<IssuedDocument | undefined> {
  const { projector, queries, store } = options;

  async function frozenOf(documentId: number): Promise<Frozen> {
    const place = await queries.documentEvent(documentId);
    if (place === undefined) return nothingFrozen;
    const stream = `account-${String(place.account_id)}`;
    for await (const recorded of store.read(stream, { from: BigInt(place.revision), limit: 1 })) {
      const event = decodeEvent(accountCodec, recorded)?.event;
      if (event?.type === "InvoiceIssued" || event?.type === "CorrectionIssued") return event.data;
    }
    return nothingFrozen;
  }

  async function dateOf(documentId: number, issuedAt: string): Promise<string> {
    return (await frozenOf(documentId)).terms?.businessDate ?? issuedAt.slice(0, 10);
  }

  return async (documentId) => {
    const find = () => queries.invoiceById(documentId);
    const row = (await find()) ?? (await projector.after("end").then(find));
    if (row === undefined) return undefined;
    const document = create(messages.GetInvoiceResponseSchema, await readDocument(options, row));
    const { buyer, keptUntilYear, terms } = await frozenOf(documentId);
    if (buyer !== "" && buyer !== erasedText && buyer !== notAvailableText)
      document.buyer = create(messages.BuyerSchema, frozenBuyer.parse(JSON.parse(buyer)));
    const seller = terms === null ? await firstSeller(options) : sellerOfVersion(terms.seller);
    const { correctsIssuedAt } = document;
    return {
      document,
      seller,
      terms,
      keptUntilYear,
      ...(row.corrects_invoice_id !== null &&
        correctsIssuedAt !== undefined && {
          correctedDate: await dateOf(row.corrects_invoice_id, correctsIssuedAt),
        }),
    };
  };
}

/** What an event froze of its document. */
interface Frozen {
  readonly buyer: string;
  readonly keptUntilYear: number | null;
  readonly terms: DocumentTerms | null;
}

const nothingFrozen: Frozen = { buyer: "", keptUntilYear: null, terms: null };

/** Returns the first seller that was recorded; the settings' seller if none was. */
async function firstSeller({ seller, store }: IssuedDocumentOptions): Promise<Seller> {
  for await (const recorded of store.read("seller-all")) {
    const event = decodeEvent(sellerCodec, recorded)?.event;
    if (event?.type === "SellerChanged") return sellerOfVersion(event.data);
  }
  return seller;
}
