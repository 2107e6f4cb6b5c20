import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, text } from "../kernel/fields.ts";

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

export type AuditLogEvent = EventOf<typeof auditLogEvents>;

export const auditLogCodec = eventCodec(auditLogEvents);
