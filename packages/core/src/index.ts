/** The rules of Hostledger, pure: no clock, no randomness, no input or output. */

export * from "./installation/installation.decider.ts";
export * from "./installation/installation.events.ts";
export * from "./installation/installation-part.ts";
export * from "./installation/store-owner.ts";

export * from "./kernel/assert-never.ts";
export * from "./kernel/automatic-renewal.ts";
export * from "./kernel/decider.ts";
export * from "./kernel/event-codec.ts";
export * from "./kernel/event-definition.ts";
export * from "./kernel/event-metadata.ts";
export { erasedText, hiddenText, notAvailableText } from "./kernel/fields.ts";
export { canonicalAddress, canonicalIpv6 } from "./kernel/ip-address.ts";
export { isWithin } from "./kernel/ip-network.ts";
export * from "./kernel/process.ts";
export * from "./kernel/rejection.ts";
export * from "./kernel/rejection-catalogue.ts";
export * from "./kernel/result.ts";
export * from "./kernel/snapshot-codec.ts";
export * from "./kernel/counted.ts";
export * from "./kernel/foreign-text.ts";
export * from "./kernel/stored-event-error.ts";
export * from "./kernel/unreadable-event-error.ts";
export * from "./kernel/values.ts";

export * from "./calendar/calendar.ts";
export * from "./money/money.ts";
export { isReturnCode } from "./money/return-codes.ts";
export * from "./pricing/extension-life-cycle.ts";
export * from "./pricing/domain-orders.ts";
export * from "./pricing/registry-fee.ts";
export * from "./pricing/server-renewal.ts";
export * from "./pricing/totals.ts";

export * from "./account/account.commands.ts";
export * from "./account/account.decider.ts";
export * from "./account/account.events.ts";
export * from "./account/account.snapshot.codec.ts";
export * from "./account/account.state.ts";
export * from "./account/api-key-scopes.ts";
export * from "./tax/countries.ts";
export {
  businessDateOf,
  invoiceRetentionYears,
  issueDate,
  journalRetentionYears,
  keptUntilYear,
  unnamedTerms,
  languageOf,
  periodOf,
  supplyDays,
  type DocumentTerms,
  type IssuingTerms,
  type Sold,
  type SupplyPeriod,
} from "./account/document-terms.ts";
export * from "./account/profile.ts";
export {
  profileIncomplete,
  quoteCharge,
  type AskedCharge,
  type ChargeQuote,
} from "./account/tax-of-charge.ts";
export { accountOfDocument } from "./account/document-number.ts";
export { isLeitwegId, leitwegIdLimit } from "./account/leitweg-id.ts";
export { faultOfVatId, hasVatPrefix, isVatIdOfUnion, plainVatId } from "./tax/vat-id.ts";
export { adjustmentKey, isTakenBack } from "./account/adjust-balance.ts";
export * from "./account/paid-out.events.ts";
export { sameOrder } from "./account/pay-out.ts";
export * from "./account/refunded.ts";
export { leftToRefund } from "./account/refund-charge.ts";
export * from "./account/team-charge.ts";
export { maximumKeyLabel } from "./account/api-keys.ts";

export * from "./approval/approval.decider.ts";
export * from "./approval/approval.events.ts";

export * from "./audit-log/audit-log.decider.ts";
export * from "./audit-log/audit-log.events.ts";

export * from "./bank/bank.decider.ts";
export type { AddressedPayment, BookEntries, KeyedBooking, Recipient } from "./bank/book-entries.ts";
export * from "./bank/bank.events.ts";
export {
  bytesOfBank,
  proposedAccounts,
  receivedTransfers,
  type Assignment,
  type BankEntry,
  type BankState,
  type ReceivedTransfers,
} from "./bank/bank.state.ts";
export * from "./bank/creditor-reference.ts";
export * from "./bank/epc-qr.ts";
export * from "./bank/iban.ts";
export * from "./bank/payout.events.ts";
export { statusOfPayout, type Payout, type PayoutFile } from "./bank/payout.state.ts";
export * from "./bank/payouts.ts";
export * from "./bank/statement.ts";
export * from "./bank/top-up-reference.ts";
export { type NamedTopUp } from "./bank/top-up-shares.ts";

export * from "./catalogue/catalogue.commands.ts";
export * from "./catalogue/catalogue.events.ts";
export * from "./catalogue/distros.ts";
export * from "./catalogue/plan.decider.ts";
export * from "./catalogue/region.decider.ts";
export * from "./catalogue/stock.decider.ts";

export * from "./reference/reference.decider.ts";
export * from "./reference/reference.events.ts";
export * from "./clock/clock-jump.ts";
export * from "./clock/clock-tolerance.ts";
export * from "./clock/clock.decider.ts";
export * from "./clock/clock.events.ts";
export * from "./comparison/comparison.decider.ts";
export * from "./comparison/comparison.events.ts";
export * from "./document/document.decider.ts";
export * from "./document/document.events.ts";
export * from "./payment/payment.decider.ts";
export * from "./payment/payment.events.ts";
export * from "./payment/refund.ts";
export * from "./wallet/wallet.decider.ts";
export * from "./wallet/wallet.events.ts";
export * from "./desired/difference.ts";
export * from "./desired/domain.desired.ts";
export * from "./desired/domain.differences.ts";
export * from "./desired/server.desired.ts";
export * from "./desired/payment.differences.ts";
export * from "./desired/server.differences.ts";

