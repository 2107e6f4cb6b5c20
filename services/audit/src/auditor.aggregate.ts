import {
  auditLog,
  auditLogCodec,
  auditor,
  auditorCodec,
  type AuditorCommand,
  type AuditorEvent,
  type AuditorState,
  type AuditLogEvent,
  type AuditLogState,
  type RestartAuditLog,
} from "@hostledger/core";
import type { Aggregate } from "@hostledger/event-store";

/** The rules of auditors' credentials with their streams and their stored events. */
export const auditorAggregate: Aggregate<AuditorCommand, AuditorState, AuditorEvent> = {
  category: "auditor",
  decider: auditor,
  codec: auditorCodec,
};

/** The rules of the log itself with their stream, `auditlog-all`. */
export const auditLogAggregate: Aggregate<RestartAuditLog, AuditLogState, AuditLogEvent> = {
  category: "auditlog",
  decider: auditLog,
  codec: auditLogCodec,
};
