import {
  accountEvents,
  bankEvents,
  documentEvents,
  domainEvents,
  paymentEvents,
  serverEvents,
  walletEvents,
  type AccountEvent,
} from "@hostledger/core";
import {
  accountExamples,
  domainExamples,
  paymentExamples,
  serverExamples,
  walletExamples,
} from "@hostledger/core/testing";
import type { GivenEvent } from "@hostledger/read/testing";

import type { AccountSubscriptionEvent } from "./account.subscription.ts";

/** Events of the account service's subscription: account 7 pays with invoice 101. */

const { at } = accountExamples;
const { DomainRegistered, DomainTransferredIn, DomainRenewed } = domainExamples.samples;
const invoiceId = 101;

function eventOf<Type extends AccountEvent["type"]>(
  type: Type,
  events: readonly AccountEvent[],
): Extract<AccountEvent, { type: Type }> {
  const found = events.find((event): event is Extract<AccountEvent, { type: Type }> => event.type === type);
  if (found === undefined) throw new Error(`no example of ${type}`);
  return found;
}

const iban = "DE89370400440532013000";

const bankExamples = {
  StatementImported: {
    type: "StatementImported",
    data: {
      iban,
      kind: "statement",
      statementId: "2026-02-28/1",
      contentSha256: "ab".repeat(32),
      openingCents: "0",
      closingCents: "1190",
      entries: 1,
      importedAt: at,
    },
  },
  BankEntryBooked: {
    type: "BankEntryBooked",
    data: {
      entryId: 1,
      iban,
      statementId: "2026-02-28/1",
      bookingKey: "cd".repeat(32),
      likeness: null,
      part: 1,
      amountCents: "1190",
      bookedOn: "2026-02-28",
      valueOn: null,
      bankReference: "B1",
      isReversal: false,
      creditorReference: "",
      counterpartyName: "Ada Lovelace",
      counterpartyIban: "",
      remittance: "Top-up",
      endToEndId: "",
      keyOwner: 0,
      keptUntilYear: 2036,
      recordedAt: at,
    },
  },
  EntryMatched: {
    type: "EntryMatched",
    data: {
      entryId: 1,
      accountId: 7,
      amountCents: "1190",
      topUpReference: `bank ${iban}/1`,
      by: "reference",
      matchedAt: at,
      topUps: [],
    },
  },
  EntryParked: { type: "EntryParked", data: { entryId: 1, because: "no-reference", parkedAt: at } },
  EntryReassigned: {
    type: "EntryReassigned",
    data: {
      entryId: 1,
      fromAccountId: 7,
      toAccountId: 8,
      amountCents: "1190",
      topUpReference: `bank ${iban}/1/2`,
      reason: "Wrong account",
      reassignedAt: at,
    },
  },
  EntryMatchedToProvider: {
    type: "EntryMatchedToProvider",
    data: { entryId: 2, provider: "sandbox", amountCents: "1190", bookedOn: "2026-11-28", matchedAt: at },
  },
  PayoutQueued: {
    type: "PayoutQueued",
    data: {
      accountId: 7,
      endToEndId: "k3x7m2-P1",
      amountCents: "2000",
      iban: "NL91ABNA0417164300",
      name: "Ada",
      keyOwner: 0,
      keptUntilYear: 2036,
      queuedAt: at,
    },
  },
  PayoutFileMade: {
    type: "PayoutFileMade",
    data: {
      messageId: "k3x7m2-F1",
      fromIban: iban,
      debtorName: "Hostledger",
      fromBic: "",
      executeOn: "2026-03-02",
      endToEndIds: ["k3x7m2-P1"],
      amountCents: "2000",
      madeAt: at,
    },
  },
  PayoutPaid: {
    type: "PayoutPaid",
    data: { accountId: 7, endToEndId: "k3x7m2-P1", entryId: 2, amountCents: "2000", paidAt: at },
  },
  PayoutReturned: {
    type: "PayoutReturned",
    data: {
      accountId: 7,
      endToEndId: "k3x7m2-P1",
      entryId: 3,
      amountCents: "2000",
      returnCode: "AC04",
      returnedAt: at,
    },
  },
  EntryReturned: {
    type: "EntryReturned",
    data: { entryId: 1, reason: "Nobody knows the payer", returnedAt: at },
  },
} as const;

