import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ApiKey, Approval } from "@hostledger/core";
import { account, admin } from "@hostledger/protocol";
import { fromRow } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { InvoiceLineRow, InvoiceRow, ProfileRow } from "../reads/account.queries.ts";

export const invoiceMessage = fromRow<InvoiceRow>().toMessage(account.InvoiceSchema, {
  // Items are paid from the balance or are payments, so a document is paid at its issue, until the payment is reversed.
  vatRatePercent: ({ vat_rate_basis_points: points }) => Math.floor(points / 100),
  paidAt: ({ created_at: createdAt, taken_back_at: takenBackAt }) => (takenBackAt === null ? createdAt : ""),
});

interface ReadInvoice extends InvoiceRow {
  readonly account_name: string;
  readonly buyer: MessageInitShape<typeof account.BuyerSchema> | undefined;
  readonly lines: readonly InvoiceLineRow[];
  readonly corrects_issued_at: string | null;
}

export const buyerMessage = fromRow<ProfileRow>().toMessage(account.BuyerSchema, {});

export const staffInvoiceMessage = fromRow<InvoiceRow>().toMessage(admin.StaffInvoiceSchema, {
  invoice: invoiceMessage,
});

export const lineMessage = fromRow<InvoiceLineRow>().toMessage(account.InvoiceLineSchema, {});

export const readInvoiceMessage = fromRow<ReadInvoice>().toMessage(account.GetInvoiceResponseSchema, {
  invoice: invoiceMessage,
  lines: ({ lines }) => lines.map(lineMessage),
  buyer: ({ buyer }) => buyer,
});

interface KnownKey {
  readonly keyId: number;
  readonly key: ApiKey;
  readonly lastUsedOn?: string | undefined;
}

/** Returns an API key for its owner, without the secret. */
export function ownKeyMessage(known: KnownKey): MessageInitShape<typeof account.ApiKeySchema> {
  return { ...keyFields(known), createdAt: known.key.issuedAt };
}

/** Returns an API key for staff, without the secret. */
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

/** A request that awaits a second person. */
export function approvalMessage({
  approvalId,
  accountId,
  kind,
  amountCents,
  reference,
  reason,
  debtAllowed,
  iban,
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
    iban,
    requestedBy,
    requestedAt,
    expiresAt,
  };
}
