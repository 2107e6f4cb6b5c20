import { z } from "zod";

import { historyCodec, type EventVersions } from "../kernel/event-codec.ts";
import { centsField, idField, instantField, personalField, textField } from "../kernel/fields.ts";
import type { AccountEvent } from "./account.events.ts";
import { correctionVersions, invoiceVersions } from "./documents.versions.ts";

const keyHashField = z.string().regex(/^[0-9a-f]{64}$/);
const refund = z.strictObject({
  chargeId: textField,
  correctionId: idField,
  grossCents: centsField,
  balanceAfterCents: centsField,
  reason: textField,
  refundedAt: instantField,
});

/** The shapes an account's events have had, oldest first. */
export const accountVersions: Readonly<Record<AccountEvent["type"], EventVersions>> = {
  AccountOpened: {
    schemas: [
      z.strictObject({
        accountId: idField,
        name: personalField(1_000),
        vatExempt: z.boolean(),
        openedAt: instantField,
      }),
    ],
  },
  PersonalDataErased: { schemas: [z.strictObject({ accountId: idField, erasedAt: instantField })] },
  VatExemptionChanged: { schemas: [z.strictObject({ vatExempt: z.boolean(), changedAt: instantField })] },
  BalanceCredited: {
    schemas: [
      z.strictObject({
        reference: textField,
        amountCents: centsField,
        balanceAfterCents: centsField,
        creditedAt: instantField,
      }),
    ],
  },
  BalanceCharged: {
    schemas: [
      z.strictObject({
        chargeId: textField,
        invoiceId: idField,
        grossCents: centsField,
        balanceAfterCents: centsField,
        chargedAt: instantField,
      }),
    ],
  },
  RegistrationRefunded: { schemas: [refund] },
  ChargeRefunded: { schemas: [refund] },
  InvoiceIssued: invoiceVersions,
  CorrectionIssued: correctionVersions,
  ApiKeyIssued: {
    schemas: [
      z.strictObject({ keyId: idField, keyHash: keyHashField, prefix: textField, issuedAt: instantField }),
    ],
  },
  ApiKeyRevoked: {
    schemas: [z.strictObject({ keyId: idField, keyHash: keyHashField, revokedAt: instantField })],
  },
};

/** Reads and names an account's events. */
export const accountCodec = historyCodec<AccountEvent>(accountVersions);
