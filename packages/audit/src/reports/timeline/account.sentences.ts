import {
  counted,
  type AccountEvent,
  type ApprovalEvent,
  type AuditLogEvent,
  type AuditorEvent,
  type ClockEvent,
  type ComparisonEvent,
  type FollowedDifference,
  type InstallationEvent,
  type NoticeChoiceEvent,
  type PlanEvent,
  type PriceListEvent,
  type MendingEvent,
  type ReferenceEvent,
  type QuotaEvent,
  type RegionEvent,
  type RegistryMessageEvent,
  type RequestEvent,
  type SequenceEvent,
  type ServiceCredentialEvent,
  type StaffEvent,
  type StockEvent,
  type StoreRewindEvent,
  type TicketCauseEvent,
  type TicketEvent,
  type WebhookEvent,
} from "@hostledger/core";
import { adjustmentName } from "../account-history.ts";
import { amount, type Sentences } from "./sentences.ts";

type Refund = Extract<AccountEvent, { type: "ChargeRefunded" }>["data"];

const refunded = ({ grossCents, chargeId, reason, balanceAfterCents }: Refund): string =>
  `${amount(grossCents)} of ${chargeId} went back (${reason}); the balance is ${amount(balanceAfterCents)}.`;

export const accountSentences: Sentences<AccountEvent> = {
  AccountOpened: ({ accountId, name }) => `Account ${String(accountId)} was opened for ${name}.`,
  PersonalDataErased: ({ accountId, because }) =>
    because === "asked"
      ? `The personal data of account ${String(accountId)} was erased, and its API keys were revoked.`
      : `The key of the personal data of account ${String(accountId)} was declared lost: that data is gone, and its API keys were revoked.`,
  ProfileChanged: ({ accountId, version }) =>
    `The profile of account ${String(accountId)} was changed (version ${String(version)}).`,
  DocumentSeriesBegun: ({ series }) =>
    `The account's documents count anew, in the series R${String(series)}.`,
  VatExemptionChanged: ({ vatExempt }) =>
    vatExempt ? "Later charges bear no VAT." : "Later charges bear VAT.",
  BalanceCredited: ({ amountCents, reference, balanceAfterCents }) =>
    `${amount(amountCents)} came in as ${reference}; the balance is ${amount(balanceAfterCents)}.`,
  BalanceAdjusted: ({ kind, debtAllowed, amountCents, reference, reason, balanceAfterCents }) =>
    `${adjustmentName({ kind, debtAllowed })} as ${reference}, ${amount(amountCents)} (${reason}); the balance is ${amount(balanceAfterCents)}.`,
  BalanceCharged: ({ grossCents, chargeId, balanceAfterCents }) =>
    `${amount(grossCents)} was charged for ${chargeId}; the balance is ${amount(balanceAfterCents)}.`,
  RegistrationRefunded: refunded,
  ChargeRefunded: refunded,
  RefundGranted: refunded,
  InvoiceIssued: ({ action, number, grossCents, netCents, vatCents, cause }) =>
    action === "topup"
      ? `Receipt ${number} over ${amount(grossCents)} was issued for ${cause}.`
      : `Invoice ${number} over ${amount(grossCents)} (${amount(netCents)} and ${amount(vatCents)} VAT) was issued for ${cause}.`,
  ReceiptCancelled: ({ number, grossCents, correctsNumber, reference }) =>
    `Document ${number} over ${amount(grossCents)} cancelled the receipt ${correctsNumber} of ${reference}.`,
  CorrectionIssued: ({ number, grossCents, correctsNumber, chargeId }) =>
    `Correction ${number} over ${amount(grossCents)} of invoice ${correctsNumber} was issued for ${chargeId}.`,
  ApiKeyIssued: ({ keyId, prefix }) => `API key ${String(keyId)} (${prefix}…) was issued.`,
  ApiKeyRevoked: ({ keyId }) => `API key ${String(keyId)} was revoked.`,
};

export const quotaSentences: Sentences<QuotaEvent> = {
  QuotaSet: ({ accountId, quota, value, reason }) =>
    `The quota ${quota} of account ${String(accountId)} is ${value === null ? "the standard one" : String(value)} from now on: ${reason}`,
  QuotaTaken: ({ accountId, quota, day, amount: taken }) =>
    `${String(taken)} of the quota ${quota} of account ${String(accountId)} were taken for ${day}.`,
};

export const noticeChoiceSentences: Sentences<NoticeChoiceEvent> = {
  MailKindsChosen: ({ accountId, kinds }) =>
    kinds === null
      ? `Account ${String(accountId)} gets mail of every kind.`
      : `Account ${String(accountId)} gets mail of ${counted(kinds.length, "kind")}.`,
  MailBounced: ({ accountId, email, status }) =>
    `Mail to account ${String(accountId)} at ${email} came back (${status}): that address is not written to any more.`,
  MailResumed: ({ accountId }) => `Account ${String(accountId)} is written to again.`,
  LowBalanceThresholdSet: ({ accountId, thresholdCents }) =>
    thresholdCents === null
      ? `Account ${String(accountId)} is not notified of a low balance.`
      : `Account ${String(accountId)} is notified when its balance falls below ${amount(thresholdCents)}.`,
};

