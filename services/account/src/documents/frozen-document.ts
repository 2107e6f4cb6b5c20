import type { MessageInitShape } from "@bufbuild/protobuf";
import { accountCodec, type DocumentTerms, erasedText, notAvailableText } from "@hostledger/core";
import type { account as messages } from "@hostledger/protocol";
import { decodeEvent, type EventStore } from "@hostledger/store";
import { z } from "zod";

import type { AccountQueries } from "../reads/account.queries.ts";

/** Inputs that a document's event froze. */
export interface FrozenInputs {
  /** The buyer; undefined on older documents, and after an erasure. */
  readonly buyer: MessageInitShape<typeof messages.BuyerSchema> | undefined;
  /** Inputs frozen at the issue; null on older documents. */
  readonly terms: DocumentTerms | null;
  /** Last year in which the law keeps the document; null on older documents. */
  readonly keptUntilYear: number | null;
}

export interface FrozenInputsOptions {
  readonly queries: Pick<AccountQueries, "documentEvent">;
  readonly store: Pick<EventStore, "read">;
}

const nothingFrozen: FrozenInputs = { buyer: undefined, terms: null, keptUntilYear: null };

/** The buyer as events freeze it (`buyerText`). */
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

/** Reads the inputs that a document's event froze; none if the read models do not have the event yet. */
export async function readFrozenInputs(
  { queries, store }: FrozenInputsOptions,
  documentId: number,
): Promise<FrozenInputs> {
  const place = await queries.documentEvent(documentId);
  if (place === undefined) return nothingFrozen;
  const stream = `account-${String(place.account_id)}`;
  for await (const recorded of store.read(stream, { from: BigInt(place.revision), limit: 1 })) {
    const event = decodeEvent(accountCodec, recorded)?.event;
    if (
      event?.type === "InvoiceIssued" ||
      event?.type === "CorrectionIssued" ||
      event?.type === "ReceiptCancelled"
    ) {
      const { buyer, keptUntilYear, terms } = event.data;
      return { buyer: openedBuyer(buyer), keptUntilYear, terms };
    }
  }
  return nothingFrozen;
}

function openedBuyer(text: string): FrozenInputs["buyer"] {
  if (text === "" || text === erasedText || text === notAvailableText) return undefined;
  return frozenBuyer.parse(JSON.parse(text));
}
