import { accountEvents } from "./account/account.events.ts";
import { approvalEvents } from "./approval/approval.events.ts";
import { auditLogEvents } from "./audit-log/audit-log.events.ts";
import { auditorEvents } from "./credential/auditor.events.ts";
import { bankEvents } from "./bank/bank.events.ts";
import { planEvents, regionEvents, stockEvents } from "./catalogue/catalogue.events.ts";
import { clockEvents } from "./clock/clock.events.ts";
import { comparisonEvents } from "./comparison/comparison.events.ts";
import { documentEvents } from "./document/document.events.ts";
import { domainEvents } from "./domain/domain.events.ts";
import { installationEvents } from "./installation/installation.events.ts";
import { storeOwnerEvents } from "./installation/store-owner.ts";
import { eventCodec } from "./kernel/event-codec.ts";
import { defineEvents, type EventOf } from "./kernel/event-definition.ts";
import { isOwnMetadata } from "./kernel/event-metadata.ts";
import type { UnreadableKind } from "./kernel/unreadable-event-error.ts";
import { mendingEvents } from "./mending/mending.events.ts";
import { noticeChoiceEvents } from "./notice-choice/notice-choice.events.ts";
import { paymentEvents } from "./payment/payment.events.ts";
import { priceListEvents } from "./price-list/price-list.events.ts";
import { runEvents } from "./processes/run-events.ts";
import { quotaEvents } from "./quota/quota.events.ts";
import { referenceEvents } from "./reference/reference.events.ts";
import { registryMessageEvents } from "./registry-message/registry-message.events.ts";
import { requestEvents } from "./request/request.events.ts";
import { retentionEvents } from "./retention/retention.events.ts";
import { sequenceEvents } from "./sequence/sequence.events.ts";
import { sellerEvents } from "./seller/seller.events.ts";
import { serverEvents } from "./server/server.events.ts";
import { staffEvents } from "./credential/staff.events.ts";
import { serviceCredentialEvents } from "./credential/service-credential.events.ts";
import { storeReaderEvents } from "./credential/store-reader.events.ts";
import { storeRewindEvents } from "./store-rewind/store-rewind.events.ts";
import { taxRulesEvents } from "./tax/tax-rules.events.ts";
import { ticketCauseEvents, ticketEvents } from "./ticket/ticket.events.ts";
import { walletEvents } from "./wallet/wallet.events.ts";
import { webhookEvents } from "./webhook/webhook.events.ts";

export const hostingEvents = defineEvents({
  ...accountEvents,
  ...approvalEvents,
  ...auditLogEvents,
  ...auditorEvents,
  ...bankEvents,
  ...clockEvents,
  ...comparisonEvents,
  ...documentEvents,
  ...domainEvents,
  ...installationEvents,
  ...storeOwnerEvents,
  ...mendingEvents,
  ...noticeChoiceEvents,
  ...paymentEvents,
  ...planEvents,
  ...priceListEvents,
  ...quotaEvents,
  ...referenceEvents,
  ...regionEvents,
  ...registryMessageEvents,
  ...requestEvents,
  ...retentionEvents,
  ...runEvents,
  ...sequenceEvents,
  ...sellerEvents,
  ...serverEvents,
  ...staffEvents,
  ...stockEvents,
  ...serviceCredentialEvents,
  ...storeReaderEvents,
  ...storeRewindEvents,
  ...taxRulesEvents,
  ...ticketEvents,
  ...ticketCauseEvents,
  ...walletEvents,
  ...webhookEvents,
});

export type HostingEvent = EventOf<typeof hostingEvents>;

/** Reads every event, for programs that follow `$all`: projections and the audit log. */
export const hostingCodec = eventCodec(hostingEvents);

export interface StoredKind {
  readonly type: string;
  readonly metadata: string;
}

const typeNames: ReadonlySet<string> = new Set(Object.keys(hostingEvents));

/** Returns true for an event of other software. Readers skip it, but it is a revision and a leaf of the audit log. */
export function isForeign({ type, metadata }: StoredKind): boolean {
  return !typeNames.has(type.replace(/\.v\d+$/u, "")) && !isOwnMetadata(metadata);
}

/** Returns why an event of our own cannot be read: only a newer version has its type, or the event is damaged. */
export function unreadableKind({ type, metadata }: StoredKind): UnreadableKind {
  const isOfVersion = /\.v[1-9]\d*$/u.test(type);
  return isOfVersion && !hostingCodec.knows(type) && isOwnMetadata(metadata) ? "newer" : "damaged";
}