/** Sentences about webhooks. They omit the URL, which may contain a secret. */
export const webhookSentences: Sentences<WebhookEvent> = {
  WebhookCreated: ({ webhookId, kinds }) =>
    `Webhook ${String(webhookId)} was created, for ${kinds === null ? "every kind of notice" : kinds.join(", ")}.`,
  WebhookSecretRotated: ({ webhookId, formerSecretUntil }) =>
    `Webhook ${String(webhookId)} has a new secret; the former one signs, too, until ${formerSecretUntil}.`,
  WebhookChanged: ({ webhookId, kinds }) =>
    `Webhook ${String(webhookId)} was edited; it is for ${kinds === null ? "every kind of notice" : kinds.join(", ")}.`,
  WebhookDisabled: ({ webhookId }) =>
    `Webhook ${String(webhookId)} took nothing for three days, or answered 410: it is disabled.`,
  WebhookPaused: ({ webhookId }) => `Webhook ${String(webhookId)} was paused.`,
  WebhookEnabled: ({ webhookId }) => `Webhook ${String(webhookId)} was enabled again.`,
  WebhookDeleted: ({ webhookId }) => `Webhook ${String(webhookId)} was deleted.`,
};

export const catalogueSentences: Sentences<
  PlanEvent | PriceListEvent | RegionEvent | SequenceEvent | StockEvent
> = {
  PlanAdded: ({ planId, title, monthGrossCents }) =>
    `Plan ${String(planId)} (${title}) is on offer for ${amount(monthGrossCents)} a month.`,
  PlanEdited: ({ planId, title, cores, memoryGb, storageGb, monthGrossCents }) =>
    `Plan ${String(planId)} is sold as ${title} (${counted(cores, "core")}, ${String(memoryGb)} GB memory, ${String(storageGb)} GB storage) for ${amount(monthGrossCents)} a month from now on.`,
  PlanPriceAnnounced: ({ planId, monthGrossCents, validFrom }) =>
    `From ${validFrom} on plan ${String(planId)} is sold for ${amount(monthGrossCents)} a month.`,
  PlanRetired: ({ planId, reason }) => `Plan ${String(planId)} is not sold any more: ${reason}`,
  PriceSet: ({ tld, registrationCents, renewalCents, transferCents, active }) =>
    active
      ? `.${tld} costs ${amount(registrationCents)} to register, ${amount(renewalCents)} to renew, ${amount(transferCents)} to transfer, net.`
      : `.${tld} is no longer sold.`,
  PriceAnnounced: ({ tld, registrationCents, renewalCents, transferCents, active, validFrom }) =>
    active
      ? `From ${validFrom} on .${tld} costs ${amount(registrationCents)} to register, ${amount(renewalCents)} to renew, ${amount(transferCents)} to transfer, net.`
      : `From ${validFrom} on .${tld} is no longer sold.`,
  ExtensionLifeCycleSet: ({ tld, graceDays, redemptionDays, pendingDeleteDays, restoreCents }) =>
    `Names of .${tld} that nobody renews can be renewed for ${counted(graceDays, "day")}, then ` +
    `${restoreCents === null ? "had back from the registry only" : `restored for ${amount(restoreCents)} net`} for ${counted(redemptionDays, "day")}, ` +
    `and are deleted ${counted(pendingDeleteDays, "day")} later.`,
  RegionAdded: ({ code, location }) => `Region ${code} (${location}) was added.`,
  IdBlockReserved: ({ first, last }) => `The ids ${String(first)} to ${String(last)} were reserved.`,
  StockSet: ({ planId, regionId, units }) =>
    `${counted(units, "unit")} of plan ${String(planId)} can be ordered in region ${String(regionId)}.`,
  StockUnitReserved: ({ orderId, unitsLeft }) =>
    `A unit was taken for ${orderId}; ${counted(unitsLeft, "unit")} left.`,
  StockUnitReturned: ({ orderId, unitsLeft }) =>
    `The unit of ${orderId} was given back; ${counted(unitsLeft, "unit")} left.`,
};

export const comparisonSentences: Sentences<ComparisonEvent> = {
  BooksCompared: ({ part, critical, major, minor }) =>
    `The books' ${part} were compared with what providers hold: ${counted(critical + major + minor, "difference")}, ${String(critical)} critical.`,
  CriticalDifferencesChanged: ({ part, found, mended }) =>
    `The books' ${part} and what providers hold: ${counted(found.length, "critical difference")} appeared${named(found)}, ${String(mended.length)} mended${named(mended)}.`,
};

function named(differences: readonly FollowedDifference[]): string {
  if (differences.length === 0) return "";
  return ` (${differences.map(({ kind, resource }) => `${kind} ${resource}`).join(", ")})`;
}

export const registrySentences: Sentences<RegistryMessageEvent> = {
  RegistryMessageReceived: ({ registrar, messageId, about, name, words }) =>
    `The registry behind ${registrar} said in message ${messageId} (${about}${name === null ? "" : ` ${name}`}): ${words}`,
};

