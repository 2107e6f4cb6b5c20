import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type DataOf, type EventOf } from "../kernel/event-definition.ts";
import { cents, count, flag, id, instant, line, percent, personal, sha256, text } from "../kernel/fields.ts";

const subject = {
  /** Years or months bought; 0 where there is none. */
  duration: z.int().nonnegative(),
  domainId: id.nullable(),
  serverId: id.nullable(),
  planId: id.nullable(),
};

/** What a charge and its documents are for. */
export type ChargeSubject = DataOf<typeof subject>;

const amounts = { netCents: cents, vatRatePercent: percent, vatCents: cents, grossCents: cents };
const frozenLine = {
  description: text,
  quantity: count,
  /** Price of one in cents (EUR). */
  unitCents: cents,
  /** Quantity × price in cents (EUR). */
  amountCents: cents,
};
const mostLines = 100;

/** One line as a document freezes it: both amounts are net or both gross, as the document's prices are. */
export type FrozenLine = DataOf<typeof frozenLine>;

const refund = {
  chargeId: text,
  correctionId: id,
  grossCents: cents,
  balanceAfterCents: cents,
  reason: text,
  refundedAt: instant,
};

/** No address that a key is limited to. */
const anywhere: string[] = [];

/** Only all-powerful keys were issued. */
const apiKeyV1 = {
  keyId: id,
  /** Of the whole key. */
  keyHash: sha256,
  /** First characters of the key, to recognise it. */
  prefix: text,
  issuedAt: instant,
};

