import { create } from "@bufbuild/protobuf";
import { type Seller, sellerOfVersion } from "@hostledger/audit/documents";
import { type DocumentTerms, sellerCodec } from "@hostledger/core";
import { account as messages } from "@hostledger/protocol";
import { decodeEvent, type EventStore } from "@hostledger/store";

import type { AccountDependencies } from "../dependencies.ts";
import { readDocument } from "../rpc/get-invoice.rpc.ts";
import { readFrozenInputs } from "./frozen-document.ts";

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

/** Creates a function that finds a document and its frozen inputs. @returns undefined if there is no such document */
export function createIssuedDocumentFinder(
  options: IssuedDocumentOptions,
): (documentId: number) => Promise<IssuedDocument | undefined> {
  const { projector, queries } = options;

  async function dateOf(documentId: number, issuedAt: string): Promise<string> {
    return (await readFrozenInputs(options, documentId)).terms?.businessDate ?? issuedAt.slice(0, 10);
  }

  return async (documentId) => {
    const find = () => queries.invoiceById(documentId);
    const row = (await find()) ?? (await projector.after("end").then(find));
    if (row === undefined) return undefined;
    const frozen = await readFrozenInputs(options, documentId);
    const { buyer, keptUntilYear, terms } = frozen;
    const document = create(messages.GetInvoiceResponseSchema, await readDocument(options, row, frozen));
    // Without a profile, the frozen buyer is the account's name of that time.
    if (buyer !== undefined) document.buyer = create(messages.BuyerSchema, buyer);
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

/** Returns the first seller that was recorded; the settings' seller if none was. */
async function firstSeller({ seller, store }: IssuedDocumentOptions): Promise<Seller> {
  for await (const recorded of store.read("seller-all")) {
    const event = decodeEvent(sellerCodec, recorded)?.event;
    if (event?.type === "SellerChanged") return sellerOfVersion(event.data);
  }
  return seller;
}