export * from "./domain/delegation-signer.ts";
export * from "./domain/dns-record.ts";
export * from "./domain/dns-record-type.ts";
export * from "./domain/glue.ts";
export * from "./domain/dns-zone.ts";
export { canonicalDnsValue, txtStrings } from "./domain/dns-value.ts";
export * from "./domain/domain-changes.ts";
export * from "./domain/domain-delivery.ts";
export * from "./domain/domain-name.ts";
export * from "./domain/label-scripts.ts";
export * from "./domain/domain-renewal.ts";
export * from "./domain/domain.commands.ts";
export * from "./domain/domain.decider.ts";
export { domainChangeEvents, type RecordedDnsRecord } from "./domain/domain-changes.events.ts";
export { domainRegistryEvents } from "./domain/domain-registry-news.events.ts";
export { domainTransferEvents } from "./domain/domain-transfer.events.ts";
export * from "./domain/domain.events.ts";
export * from "./domain/domain.state.ts";
export * from "./domain/domain-status.ts";

export * from "./price-list/price-list.decider.ts";
export * from "./price-list/price-list.events.ts";

export * from "./registry-message/registry-message.decider.ts";
export * from "./registry-message/registry-message.events.ts";

export * from "./quota/quota.catalogue.ts";
export * from "./quota/quota.decider.ts";
export * from "./quota/quota.events.ts";

export type { RequestClaim } from "./request/request-claim.ts";
export * from "./request/request.decider.ts";
export * from "./request/request.events.ts";

export * from "./sequence/sequence.decider.ts";
export * from "./sequence/sequence.events.ts";

export * from "./server/firewall-rule.ts";
export * from "./server/server-terms.ts";
export * from "./server/server.commands.ts";
export * from "./server/server.decider.ts";
export * from "./server/server.events.ts";
export {
  heldRejection,
  isServerRenewalDue,
  nextServerRenewal,
  quoteRenewalOf,
  type AutomaticServerRenewal,
} from "./server/server.renewal.ts";
export * from "./server/server.state.ts";

export * from "./store-rewind/store-rewind.decider.ts";
export * from "./store-rewind/store-rewind.events.ts";

export * from "./processes/charge-refusal.ts";

export { paidOrder, type PaidOrder, type PaidOrderOptions } from "./processes/paid-order/paid-order.ts";
export type { PaidOrderDefinition } from "./processes/paid-order/paid-order.definition.ts";
export type { OrderEvent as Event, EventRole } from "./processes/paid-order/paid-order.events.ts";
export type * from "./processes/paid-order/paid-order.inputs.ts";
export type {
  Charge,
  KnownCharge,
  OrderFailure,
  PaidOrderAnswer,
  PaidOrderState,
} from "./processes/paid-order/paid-order.state.ts";

export * from "./processes/domain-renewal.events.ts";
export * from "./processes/domain-renewal.process.ts";
export * from "./processes/registration.events.ts";
export * from "./processes/registration.process.ts";
export { failuresBeforeTicket } from "./processes/retry-schedule.ts";
export * from "./processes/run-events.ts";
export * from "./processes/server-order.events.ts";
export * from "./processes/server-order.process.ts";
export * from "./processes/server-renewal.events.ts";
export * from "./processes/server-renewal.process.ts";
export * from "./processes/transfer.events.ts";
export * from "./processes/transfer.process.ts";

export * from "./credential/auditor.events.ts";
export * from "./credential/credential-kinds.ts";
export * from "./credential/credential.decider.ts";
export * from "./credential/service-credential.events.ts";
export * from "./credential/staff.events.ts";
export * from "./credential/store-reader.events.ts";
export { isInForce, type CredentialTerm } from "./kernel/credential-term.ts";

export type { StaffTicket } from "./ticket/staff-ticket.ts";
export * from "./ticket/staff-tickets.ts";
export * from "./ticket/ticket-cause.decider.ts";
export * from "./ticket/ticket-text.ts";
export * from "./ticket/ticket.commands.ts";
export * from "./ticket/ticket.decider.ts";
export * from "./ticket/ticket.events.ts";

export * from "./mending/mending.decider.ts";
export * from "./mending/mending.events.ts";

export * from "./notice-choice/notice-choice.decider.ts";
export * from "./notice-choice/notice-choice.events.ts";
export * from "./kernel/notice-kinds.ts";
export * from "./webhook/webhook.decider.ts";
export * from "./webhook/webhook.events.ts";
export * from "./webhook/webhook-url.ts";

export * from "./work/bank-credit.work.ts";
export * from "./work/debt.work.ts";
export * from "./work/domain-setup.work.ts";
export * from "./work/domain-suspension.work.ts";
export * from "./work/domain-term.work.ts";
export * from "./work/next.ts";
export * from "./work/payment.work.ts";
export * from "./work/payout.work.ts";
export * from "./work/auto-top-up.work.ts";
export * from "./work/server-node.work.ts";
export * from "./work/server-term.work.ts";
export * from "./work/transfer.work.ts";
export * from "./work/vat-id.work.ts";

export * from "./aggregates.ts";
export { standardRates, vatCountryOf } from "./tax/eu-countries.ts";
export * from "./tax/tax-rules.decider.ts";
export * from "./tax/tax-rules.events.ts";
export * from "./tax/tax-treatment.ts";

export * from "./retention/retention.decider.ts";
export * from "./retention/retention.events.ts";
export * from "./seller/seller.decider.ts";
export * from "./seller/seller.events.ts";

export * from "./event-documents.ts";
export * from "./hosting-events.ts";
export {
  accountIdOf,
  categoryOf,
  codecOfCategory,
  ownCategories,
  paidOrders,
  type CategoryCodec,
  type StreamFold,
} from "./own-categories.ts";