/** What happens to an account (stream `account-<id>`). */
export const accountEvents = defineEvents({
  AccountOpened: event("An account was opened with a balance of zero.", {
    accountId: id,
    name: personal(text),
    vatExempt: flag,
    openedAt: instant,
  }),
  PersonalDataErased: event(
    "What is known of the person behind the account is erased: its key is destroyed next, and its API keys are " +
      "revoked in the same append. What was paid and charged stays, and what is under way is still settled.",
    {
      accountId: id,
      /** Who wanted it: the person; or nobody, where the key was lost and staff said so. */
      because: z.enum(["asked", "key-lost"]),
      erasedAt: instant,
    },
    {
      was: [shape({ accountId: id, erasedAt: instant }), (data) => ({ ...data, because: "asked" as const })],
    },
  ),
  DocumentSeriesBegun: event(
    "The event store was put back to an older copy, and staff accepted the copy: the account's documents count anew, with the number of the series in theirs.",
    { series: count, begunAt: instant },
  ),
  VatExemptionChanged: event("VAT is added to later charges, or no longer.", {
    vatExempt: flag,
    changedAt: instant,
  }),
  ProfileChanged: event(
    "The customer, or staff, said who the customer is; a text that is not known is empty.",
    {
      accountId: id,
      /** Counts the changes: the same number means the same data. */
      version: count,
      kind: z.enum(["person", "organisation"]).nullable(),
      name: personal(line(200)),
      organisation: personal(line(200)),
      street: personal(line(200)),
      city: personal(line(100)),
      postalCode: personal(line(16)),
      /** ISO 3166-1 alpha-2. */
      country: personal(line(2)),
      email: personal(line(254)),
      /** E.164, or as EPP writes it. */
      phone: personal(line(17)),
      vatId: personal(line(20)),
      changedAt: instant,
    },
  ),
  BalanceCredited: event("A payment was received.", {
    /** The payment's own reference: the same twice credits once. */
    reference: text,
    amountCents: cents,
    balanceAfterCents: cents,
    creditedAt: instant,
  }),
  BalanceAdjusted: event(
    "Staff corrected the balance, which has no document; or took a payment back that did not stay: then the cancellation of its " +
      "receipt is the next event of the same append, in stores of before it there is none.",
    {
      kind: z.enum(["credit", "debit", "top-up-reversed"]),
      /** One of its kind: the same twice adjusts once. Of a payment taken back, the payment's own. */
      reference: text,
      /** Cents (EUR): above zero what came in, below zero what went out. */
      amountCents: cents,
      balanceAfterCents: cents,
      /** Why, in the words of whoever did it. */
      reason: text,
      adjustedAt: instant,
      /** Staff allowed the balance to fall below zero by it. */
      debtAllowed: flag,
    },
    { firstVersion: 2 },
  ),
  BalanceCharged: event(
    "A charge was taken from the balance; its invoice is the next event of the same append.",
    { chargeId: text, invoiceId: id, grossCents: cents, balanceAfterCents: cents, chargedAt: instant },
  ),
  RegistrationRefunded: event(
    "A registration's charge was returned in full; its correction is the next event of the same append.",
    refund,
  ),
  ChargeRefunded: event(
    "A charge that is no registration's was returned in full; its correction is the next event of the same append.",
    refund,
  ),
  RefundGranted: event(
    "Staff returned a charge in part or whole, whatever became of its order; its correction is the next event of the same append.",
    refund,
  ),
  InvoiceIssued: event(
    "An invoice, or the receipt of a top-up, was issued. Nothing of it is ever computed again.",
    {
      invoiceId: id,
      number: text,
      action: z.enum(["purchase", "renewal", "topup"]),
      /** The charge it belongs to, or the payment's reference on a receipt. */
      cause: text,
      /**
       * True: the lines are gross and sum to `grossCents`, which contains the VAT. False: they are net, and sum to
       * `netCents`.
       */
      pricesIncludeVat: flag,
      lines: z.array(z.strictObject(frozenLine)).max(mostLines),
      ...amounts,
      ...subject,
      issuedAt: instant,
    },
    { firstVersion: 2 },
  ),
  CorrectionIssued: event(
    "A correction was issued: a new document that names the old one, with the old one's amounts negated.",
    {
      correctionId: id,
      number: text,
      correctsInvoiceId: id,
      correctsNumber: text,
      chargeId: text,
      ...amounts,
      ...subject,
      reason: text,
      issuedAt: instant,
    },
    { firstVersion: 2 },
  ),
  ReceiptCancelled: event(
    "The receipt of a payment that was taken back was cancelled: a new document that names the receipt.",
    {
      correctionId: id,
      number: text,
      correctsInvoiceId: id,
      correctsNumber: text,
      /** The payment's own reference. */
      reference: text,
      /** Below zero: what the receipt said was received. */
      grossCents: cents,
      reason: text,
      issuedAt: instant,
    },
  ),
  ApiKeyIssued: event(
    "An API key was issued; only its hash is kept.",
    {
      ...apiKeyV1,
      /** Whose label it is, with whose key of personal data it is sealed; null where there is no label. */
      accountId: id.nullable(),
      /** What its owner calls it; may be empty. */
      label: personal(line(100)),
      /** What it is allowed; null for everything. */
      scopes: z.array(line(32)).min(1).max(32).nullable(),
      /** The instant from which it is refused. */
      expiresAt: instant.nullable(),
      /** Addresses and networks (CIDR) that it may be used from; empty for all. */
      addresses: z.array(line(64)).max(20),
      /** The request that it was issued for. */
      operationId: text.nullable(),
    },
    {
      was: [
        shape(apiKeyV1),
        (data) => ({
          ...data,
          accountId: null,
          label: "",
          scopes: null,
          expiresAt: null,
          addresses: anywhere,
          operationId: null,
        }),
      ],
    },
  ),
  ApiKeyRevoked: event("An API key is refused from now on.", {
    keyId: id,
    keyHash: sha256,
    revokedAt: instant,
  }),
});

/** Everything that happens to an account. */
export type AccountEvent = EventOf<typeof accountEvents>;
/** An account was opened with a balance of zero. */
export type AccountOpened = EventOf<typeof accountEvents, "AccountOpened">;
/** Staff corrected the balance, or took a payment back that did not stay. */
export type BalanceAdjusted = EventOf<typeof accountEvents, "BalanceAdjusted">;
/** Staff returned a charge in part or whole. */
export type RefundGranted = EventOf<typeof accountEvents, "RefundGranted">;
/** An API key was issued; only its hash is kept. */
export type ApiKeyIssued = EventOf<typeof accountEvents, "ApiKeyIssued">;
/** An invoice, or the receipt of a top-up, was issued. Nothing of it is ever computed again. */
export type InvoiceIssued = EventOf<typeof accountEvents, "InvoiceIssued">;
/** A correction was issued: a new document that names the old one, with the old one's amounts negated. */
export type CorrectionIssued = EventOf<typeof accountEvents, "CorrectionIssued">;

/** The receipt of a payment that was taken back was cancelled. */
export type ReceiptCancelled = EventOf<typeof accountEvents, "ReceiptCancelled">;

/** Reads and names an account's events. */
export const accountCodec = eventCodec(accountEvents);
