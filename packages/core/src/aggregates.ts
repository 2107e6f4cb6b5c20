import { accountCodec } from "./account/account.events.ts";
import { account } from "./account/account.decider.ts";
import { accountSnapshots } from "./account/account.snapshot.codec.ts";
import { bytesOfAccount } from "./account/account.state.ts";
import { approval } from "./approval/approval.decider.ts";
import { approvalCodec } from "./approval/approval.events.ts";
import { auditLog } from "./audit-log/audit-log.decider.ts";
import { auditLogCodec } from "./audit-log/audit-log.events.ts";
import { bank } from "./bank/bank.decider.ts";
import { bankCodec } from "./bank/bank.events.ts";
import { bytesOfBank } from "./bank/bank.state.ts";
import { auditorCodec } from "./credential/auditor.events.ts";
import type { StockKey } from "./catalogue/catalogue.commands.ts";
import { planCodec, regionCodec, stockCodec } from "./catalogue/catalogue.events.ts";
import { plan } from "./catalogue/plan.decider.ts";
import { region } from "./catalogue/region.decider.ts";
import { bytesOfStock, stock } from "./catalogue/stock.decider.ts";
import { auditorKind, staffKind, storeReaderKind, teamKind } from "./credential/credential-kinds.ts";
import { credentialDecider, type CredentialKind } from "./credential/credential.decider.ts";
import type { DomainEvent } from "./kernel/decider.ts";
import type { EventCodec } from "./kernel/event-codec.ts";
import { clock } from "./clock/clock.decider.ts";
import { clockCodec } from "./clock/clock.events.ts";
import { comparison } from "./comparison/comparison.decider.ts";
import { comparisonCodec } from "./comparison/comparison.events.ts";
import { document } from "./document/document.decider.ts";
import { documentCodec } from "./document/document.events.ts";
import { domain } from "./domain/domain.decider.ts";
import { domainCodec } from "./domain/domain.events.ts";
import { bytesOfDomain } from "./domain/domain.state.ts";
import { installation } from "./installation/installation.decider.ts";
import { installationCodec } from "./installation/installation.events.ts";
import { storeOwner, storeOwnerCodec } from "./installation/store-owner.ts";
import { mending } from "./mending/mending.decider.ts";
import { mendingCodec } from "./mending/mending.events.ts";
import { noticeChoices } from "./notice-choice/notice-choice.decider.ts";
import { noticeChoiceCodec } from "./notice-choice/notice-choice.events.ts";
import { payment } from "./payment/payment.decider.ts";
import { paymentCodec } from "./payment/payment.events.ts";
import { priceList } from "./price-list/price-list.decider.ts";
import { priceListCodec } from "./price-list/price-list.events.ts";
import { quota } from "./quota/quota.decider.ts";
import { quotaCodec } from "./quota/quota.events.ts";
import { reference } from "./reference/reference.decider.ts";
import { referenceCodec } from "./reference/reference.events.ts";
import { registryMessage } from "./registry-message/registry-message.decider.ts";
import { registryMessageCodec } from "./registry-message/registry-message.events.ts";
import { request } from "./request/request.decider.ts";
import { requestCodec } from "./request/request.events.ts";
import { retention } from "./retention/retention.decider.ts";
import { retentionCodec } from "./retention/retention.events.ts";
import { sequence } from "./sequence/sequence.decider.ts";
import { sequenceCodec } from "./sequence/sequence.events.ts";
import { seller } from "./seller/seller.decider.ts";
import { sellerCodec } from "./seller/seller.events.ts";
import { server } from "./server/server.decider.ts";
import { serverCodec } from "./server/server.events.ts";
import { staffCodec } from "./credential/staff.events.ts";
import { serviceCredentialCodec } from "./credential/service-credential.events.ts";
import { storeReaderCodec } from "./credential/store-reader.events.ts";
import { storeRewind } from "./store-rewind/store-rewind.decider.ts";
import { storeRewindCodec } from "./store-rewind/store-rewind.events.ts";
import { taxRules } from "./tax/tax-rules.decider.ts";
import { taxRulesCodec } from "./tax/tax-rules.events.ts";
import { ticket } from "./ticket/ticket.decider.ts";
import { ticketCodec } from "./ticket/ticket.events.ts";
import { wallet } from "./wallet/wallet.decider.ts";
import { walletCodec } from "./wallet/wallet.events.ts";
import { webhooks } from "./webhook/webhook.decider.ts";
import { webhookCodec } from "./webhook/webhook.events.ts";

/* Decider, codec and stream category of each aggregate. The stream of an id is `category-id`. */

/** Long accounts have snapshots. */
export const accountAggregate = {
  category: "account",
  decider: account,
  codec: accountCodec,
  snapshots: accountSnapshots,
  bytesOf: bytesOfAccount,
};

/** Stream `approval-all`. */
export const approvalAggregate = { category: "approval", decider: approval, codec: approvalCodec };

/** Stream `auditlog-all`. */
export const auditLogAggregate = { category: "auditlog", decider: auditLog, codec: auditLogCodec };

