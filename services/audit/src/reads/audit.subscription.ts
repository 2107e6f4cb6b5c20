import {
  accountEvents,
  auditorEvents,
  domainEvents,
  eventCodec,
  noticeChoiceEvents,
  requestEvents,
  serverEvents,
  ticketEvents,
  webhookEvents,
  type EventOf,
} from "@hostledger/core";

/** Families of events whose streams contain search terms of accounts. */
export const referringEvents = [
  accountEvents,
  domainEvents,
  serverEvents,
  ticketEvents,
  requestEvents,
  webhookEvents,
  noticeChoiceEvents,
] as const;

/** Events for the audit service's read models. */
export const auditLogEvents = {
  ...accountEvents,
  ...auditorEvents,
  ...domainEvents,
  ...serverEvents,
  ...ticketEvents,
  ...requestEvents,
  ...webhookEvents,
  ...noticeChoiceEvents,
};

export type AuditLogEvent = EventOf<typeof auditLogEvents>;

export const auditLogCodec = eventCodec(auditLogEvents);
