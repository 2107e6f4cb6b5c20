import { accountCodec } from "./account/account.events.ts";
import { account } from "./account/account.decider.ts";
import { accountSnapshots } from "./account/account.snapshot.codec.ts";
import { bytesOfAccount } from "./account/account.state.ts";
import { approval } from "./approval/approval.decider.ts";
import { approvalCodec } from "./approval/approval.events.ts";
import { auditLog } from "./audit-log/audit-log.decider.ts";
import { auditLogCodec } from "./audit-log/audit-log.events.ts";
import { auditor } from "./auditor/auditor.decider.ts";
import { auditorCodec } from "./auditor/auditor.events.ts";
import type { StockKey } from "./catalogue/catalogue.commands.ts";
import { planCodec, regionCodec, stockCodec } from "./catalogue/catalogue.events.ts";
import { plan } from "./catalogue/plan.decider.ts";
import { region } from "./catalogue/region.decider.ts";
import { bytesOfStock, stock } from "./catalogue/stock.decider.ts";
import { clock } from "./clock/clock.decider.ts";
import { clockCodec } from "./clock/clock.events.ts";
import { comparison } from "./comparison/comparison.decider.ts";
import { comparisonCodec } from "./comparison/comparison.events.ts";
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
import { sequence } from "./sequence/sequence.decider.ts";
import { sequenceCodec } from "./sequence/sequence.events.ts";
import { server } from "./server/server.decider.ts";
import { serverCodec } from "./server/server.events.ts";
import { staff } from "./staff/staff.decider.ts";
import { staffCodec } from "./staff/staff.events.ts";
import { serviceCredentials } from "./service-credential/service-credential.decider.ts";
import { serviceCredentialCodec } from "./service-credential/service-credential.events.ts";
import { storeReaders } from "./store-readers/store-readers.decider.ts";
import { storeReaderCodec } from "./store-readers/store-readers.events.ts";
import { storeRewind } from "./store-rewind/store-rewind.decider.ts";
import { storeRewindCodec } from "./store-rewind/store-rewind.events.ts";
import { ticket } from "./ticket/ticket.decider.ts";
import { ticketCodec } from "./ticket/ticket.events.ts";
import { webhooks } from "./webhook/webhook.decider.ts";
import { webhookCodec } from "./webhook/webhook.events.ts";

/*
 * Every aggregate: its rules with the category of its streams and its stored events. The stream of an id is `category-id`.
 */

/** Accounts; states of long ones are kept. */
export const accountAggregate = {
  category: "account",
  decider: account,
  codec: accountCodec,
  snapshots: accountSnapshots,
  bytesOf: bytesOfAccount,
};

/** What a second person confirms: one stream, `approval-all`. */
export const approvalAggregate = { category: "approval", decider: approval, codec: approvalCodec };

/** The log that auditors read: one stream, `auditlog-all`. */
export const auditLogAggregate = { category: "auditlog", decider: auditLog, codec: auditLogCodec };

/** Auditors' credentials. */
export const auditorAggregate = { category: "auditor", decider: auditor, codec: auditorCodec };

/** Clocks that could not be right: one stream, `clock-all`. */
export const clockAggregate = { category: "clock", decider: clock, codec: clockCodec };

/** Comparisons of the books with what providers hold: a stream for each part. */
export const comparisonAggregate = { category: "comparison", decider: comparison, codec: comparisonCodec };

/** Names. */
export const domainAggregate = {
  category: "domain",
  decider: domain,
  codec: domainCodec,
  bytesOf: bytesOfDomain,
};

/** The random part of the installation: one stream, `installation-all`. */
export const installationAggregate = {
  category: "installation",
  decider: installation,
  codec: installationCodec,
};

/** Who uses the store: one stream, `installation-keys`. */
export const storeOwnerAggregate = {
  category: "installation",
  decider: storeOwner,
  codec: storeOwnerCodec,
};

/** What streams go on without: a stream for each stream, under its whole name. */
export const mendingAggregate = { category: "mending", decider: mending, codec: mendingCodec };

/** The stream with the answers of the staff about events in a stream; an answer in any other stream is none of theirs. */
export function mendingStreamOf(stream: string): string {
  return `${mendingAggregate.category}-${stream}`;
}

/** What accounts choose of their notices: a stream for each account. */
export const noticeChoiceAggregate = {
  category: "noticechoice",
  decider: noticeChoices,
  codec: noticeChoiceCodec,
};

/** Plans of servers. */
export const planAggregate = { category: "plan", decider: plan, codec: planCodec };

/** The prices of an extension. */
export const priceListAggregate = { category: "pricelist", decider: priceList, codec: priceListCodec };

/** What staff let a read model go past. */

/** What accounts may use up. */
export const quotaAggregate = { category: "quota", decider: quota, codec: quotaCodec };

/** References of payments and corrections, each one account's: a stream for each. */
export const referenceAggregate = { category: "reference", decider: reference, codec: referenceCodec };

/** Regions of servers. */
export const regionAggregate = { category: "region", decider: region, codec: regionCodec };

/** What registries say unasked. */
export const registryMessageAggregate = {
  category: "registrymessage",
  decider: registryMessage,
  codec: registryMessageCodec,
};

/** The stream's id of a message: registries number theirs each by itself. */
export function registryMessageId(registrar: string, messageId: string): string {
  return `${registrar}/${messageId}`;
}

/** Requests with an `Idempotency-Key`. */
export const requestAggregate = { category: "request", decider: request, codec: requestCodec };

/** Ids that are reserved in blocks. */
export const sequenceAggregate = { category: "sequence", decider: sequence, codec: sequenceCodec };

/** Servers. */
export const serverAggregate = { category: "server", decider: server, codec: serverCodec };

/** The persons of the provider: one stream, `staff-all`. */
export const staffAggregate = { category: "staff", decider: staff, codec: staffCodec };

/** The units of a plan in a region. */
export const stockAggregate = { category: "stock", decider: stock, codec: stockCodec, bytesOf: bytesOfStock };

/** The stream's id of the units of a plan in a region. */
export function stockId({ planId, regionId }: StockKey): string {
  return `${String(planId)}-${String(regionId)}`;
}

/** Which internal teams may call the services: one stream, `servicecredential-all`. */
export const serviceCredentialAggregate = {
  category: "servicecredential",
  decider: serviceCredentials,
  codec: serviceCredentialCodec,
};

/** Who may read the store over EventStoreDB's protocol: one stream, `storereader-all`. */
export const storeReaderAggregate = {
  category: "storereader",
  decider: storeReaders,
  codec: storeReaderCodec,
};

/** Stores that were put back to an older copy: one stream, `rewind-all`. */
export const storeRewindAggregate = {
  category: "rewind",
  decider: storeRewind,
  codec: storeRewindCodec,
};

/** Support tickets. */
export const ticketAggregate = { category: "ticket", decider: ticket, codec: ticketCodec };

/** Where accounts are notified: a stream for each account. */
export const webhookAggregate = { category: "webhook", decider: webhooks, codec: webhookCodec };
