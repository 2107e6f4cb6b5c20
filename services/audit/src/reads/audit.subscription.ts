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

/** Families of events in whose streams accounts leave what they are found by. */
export const referringEvents = [
  accountEvents,
  domainEvents,
  serverEvents,
  ticketEvents,
  requestEvents,
  webhookEvents,
  noticeChoiceEvents,
] as const;

/** What the audit service's read models hear. */
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

/** One of these facts. */
export type AuditLogEvent = EventOf<typeof auditLogEvents>;

/** Reads these facts. */
export const auditLogCodec = eventCodec(auditLogEvents);

/** The number in an account's stream, for example 7 in `account-7`. */
export function accountIdOf(stream: string): number {
  return Number(stream.slice("account-".length));
}
