import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ApiKey, Approval } from "@hostledger/core";
import { account, admin } from "@hostledger/protocol";
import { fromRow } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { InvoiceLineRow, InvoiceRow, ProfileRow } from "../reads/account.queries.ts";

/** A document as a Connect message. */
export const invoiceMessage = fromRow<InvoiceRow>().toMessage(account.InvoiceSchema, {
  // Everything is paid from the balance, or is a payment: it is paid when it is issued, until the payment is taken back.
  paidAt: ({ created_at: createdAt, taken_back_at: takenBackAt }) => (takenBackAt === null ? createdAt : ""),
});

/** What is told of a document beside the document: whose it is, and which one it corrects. */
interface ReadInvoice extends InvoiceRow {
  readonly account_name: string;
  readonly buyer: MessageInitShape<typeof account.BuyerSchema> | undefined;
  readonly lines: readonly InvoiceLineRow[];
  readonly corrects_issued_at: string | null;
}

/** Who a document was issued to. */
export const buyerMessage = fromRow<ProfileRow>().toMessage(account.BuyerSchema, {});

/** A document as staff see it. */
export const staffInvoiceMessage = fromRow<InvoiceRow>().toMessage(admin.StaffInvoiceSchema, {
  invoice: invoiceMessage,
});

/** A line of a document. */
export const lineMessage = fromRow<InvoiceLineRow>().toMessage(account.InvoiceLineSchema, {});

/** A document with its lines. */
export const readInvoiceMessage = fromRow<ReadInvoice>().toMessage(account.GetInvoiceResponseSchema, {
  invoice: invoiceMessage,
  lines: ({ lines }) => lines.map(lineMessage),
  buyer: ({ buyer }) => buyer,
});

/** A key of an account, and the day on which it was last used where that is known. */
interface KnownKey {
  readonly keyId: number;
  readonly key: ApiKey;
  readonly lastUsedOn?: string | undefined;
}

/** An API key as its owner sees it: never its secret. */
export function ownKeyMessage(known: KnownKey): MessageInitShape<typeof account.ApiKeySchema> {
  return { ...keyFields(known), createdAt: known.key.issuedAt };
}

/** An API key as staff sees it: never its secret. */
export function listedKeyMessage(known: KnownKey): MessageInitShape<typeof admin.ApiKeySchema> {
  const { issuedAt, revokedAt } = known.key;
  return { ...keyFields(known), issuedAt, ...defined({ revokedAt: revokedAt ?? undefined }) };
}

function keyFields({ keyId, key: { prefix, label, scopes, expiresAt, addresses }, lastUsedOn }: KnownKey) {
  return {
    keyId: BigInt(keyId),
    prefix,
    label,
    scopes: [...(scopes ?? [])],
    addresses: [...addresses],
    ...defined({ expiresAt: expiresAt ?? undefined, lastUsedOn }),
  };
}

/** A credit that waits for a second person. */
export function approvalMessage({
  approvalId,
  accountId,
  kind,
  amountCents,
  reference,
  reason,
  debtAllowed,
  requestedBy,
  requestedAt,
  expiresAt,
}: Approval) {
  return {
    approvalId: BigInt(approvalId),
    accountId: BigInt(accountId),
    amountCents: BigInt(amountCents),
    reference,
    kind,
    debtAllowed,
    reason,
    requestedBy,
    requestedAt,
    expiresAt,
  };
}
