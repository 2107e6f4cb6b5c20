import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type DataOf, type EventOf } from "../kernel/event-definition.ts";
import {
  cents,
  count,
  flag,
  id,
  instant,
  line,
  percent,
  personal,
  ratePercent,
  retained,
  sha256,
  text,
} from "../kernel/fields.ts";
import { apiKeyIssued } from "./api-key-issued.event.ts";
import { documentTerms } from "./document-terms.ts";
import { paidOutEvents } from "./paid-out.events.ts";

const subject = {
  /** Purchased years or months; 0 if the charge has no duration. */
  duration: z.int().nonnegative(),
  domainId: id.nullable(),
  serverId: id.nullable(),
  planId: id.nullable(),
};

/** Subject of a charge and its documents. */
export type ChargeSubject = DataOf<typeof subject>;

const amounts = { netCents: cents, vatRatePercent: ratePercent, vatCents: cents, grossCents: cents };
const amountsV2 = { netCents: cents, vatRatePercent: percent, vatCents: cents, grossCents: cents };

/** Seller, buyer and taxes that a document freezes, and the end of its legal retention. */
const frozen = {
  accountId: id.nullable(),
  /** Inputs frozen at the issue; null on older documents, which have the date of `issuedAt` (UTC) and the first seller. */
  terms: z.strictObject(documentTerms).nullable(),
  /** The buyer at the issue as JSON; empty on older documents, whose buyer is the profile of that time. */
  buyer: retained(text),
  /** Last year in which the law keeps the document; null on older documents. */
  keptUntilYear: z.int().nullable(),
};

const profileV1 = {
  accountId: id,
  /** Number of changes; equal versions have equal data. */
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
  /** E.164, or EPP's notation. */
  phone: personal(line(17)),
  vatId: personal(line(20)),
  changedAt: instant,
};

/** Returns an older document in the present shape. */
function withoutTerms<Older extends object>(older: Older) {
  return { ...older, accountId: null, terms: null, buyer: "", keptUntilYear: null };
}
const frozenLine = {
  description: text,
  quantity: count,
  /** Price of a unit in cents (EUR). */
  unitCents: cents,
  /** Quantity × price in cents (EUR). */
  amountCents: cents,
};
const mostLines = 100;

/** A line of an issued document. Its amounts are net or gross like the document's prices. */
export type FrozenLine = DataOf<typeof frozenLine>;

const invoice = {
  invoiceId: id,
  number: text,
  action: z.enum(["purchase", "renewal", "topup"]),
  /** Id of the charge, or the payment's reference on a receipt. */
  cause: text,
  /** True: lines are gross and sum to `grossCents`, VAT included. False: lines are net and sum to `netCents`. */
  pricesIncludeVat: flag,
  lines: z.array(z.strictObject(frozenLine)).max(mostLines),
  ...subject,
  issuedAt: instant,
};

const correction = {
  correctionId: id,
  number: text,
  correctsInvoiceId: id,
  correctsNumber: text,
  chargeId: text,
  ...subject,
  reason: text,
  issuedAt: instant,
};

const cancellation = {
  correctionId: id,
  number: text,
  correctsInvoiceId: id,
  correctsNumber: text,
  reference: text,
  /** Negative: the amount of the receipt. */
  grossCents: cents,
  reason: text,
  issuedAt: instant,
};

const refund = {
  chargeId: text,
  correctionId: id,
  grossCents: cents,
  balanceAfterCents: cents,
  reason: text,
  refundedAt: instant,
};

export const vatIdOutcomes = ["valid", "invalid", "unanswered"] as const;
export type VatIdOutcome = (typeof vatIdOutcomes)[number];

