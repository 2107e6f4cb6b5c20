import { type Command, accept, type Decider } from "../kernel/decider.ts";
import type { AuditLogEvent } from "./audit-log.events.ts";

export type RestartAuditLog = Command<
  "RestartAuditLog",
  { readonly origin: string; readonly reason: string }
>;

/** `restarts` counts how often staff rebuilt the log. */
export interface AuditLogState {
  readonly restarts: number;
}

/** Rules of the auditors' log: only staff may restart it, and each restart is an event. */
export const auditLog: Decider<RestartAuditLog, AuditLogState, AuditLogEvent> = {
  initialState: { restarts: 0 },
  decide: ({ data: { at, ...data } }) =>
    accept({ type: "AuditLogRestarted", data: { ...data, restartedAt: at } }),
  evolve: ({ restarts }) => ({ restarts: restarts + 1 }),
};