function credentialAggregate<Grant extends object, Event extends DomainEvent>(of: {
  readonly category: string;
  readonly kind: CredentialKind<Grant, Event>;
  readonly codec: EventCodec<Event>;
}) {
  return { ...of, decider: credentialDecider(of.kind) };
}

export const auditorAggregate = credentialAggregate({
  category: "auditor",
  kind: auditorKind,
  codec: auditorCodec,
});

/** One stream for each bank account of the operator, by IBAN. */
export const bankAggregate = { category: "bank", decider: bank, codec: bankCodec, bytesOf: bytesOfBank };

/** Stream `clock-all`: wrong clocks of machines. */
export const clockAggregate = { category: "clock", decider: clock, codec: clockCodec };

/** One stream for each part of the comparison with the providers. */
export const comparisonAggregate = { category: "comparison", decider: comparison, codec: comparisonCodec };

export const domainAggregate = {
  category: "domain",
  decider: domain,
  codec: domainCodec,
  bytesOf: bytesOfDomain,
};

/** One stream for each document: its archived files. */
export const documentAggregate = { category: "document", decider: document, codec: documentCodec };

/** Stream `installation-all`: the installation's random part. */
export const installationAggregate = {
  category: "installation",
  decider: installation,
  codec: installationCodec,
};

/** Stream `installation-keys`: the instance that uses the store. */
export const storeOwnerAggregate = {
  category: "installation",
  decider: storeOwner,
  codec: storeOwnerCodec,
};

/** Unreadable events that staff skipped: one stream for each affected stream, under its whole name. */
export const mendingAggregate = { category: "mending", decider: mending, codec: mendingCodec };

/** Returns the name of the stream with the staff's answers about unreadable events of `stream`. */
export function mendingStreamOf(stream: string): string {
  return `${mendingAggregate.category}-${stream}`;
}

/** One stream for each account. */
export const noticeChoiceAggregate = {
  category: "noticechoice",
  decider: noticeChoices,
  codec: noticeChoiceCodec,
};

/** One stream for each payment by a customer: `payment-<random part>-<operation>`, which the payment provider gets as reference. */
export const paymentAggregate = { category: "payment", decider: payment, codec: paymentCodec };

export const planAggregate = { category: "plan", decider: plan, codec: planCodec };

/** One stream for each extension. */
export const priceListAggregate = { category: "pricelist", decider: priceList, codec: priceListCodec };

export const quotaAggregate = { category: "quota", decider: quota, codec: quotaCodec };

/** References of payments and corrections: one stream for each reference. */
export const referenceAggregate = { category: "reference", decider: reference, codec: referenceCodec };

export const regionAggregate = { category: "region", decider: region, codec: regionCodec };

export const registryMessageAggregate = {
  category: "registrymessage",
  decider: registryMessage,
  codec: registryMessageCodec,
};

/** Returns the stream's id of a poll message. It contains the registrar because each registry numbers its own messages. */
export function registryMessageId(registrar: string, messageId: string): string {
  return `${registrar}/${messageId}`;
}

export const requestAggregate = { category: "request", decider: request, codec: requestCodec };

/** Stream `retention-all`: legal holds, and years whose documents are no longer kept. */
export const retentionAggregate = { category: "retention", decider: retention, codec: retentionCodec };

export const sequenceAggregate = { category: "sequence", decider: sequence, codec: sequenceCodec };

/** Stream `seller-all`: the seller, and the start of its participation in the One Stop Shop. */
export const sellerAggregate = { category: "seller", decider: seller, codec: sellerCodec };

export const serverAggregate = { category: "server", decider: server, codec: serverCodec };

/** Stream `staff-all`. */
export const staffAggregate = credentialAggregate({ category: "staff", kind: staffKind, codec: staffCodec });

export const stockAggregate = { category: "stock", decider: stock, codec: stockCodec, bytesOf: bytesOfStock };

export function stockId({ planId, regionId }: StockKey): string {
  return `${String(planId)}-${String(regionId)}`;
}

/** Stream `servicecredential-all`: credentials of internal teams. */
export const serviceCredentialAggregate = credentialAggregate({
  category: "servicecredential",
  kind: teamKind,
  codec: serviceCredentialCodec,
});

/** Stream `storereader-all`: readers of the store over EventStoreDB's protocol. */
export const storeReaderAggregate = credentialAggregate({
  category: "storereader",
  kind: storeReaderKind,
  codec: storeReaderCodec,
});

/** Stream `rewind-all`: stores that were restored from an older backup. */
export const storeRewindAggregate = {
  category: "rewind",
  decider: storeRewind,
  codec: storeRewindCodec,
};

/** Stream `taxrules-all`: standard VAT rates of member states. */
export const taxRulesAggregate = { category: "taxrules", decider: taxRules, codec: taxRulesCodec };

export const ticketAggregate = { category: "ticket", decider: ticket, codec: ticketCodec };

/** Stored payment methods and the automatic top-up: one stream for each account. */
export const walletAggregate = { category: "wallet", decider: wallet, codec: walletCodec };

/** One stream for each account. */
export const webhookAggregate = { category: "webhook", decider: webhooks, codec: webhookCodec };