export const requestSentences: Sentences<RequestEvent | TicketCauseEvent | TicketEvent> = {
  RequestBegun: ({ accountId, operationId }) =>
    `Account ${String(accountId)} sent the request that became operation ${operationId}.`,
  RequestTakenOver: ({ operationId }) => `Another process took operation ${operationId} over.`,
  RequestAnswered: ({ operationId, status }) =>
    `Operation ${operationId} was answered with HTTP ${String(status)}.`,
  RequestReleased: ({ operationId }) => `Operation ${operationId} failed without an effect.`,
  TicketOpened: ({ ticketId, priority, title }) =>
    `Ticket ${String(ticketId)} (${priority}) was opened: ${title}`,
  StaffTicketRequested: ({ priority, title }) => `A ticket for staff (${priority}) was asked for: ${title}`,
  StaffTicketOpened: ({ ticketId, priority, title }) =>
    `Ticket ${String(ticketId)} (${priority}) was opened for staff: ${title}`,
  TicketReplied: ({ ticketId, accountId }) =>
    `${accountId === null ? "Staff" : `Account ${String(accountId)}`} replied to ticket ${String(ticketId)}.`,
  TicketClosed: ({ ticketId, by }) => `Ticket ${String(ticketId)} was closed by ${by}.`,
  TicketNumbered: ({ ticketId, cause }) => `Ticket ${String(ticketId)} is the one of ${cause}.`,
};

export const clockSentences: Sentences<ClockEvent> = {
  ClockJumpNoticed: ({ direction, expectedAt, clockAt }) =>
    `A clock said ${clockAt}, ${direction} of ${expectedAt}: time-driven work waits for staff.`,
  ClockAccepted: ({ acceptedAt }) => `Staff confirmed the clock at ${acceptedAt}.`,
  ClockDifferenceKept: ({ aheadMs, keptAt }) =>
    `A clock that was confirmed goes on at ${keptAt}, ${String(Math.abs(aheadMs))} ms ${aheadMs < 0 ? "behind" : "ahead of"} the database's.`,
};

export const storeRewindSentences: Sentences<StoreRewindEvent> = {
  StoreRewindNoticed: ({ stream, revision }) =>
    `A process found that the store lacks event ${String(revision)} of ${stream}: nothing that costs money is written until staff accept the store.`,
  StoreRewindAccepted: ({ series, reason }) =>
    `The store was accepted as it is (${reason}): documents go on in the series R${String(series)}.`,
};

export const installationSentences: Sentences<InstallationEvent> = {
  InstallationNamed: ({ part }) => `The installation drew its random part for providers: ${part}.`,
  InstallationCopied: ({ part }) => `This is a test copy, which drew a random part of its own: ${part}.`,
};

export const referenceSentences: Sentences<ReferenceEvent> = {
  ReferenceTaken: ({ kind, reference, accountId }) =>
    `The reference ${reference} is that of a ${kind} of account ${String(accountId)}.`,
};

export const mendingSentences: Sentences<MendingEvent> = {
  StreamMended: ({ eventType, stream, revision, reason }) =>
    `Staff had event ${String(revision)} of ${stream} (${eventType}) passed over: ${reason}`,
};

export const auditorSentences: Sentences<AuditLogEvent | AuditorEvent> = {
  AuditLogRestarted: ({ origin, reason }) =>
    `The audit log ${origin} was made anew from the store: ${reason}`,
  AuditorCredentialIssued: ({ credentialId, name, prefix, expiresAt }) =>
    `Auditor credential ${String(credentialId)} (${prefix}…) was issued to ${name}, until ${expiresAt}.`,
  AuditorCredentialUsed: ({ credentialId, method, subject }) =>
    `Auditor credential ${String(credentialId)} was used for ${method}${subject === "" ? "" : ` of ${subject}`}.`,
  AuditorCredentialRevoked: ({ credentialId }) => `Auditor credential ${String(credentialId)} was revoked.`,
};

export const staffSentences: Sentences<ServiceCredentialEvent | StaffEvent> = {
  ServiceCredentialIssued: ({ name, scopes, expiresAt }) =>
    `${name} was given a service credential for ${scopes.join(", ")}${expiresAt === null ? "" : `, until ${expiresAt}`}.`,
  ServiceCredentialRevoked: ({ name }) => `The service credential of ${name} was revoked.`,
  StaffMemberAdded: ({ name, role, expiresAt }) =>
    `${name} became staff, as ${role}${expiresAt === null ? "" : `, until ${expiresAt}`}.`,
  StaffMemberRevoked: ({ name }) => `The staff token of ${name} was revoked.`,
};

export const approvalSentences: Sentences<ApprovalEvent> = {
  ApprovalRequested: ({ approvalId, accountId, kind, amountCents, reference, debtAllowed, requestedBy }) =>
    `${requestedBy} asked for approval ${String(approvalId)}: ${kind} of ${amount(amountCents)} as ${reference} for account ${String(accountId)}${debtAllowed ? ", debt allowed" : ""}.`,
  ApprovalGranted: ({ approvalId, grantedBy }) => `${grantedBy} gave approval ${String(approvalId)}.`,
};