export const examples = {
  AccountOpened: accountExamples.opened(),
  PersonalDataErased: { type: "PersonalDataErased", data: { accountId: 7, because: "asked", erasedAt: at } },
  ProfileChanged: accountExamples.profileChanged(),
  DebtReminded: {
    type: "DebtReminded",
    data: {
      accountId: 7,
      debtSince: at,
      afterDays: 3,
      reminder: 1,
      balanceCents: "-2500",
      remindedAt: at,
    },
  },
  VatIdChecked: {
    type: "VatIdChecked",
    data: { accountId: 7, vatId: "NL004495445B01", outcome: "valid", consultationNumber: "", checkedAt: at },
  },
  DocumentSeriesBegun: { type: "DocumentSeriesBegun", data: { series: 1, begunAt: at } },
  VatExemptionChanged: { type: "VatExemptionChanged", data: { vatExempt: true, changedAt: at } },
  BalanceCredited: eventOf("BalanceCredited", accountExamples.credited()),
  BalanceAdjusted: accountExamples.adjusted(),
  BalancePaidOut: accountExamples.paidOut(),
  PaidOutReturned: accountExamples.paidOutReturned(),
  BalanceCharged: eventOf("BalanceCharged", accountExamples.charged()),
  InvoiceIssued: eventOf("InvoiceIssued", accountExamples.charged()),
  RegistrationRefunded: eventOf("RegistrationRefunded", accountExamples.refunded()),
  ChargeRefunded: eventOf("ChargeRefunded", accountExamples.serverRefunded()),
  RefundGranted: eventOf("RefundGranted", accountExamples.granted()),
  CorrectionIssued: eventOf("CorrectionIssued", accountExamples.refunded()),
  ReceiptCancelled: accountExamples.receiptCancelled(),
  ApiKeyIssued: accountExamples.apiKeyIssued({ keyHash: "a".repeat(64), prefix: "hlk_abcdef" }),
  ApiKeyRevoked: {
    type: "ApiKeyRevoked",
    data: { keyId: 5, keyHash: "a".repeat(64), revokedAt: "2026-04-01T10:00:00.000000Z" },
  },
  DomainRegistered: { ...DomainRegistered, data: { ...DomainRegistered.data, invoiceId } },
  DomainTransferredIn: { ...DomainTransferredIn, data: { ...DomainTransferredIn.data, invoiceId } },
  DomainRenewed: { ...DomainRenewed, data: { ...DomainRenewed.data, invoiceId } },
  ServerProvisioned: serverExamples.provisioned({ invoiceId }),
  ServerRenewed: serverExamples.renewed({ invoiceId }),
  RegistrationReserved: domainExamples.samples.RegistrationReserved,
  RegistrationReleased: domainExamples.samples.RegistrationReleased,
  TransferReserved: domainExamples.samples.TransferReserved,
  TransferReleased: domainExamples.samples.TransferReleased,
  DomainTransferredAway: domainExamples.samples.DomainTransferredAway,
  DomainDeleted: domainExamples.samples.DomainDeleted,
  ServerOrdered: serverExamples.samples.ServerOrdered,
  ServerOrderFailed: serverExamples.samples.ServerOrderFailed,
  ServerTerminationBegun: serverExamples.samples.ServerTerminationBegun,
  DocumentArchived: {
    type: "DocumentArchived",
    data: {
      documentId: 1,
      accountId: 7,
      number: "2026-7-000001",
      files: [{ format: "pdf", bytes: 40_000, sha256: "ab".repeat(32) }],
      salt: "cd".repeat(32),
      keptUntilYear: 2034,
      isRenderedLater: false,
      archivedAt: at,
    },
  },
  PaymentRequested: paymentExamples.paymentRequested(),
  PaymentOpened: paymentExamples.paymentOpened(),
  PaymentSettled: paymentExamples.paymentSettled(),
  PaymentFailed: paymentExamples.paymentFailed(),
  PaymentReturned: paymentExamples.paymentReturned(),
  RefundOrdered: paymentExamples.refundOrdered(),
  RefundSettled: paymentExamples.refundSettled(),
  RefundRefused: paymentExamples.refundRefused(),
  MethodStored: walletExamples.methodStored(),
  MethodWithdrawn: walletExamples.methodWithdrawn(),
  MethodRemoved: walletExamples.methodRemoved(),
  AutoTopUpSet: walletExamples.autoTopUpSet(),
  AutoTopUpOrdered: walletExamples.autoTopUpOrdered(),
  AutoTopUpStopped: walletExamples.autoTopUpStopped(),
  ...bankExamples,
} as const satisfies {
  readonly [Type in AccountSubscriptionEvent["type"]]: Extract<AccountSubscriptionEvent, { type: Type }>;
};

/** Receipt of a payment; `examples.InvoiceIssued` is the invoice of a charge. */
export const receipt = eventOf("InvoiceIssued", accountExamples.credited());

/** Invoice and correction of a server renewal. */
export const serverInvoice = eventOf("InvoiceIssued", accountExamples.serverCharged());
export const serverCorrection = eventOf("CorrectionIssued", accountExamples.serverRefunded());

export const typesInStreams: readonly string[] = [
  accountEvents,
  bankEvents,
  documentEvents,
  domainEvents,
  paymentEvents,
  serverEvents,
  walletEvents,
].flatMap((versions) => Object.keys(versions));

export function stored(event: AccountSubscriptionEvent): GivenEvent<AccountSubscriptionEvent> {
  if (event.type in accountEvents) return { event, stream: "account-7" };
  if (event.type in bankEvents) return { event, stream: `bank-${iban}` };
  if (event.type === "DocumentArchived")
    return { event, stream: `document-${String(event.data.documentId)}` };
  if (event.type in walletEvents) return { event, stream: "wallet-7" };
  if (event.type in paymentEvents) return { event, stream: "payment-k3x7m2-1" };
  return { event, stream: event.type in domainEvents ? "domain-example.com" : "server-5" };
}
