import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, text } from "../kernel/fields.ts";

export const auditLogEvents = defineEvents({
  AuditLogRestarted: event(
    "Staff rebuilt the auditors' log from the event store, because the log's state was lost. Auditors should compare the new log with the checkpoints that they saved.",
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