/** Events of an account (stream `account-<id>`). */
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
      /** `asked` if the person requested it; `key-lost` if staff declared the person's key lost. */
      because: z.enum(["asked", "key-lost"]),
      erasedAt: instant,
    },
    {
      was: [shape({ accountId: id, erasedAt: instant }), (data) => ({ ...data, because: "asked" as const })],
    },
  ),
  DocumentSeriesBegun: event(
    "The account began a new series of document numbers, because staff accepted an older backup of the event store. Each new number names the series.",
    { series: count, begunAt: instant },
  ),
  VatExemptionChanged: event("Staff set whether VAT is added to later charges of the account.", {
    vatExempt: flag,
    changedAt: instant,
  }),
  VatIdChecked: event(
    "The register of VAT ids was asked about the profile's VAT id (VIES, Regulation (EU) 904/2010, Article 31).",
    {
      accountId: id,
      vatId: personal(line(20)),
      /** `unanswered` if the register gave no answer in time. */
      outcome: z.enum(vatIdOutcomes),
      /** Number under which the register recorded the question; empty if it gave none. */
      consultationNumber: personal(line(50)),
      checkedAt: instant,
    },
  ),
  ProfileChanged: event(
    "The customer or staff changed the account's profile. An unknown text is empty.",
    {
      ...profileV1,
      /** Address of a public buyer in Germany, who gets XRechnungen. */
      leitwegId: personal(line(46)),
    },
    { was: [shape(profileV1), (older) => ({ ...older, leitwegId: "" })] },
  ),
  BalanceCredited: event("A payment was received.", {
    /** The payment's reference; a reference is credited once. */
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
      /** Reference, unique for each kind. For a reversal, the payment's reference. */
      reference: text,
      /** Cents (EUR): positive for a credit, negative for a debit. */
      amountCents: cents,
      balanceAfterCents: cents,
      reason: text,
      adjustedAt: instant,
      /** True if staff allowed a negative balance. */
      debtAllowed: flag,
    },
    { firstVersion: 2 },
  ),
  DebtReminded: event(
    "The customer of an account in debt is reminded of it. A payment that ends the debt ends its reminders.",
    {
      accountId: id,
      /** Since when the balance is below zero. */
      debtSince: instant,
      /** Days of debt after which the operator reminds; each number of days once in a debt. */
      afterDays: count,
      /** Number of this reminder in the debt, from 1. */
      reminder: count,
      /** Negative. */
      balanceCents: cents,
      remindedAt: instant,
    },
  ),
  BalanceCharged: event(
    "The account paid a charge from its balance. The invoice is the next event of the same append.",
    { chargeId: text, invoiceId: id, grossCents: cents, balanceAfterCents: cents, chargedAt: instant },
  ),
  RegistrationRefunded: event(
    "The charge of a registration was returned in full. The correction is the next event of the same append.",
    refund,
  ),
  ChargeRefunded: event(
    "A charge for something other than a registration was returned in full. The correction is the next event of the same append.",
    refund,
  ),
  RefundGranted: event(
    "Staff returned a charge in part or in full, however its order ended. The correction is the next event of the same append.",
    refund,
  ),
  InvoiceIssued: event(
    "An invoice, or the receipt of a top-up, was issued. Its amounts, texts and terms are final.",
    { ...invoice, ...amounts, ...frozen },
    { was: [shape({ ...invoice, ...amountsV2 }, { firstVersion: 2 }), withoutTerms] },
  ),
  CorrectionIssued: event(
    "A correction was issued: a new document that names the invoice and negates its amounts.",
    { ...correction, ...amounts, ...frozen },
    { was: [shape({ ...correction, ...amountsV2 }, { firstVersion: 2 }), withoutTerms] },
  ),
  ReceiptCancelled: event(
    "The receipt of a reversed payment was cancelled by a new document that names the receipt.",
    { ...cancellation, ...frozen },
    { was: [shape(cancellation), withoutTerms] },
  ),
  ...paidOutEvents,
  ApiKeyIssued: apiKeyIssued,
  ApiKeyRevoked: event("An API key was revoked. From now on the API refuses the key.", {
    keyId: id,
    keyHash: sha256,
    revokedAt: instant,
  }),
});

export type AccountEvent = EventOf<typeof accountEvents>;
export type AccountOpened = EventOf<typeof accountEvents, "AccountOpened">;
export type DebtReminded = EventOf<typeof accountEvents, "DebtReminded">;
export type BalanceAdjusted = EventOf<typeof accountEvents, "BalanceAdjusted">;
export type BalancePaidOut = EventOf<typeof accountEvents, "BalancePaidOut">;
export type RefundGranted = EventOf<typeof accountEvents, "RefundGranted">;
export type ApiKeyIssued = EventOf<typeof accountEvents, "ApiKeyIssued">;
/** An invoice or a top-up's receipt was issued. Its amounts are never computed again. */
export type InvoiceIssued = EventOf<typeof accountEvents, "InvoiceIssued">;
export type CorrectionIssued = EventOf<typeof accountEvents, "CorrectionIssued">;
export type ReceiptCancelled = EventOf<typeof accountEvents, "ReceiptCancelled">;

export const accountCodec = eventCodec(accountEvents);
