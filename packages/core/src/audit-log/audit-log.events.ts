import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, text } from "../kernel/fields.ts";

/** What staff do about the auditors' log (stream `auditlog-all`). */
export const auditLogEvents = defineEvents({
  AuditLogRestarted: event(
    "The state of the auditors' log was lost, and staff had it made anew from the store: compare it with any checkpoint that somebody kept.",
    {
      /** Name of the log in its checkpoints. */
      origin: text,
      reason: text,
      restartedAt: instant,
    },
  ),
});

/** One of these. */
export type AuditLogEvent = EventOf<typeof auditLogEvents>;

/** Reads and names the facts about the log. */
export const auditLogCodec = eventCodec(auditLogEvents);
