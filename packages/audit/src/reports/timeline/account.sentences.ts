import {
  counted,
  type AccountEvent,
  type ApprovalEvent,
  type AuditLogEvent,
  type AuditorEvent,
  type BankEvent,
  type ClockEvent,
  type ComparisonEvent,
  type DocumentEvent,
  type FollowedDifference,
  type InstallationEvent,
  type NoticeChoiceEvent,
  type PlanEvent,
  type PriceListEvent,
  type MendingEvent,
  type ReferenceEvent,
  type QuotaEvent,
  type RetentionEvent,
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
  `${amount(grossCents)} of ${chargeId} was refunded (${reason}); the balance is ${amount(balanceAfterCents)}.`;

export const accountSentences: Sentences<AccountEvent> = {
  AccountOpened: ({ accountId, name }) => `Account ${String(accountId)} was opened for ${name}.`,
  PersonalDataErased: ({ accountId, because }) =>
    because === "asked"
      ? `The personal data of account ${String(accountId)} was erased, and its API keys were revoked.`
      : `Staff declared the personal data key of account ${String(accountId)} lost: nobody can read that data any more, and its API keys were revoked.`,
  ProfileChanged: ({ accountId, version }) =>
    `The profile of account ${String(accountId)} was changed (version ${String(version)}).`,
  VatIdChecked: ({ accountId, outcome }) =>
    outcome === "unanswered"
      ? `The register of VAT ids did not answer about account ${String(accountId)}.`
      : `The register of VAT ids called the VAT id of account ${String(accountId)} ${outcome}.`,
  DocumentSeriesBegun: ({ series }) => `A new series of document numbers began: R${String(series)}.`,
  VatExemptionChanged: ({ vatExempt }) =>
    vatExempt ? "Later charges are exempt from VAT." : "Later charges include VAT.",
  BalanceCredited: ({ amountCents, reference, balanceAfterCents }) =>
    `A top-up of ${amount(amountCents)} was booked as ${reference}; the balance is ${amount(balanceAfterCents)}.`,
  BalanceAdjusted: ({ kind, debtAllowed, amountCents, reference, reason, balanceAfterCents }) =>
    `${adjustmentName({ kind, debtAllowed })} as ${reference}, ${amount(amountCents)} (${reason}); the balance is ${amount(balanceAfterCents)}.`,
  DebtReminded: ({ accountId, reminder, afterDays, balanceCents }) =>
    `The customer of account ${String(accountId)} was reminded of a debt of more than ${String(afterDays)} days (reminder ${String(reminder)}); the balance is ${amount(balanceCents)}.`,
  BalancePaidOut: ({ to, amountCents, reference, topUpReference, reason, balanceAfterCents }) =>
    to === "source"
      ? `${amount(amountCents)} of ${topUpReference ?? "a payment"} are refunded to their source as ${reference} (${reason}); the balance is ${amount(balanceAfterCents)}.`
      : `${amount(amountCents)} are paid out to the customer's bank account as ${reference} (${reason}); the balance is ${amount(balanceAfterCents)}.`,
  PaidOutReturned: ({ amountCents, reference, reason, balanceAfterCents }) =>
    `${amount(amountCents)} of ${reference} did not arrive and were credited again (${reason}); the balance is ${amount(balanceAfterCents)}.`,
  BalanceCharged: ({ grossCents, chargeId, balanceAfterCents }) =>
    `${amount(grossCents)} was charged for ${chargeId}; the balance is ${amount(balanceAfterCents)}.`,
  RegistrationRefunded: refunded,
  ChargeRefunded: refunded,
  RefundGranted: refunded,
  InvoiceIssued: ({ action, number, grossCents, netCents, vatCents, cause }) =>
    action === "topup"
      ? `Receipt ${number} for ${amount(grossCents)} was issued for ${cause}.`
      : `Invoice ${number} for ${amount(grossCents)} (${amount(netCents)} and ${amount(vatCents)} VAT) was issued for ${cause}.`,
  ReceiptCancelled: ({ number, grossCents, correctsNumber, reference }) =>
    `Document ${number} for ${amount(grossCents)} cancelled receipt ${correctsNumber} of ${reference}.`,
  CorrectionIssued: ({ number, grossCents, correctsNumber, chargeId }) =>
    `Correction ${number} for ${amount(grossCents)}, of invoice ${correctsNumber}, was issued for ${chargeId}.`,
  ApiKeyIssued: ({ keyId, prefix }) => `API key ${String(keyId)} (${prefix}…) was issued.`,
  ApiKeyRevoked: ({ keyId }) => `API key ${String(keyId)} was revoked.`,
};

export const quotaSentences: Sentences<QuotaEvent> = {
  QuotaSet: ({ accountId, quota, value, reason }) =>
    `The quota ${quota} of account ${String(accountId)} was set to ${value === null ? "the default" : String(value)}: ${reason}`,
  QuotaTaken: ({ accountId, quota, day, amount: taken }) =>
    `Account ${String(accountId)} reserved ${String(taken)} of its quota ${quota} for ${day}.`,
};

export const bankSentences: Sentences<BankEvent> = {
  StatementImported: ({ kind, statementId, entries }) =>
    `The bank's ${kind} ${statementId} with ${counted(entries, "payment")} was imported.`,
  BankEntryBooked: ({ entryId, amountCents, bookedOn }) =>
    `The bank booked ${amount(amountCents)} on ${bookedOn}: entry ${String(entryId)}.`,
  EntryMatched: ({ entryId, accountId, amountCents }) =>
    `Entry ${String(entryId)} of ${amount(amountCents)} belongs to account ${String(accountId)}.`,
  EntryParked: ({ entryId, because }) =>
    `Entry ${String(entryId)} waits on the suspense account: ${because}.`,
  EntryReassigned: ({ entryId, fromAccountId, toAccountId, reason }) =>
    `Entry ${String(entryId)} was moved from account ${String(fromAccountId)} to account ${String(toAccountId)}: ${reason}.`,
  EntryMatchedToProvider: ({ entryId, provider, amountCents }) =>
    `Entry ${String(entryId)} of ${amount(amountCents)} is between us and the payment provider ${provider}.`,
  PayoutQueued: ({ accountId, endToEndId, amountCents }) =>
    `Payout ${endToEndId} of ${amount(amountCents)} to account ${String(accountId)} waits for a file for the bank.`,
  PayoutFileMade: ({ messageId, endToEndIds, amountCents }) =>
    `File ${messageId} for the bank was made with ${counted(endToEndIds.length, "payout")} of ${amount(amountCents)}.`,
  PayoutPaid: ({ endToEndId, entryId }) =>
    `The bank paid payout ${endToEndId} with entry ${String(entryId)}.`,
  PayoutReturned: ({ endToEndId, entryId, returnCode }) =>
    `The bank returned payout ${endToEndId} with entry ${String(entryId)}${returnCode === "" ? "" : `, code ${returnCode}`}.`,
  EntryReturned: ({ entryId, reason }) => `Entry ${String(entryId)} goes back to its payer: ${reason}.`,
};

export const retentionSentences: Sentences<RetentionEvent> = {
  LegalHoldPlaced: ({ accountId, reason, until }) =>
    `The documents of account ${String(accountId)} are kept ${until === null ? "until further notice" : `until ${until}`}, whenever their term ends: ${reason}.`,
  LegalHoldReleased: ({ accountId, reason }) =>
    `The hold on the documents of account ${String(accountId)} was released: ${reason}.`,
  RetentionEnded: ({ year }) =>
    `The law no longer keeps documents until ${String(year)} or earlier: their keys are destroyed, except under a hold.`,
};

export const noticeChoiceSentences: Sentences<NoticeChoiceEvent> = {
  MailKindsChosen: ({ accountId, kinds }) =>
    kinds === null
      ? `Account ${String(accountId)} gets mail of every kind.`
      : `Account ${String(accountId)} gets mail of ${counted(kinds.length, "kind")}.`,
  MailBounced: ({ accountId, email, status }) =>
    `Mail to account ${String(accountId)} at ${email} bounced (${status}): no more mail is sent to that address.`,
  MailResumed: ({ accountId }) => `Mail to account ${String(accountId)} is sent again.`,
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
    `Webhook ${String(webhookId)} has a new secret; the previous secret also signs until ${formerSecretUntil}.`,
  WebhookChanged: ({ webhookId, kinds }) =>
    `Webhook ${String(webhookId)} was edited, for ${kinds === null ? "every kind of notice" : kinds.join(", ")}.`,
  WebhookDisabled: ({ webhookId }) =>
    `Webhook ${String(webhookId)} was disabled: it accepted no delivery for three days, or answered 410.`,
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
    `Plan ${String(planId)} is now sold as ${title} (${counted(cores, "core")}, ${String(memoryGb)} GB memory, ${String(storageGb)} GB storage) for ${amount(monthGrossCents)} a month.`,
  PlanPriceAnnounced: ({ planId, monthGrossCents, validFrom }) =>
    `From ${validFrom}, plan ${String(planId)} is sold for ${amount(monthGrossCents)} a month.`,
  PlanRetired: ({ planId, reason }) => `Plan ${String(planId)} is no longer sold: ${reason}`,
  PriceSet: ({ tld, registrationCents, renewalCents, transferCents, active }) =>
    active
      ? `.${tld} costs ${amount(registrationCents)} to register, ${amount(renewalCents)} to renew, ${amount(transferCents)} to transfer, net.`
      : `.${tld} is no longer sold.`,
  PriceAnnounced: ({ tld, registrationCents, renewalCents, transferCents, active, validFrom }) =>
    active
      ? `From ${validFrom}, .${tld} costs ${amount(registrationCents)} to register, ${amount(renewalCents)} to renew, ${amount(transferCents)} to transfer, net.`
      : `From ${validFrom}, .${tld} is no longer sold.`,
  ExtensionLifeCycleSet: ({ tld, graceDays, redemptionDays, pendingDeleteDays, restoreCents }) =>
    `Expired domains of .${tld} can be renewed for ${counted(graceDays, "day")}, then ` +
    `${restoreCents === null ? "restored only by the registry" : `restored for ${amount(restoreCents)} net`} for ${counted(redemptionDays, "day")}, ` +
    `and are deleted ${counted(pendingDeleteDays, "day")} later.`,
  RegionAdded: ({ code, location }) => `Region ${code} (${location}) was added.`,
  IdBlockReserved: ({ first, last }) => `The ids ${String(first)} to ${String(last)} were reserved.`,
  StockSet: ({ planId, regionId, units }) =>
    `${counted(units, "unit")} of plan ${String(planId)} can be ordered in region ${String(regionId)}.`,
  StockUnitReserved: ({ orderId, unitsLeft }) =>
    `A unit was reserved for ${orderId}; ${counted(unitsLeft, "unit")} left.`,
  StockUnitReturned: ({ orderId, unitsLeft }) =>
    `The unit of ${orderId} was returned to stock; ${counted(unitsLeft, "unit")} left.`,
};

export const comparisonSentences: Sentences<ComparisonEvent> = {
  BooksCompared: ({ part, critical, major, minor }) =>
    `The ${part} in the books were compared with the providers: ${counted(critical + major + minor, "difference")}, ${String(critical)} critical.`,
  CriticalDifferencesChanged: ({ part, found, mended }) =>
    `The ${part} in the books and at the providers: ${counted(found.length, "critical difference")} appeared${named(found)}, ${String(mended.length)} were resolved${named(mended)}.`,
};

function named(differences: readonly FollowedDifference[]): string {
  if (differences.length === 0) return "";
  return ` (${differences.map(({ kind, resource }) => `${kind} ${resource}`).join(", ")})`;
}

export const documentSentences: Sentences<DocumentEvent> = {
  DocumentArchived: ({ number, files }) =>
    `The files of document ${number} were archived: ${files.map(({ format }) => format).join(" and ")}.`,
};

export const registrySentences: Sentences<RegistryMessageEvent> = {
  RegistryMessageReceived: ({ registrar, messageId, about, name, words }) =>
    `The registry of ${registrar} sent message ${messageId} (${about}${name === null ? "" : ` ${name}`}): ${words}`,
};

export const requestSentences: Sentences<RequestEvent | TicketCauseEvent | TicketEvent> = {
  RequestBegun: ({ accountId, operationId }) =>
    `Account ${String(accountId)} began operation ${operationId}.`,
  RequestTakenOver: ({ operationId }) => `Another process took over operation ${operationId}.`,
  RequestAnswered: ({ operationId, status }) =>
    `Operation ${operationId} was answered with HTTP ${String(status)}.`,
  RequestReleased: ({ operationId }) => `Operation ${operationId} failed without an effect.`,
  TicketOpened: ({ ticketId, priority, title }) =>
    `Ticket ${String(ticketId)} (${priority}) was opened: ${title}`,
  StaffTicketRequested: ({ priority, title }) => `A ticket for staff (${priority}) was requested: ${title}`,
  StaffTicketOpened: ({ ticketId, priority, title }) =>
    `Ticket ${String(ticketId)} (${priority}) was opened for staff: ${title}`,
  TicketReplied: ({ ticketId, accountId }) =>
    `${accountId === null ? "Staff" : `Account ${String(accountId)}`} replied to ticket ${String(ticketId)}.`,
  TicketClosed: ({ ticketId, by }) => `Ticket ${String(ticketId)} was closed by ${by}.`,
  TicketNumbered: ({ ticketId, cause }) => `Ticket ${String(ticketId)} was assigned to ${cause}.`,
};

export const clockSentences: Sentences<ClockEvent> = {
  ClockJumpNoticed: ({ direction, expectedAt, clockAt }) =>
    `A clock showed ${clockAt} instead of ${expectedAt} (${direction}): time-driven work waits for staff.`,
  ClockAccepted: ({ acceptedAt }) => `Staff confirmed the clock at ${acceptedAt}.`,
  ClockDifferenceKept: ({ aheadMs, keptAt }) =>
    `A confirmed clock continued at ${keptAt}, ${String(Math.abs(aheadMs))} ms ${aheadMs < 0 ? "behind" : "ahead of"} the database's.`,
};

export const storeRewindSentences: Sentences<StoreRewindEvent> = {
  StoreRewindNoticed: ({ stream, revision }) =>
    `A process found that the store lacks event ${String(revision)} of ${stream}: writes that cost money are refused until staff accept the store.`,
  StoreRewindAccepted: ({ series, reason }) =>
    `Staff accepted the restored store (${reason}): document numbers continue in series R${String(series)}.`,
};

export const installationSentences: Sentences<InstallationEvent> = {
  InstallationNamed: ({ part }) =>
    `The installation chose ${part} as the random part of its identifiers at providers.`,
  InstallationCopied: ({ part }) =>
    `This test copy chose ${part} as the random part of its own identifiers at providers.`,
};

export const referenceSentences: Sentences<ReferenceEvent> = {
  ReferenceTaken: ({ kind, reference, accountId }) =>
    `Account ${String(accountId)} used the reference ${reference} for a ${kind}.`,
};

export const mendingSentences: Sentences<MendingEvent> = {
  StreamMended: ({ eventType, stream, revision, reason }) =>
    `Staff excluded event ${String(revision)} of ${stream} (${eventType}), so readers skip it: ${reason}`,
};

export const auditorSentences: Sentences<AuditLogEvent | AuditorEvent> = {
  AuditLogRestarted: ({ origin, reason }) => `The audit log ${origin} was rebuilt from the store: ${reason}`,
  AuditorCredentialIssued: ({ credentialId, name, prefix, expiresAt }) =>
    `Auditor credential ${String(credentialId)} (${prefix}…) was issued to ${name}, until ${expiresAt}.`,
  AuditorCredentialUsed: ({ credentialId, method, subject }) =>
    `Auditor credential ${String(credentialId)} was used for ${method}${subject === "" ? "" : ` of ${subject}`}.`,
  AuditorCredentialRevoked: ({ credentialId }) => `Auditor credential ${String(credentialId)} was revoked.`,
};

export const staffSentences: Sentences<ServiceCredentialEvent | StaffEvent> = {
  ServiceCredentialIssued: ({ name, scopes, expiresAt }) =>
    `${name} received a service credential for ${scopes.join(", ")}${expiresAt === null ? "" : `, until ${expiresAt}`}.`,
  ServiceCredentialRevoked: ({ name }) => `The service credential of ${name} was revoked.`,
  StaffMemberAdded: ({ name, role, expiresAt }) =>
    `${name} was added to the staff as ${role}${expiresAt === null ? "" : `, until ${expiresAt}`}.`,
  StaffMemberRevoked: ({ name }) => `The staff token of ${name} was revoked.`,
};

export const approvalSentences: Sentences<ApprovalEvent> = {
  ApprovalRequested: ({ approvalId, accountId, kind, amountCents, reference, debtAllowed, requestedBy }) =>
    `${requestedBy} requested approval ${String(approvalId)}: ${kind} of ${amount(amountCents)} as ${reference} for account ${String(accountId)}${debtAllowed ? ", debt allowed" : ""}.`,
  ApprovalGranted: ({ approvalId, grantedBy }) => `${grantedBy} granted approval ${String(approvalId)}.`,
};
