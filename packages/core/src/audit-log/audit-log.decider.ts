import { type Command, accept, type Decider } from "../kernel/decider.ts";
import type { AuditLogEvent } from "./audit-log.events.ts";

/** Staff have the auditors' log made anew. */
export type RestartAuditLog = Command<
  "RestartAuditLog",
  { readonly origin: string; readonly reason: string }
>;

/** How often the log was made anew. */
export interface AuditLogState {
  readonly restarts: number;
}

/** The rules of the auditors' log: it never begins again without a word of staff, and every such word stays. */
export const auditLog: Decider<RestartAuditLog, AuditLogState, AuditLogEvent> = {
  initialState: { restarts: 0 },
  decide: ({ data: { at, ...data } }) =>
    accept({ type: "AuditLogRestarted", data: { ...data, restartedAt: at } }),
  evolve: ({ restarts }) => ({ restarts: restarts + 1 }),
};
