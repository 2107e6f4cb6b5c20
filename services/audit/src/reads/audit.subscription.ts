import {
  accountVersions,
  auditorVersions,
  eventCodec,
  type AccountEvent,
  type AuditorEvent,
} from "@hostledger/core";

/** What the audit service's read models hear. */
export type AuditLogEvent = AccountEvent | AuditorEvent;

/** The streams in which these facts are. */
export const auditLogPrefixes = ["account-", "auditor-"] as const;

/** Reads these facts. */
export const auditLogCodec = eventCodec<AuditLogEvent>({ ...accountVersions, ...auditorVersions });

/** The number in an account's stream, for example 7 in `account-7`. */
export function accountIdOf(stream: string): number {
  return Number(stream.slice("account-".length));
}
