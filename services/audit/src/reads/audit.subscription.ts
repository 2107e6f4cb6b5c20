import { accountEvents, auditorEvents, eventCodec, type EventOf } from "@hostledger/core";

/** What the audit service's read models hear. */
export const auditLogEvents = { ...accountEvents, ...auditorEvents };

/** One of these facts. */
export type AuditLogEvent = EventOf<typeof auditLogEvents>;

/** Reads these facts. */
export const auditLogCodec = eventCodec(auditLogEvents);

/** The number in an account's stream, for example 7 in `account-7`. */
export function accountIdOf(stream: string): number {
  return Number(stream.slice("account-".length));
}
