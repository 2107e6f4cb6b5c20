import { AuditFaultError } from "@hostledger/core";

/** The log cannot be opened or cannot continue; the message is one sentence that a person can act on. */
export class AuditLogError extends AuditFaultError {
  override readonly name: string = "AuditLogError";
}

/** The log has not read an event of the store yet. */
export class NotYetLoggedError extends AuditLogError {
  override readonly name = "NotYetLoggedError";
}

/** The rest of a log that has signed before cannot be continued: only staff may begin it anew. */
export class LostLogError extends AuditLogError {
  override readonly name = "LostLogError";

  /** @param fault the beginning of a sentence: the missing or damaged part. */
  constructor(fault: string) {
    super(
      `${fault}: restore DATA/audit from a backup, or have it made anew with \`hostledger audit log restart --reason …\`.`,
    );
  }
}

/** Makes the error for missing files of a log. @param origin its name */
export function lostState(origin: string): LostLogError {
  return new LostLogError(`The audit log ${origin} has lost its state`);
}

/** Makes the error for a used store without a log: it was moved here without its log, or the log's directory is gone. */
export function missingLog(): LostLogError {
  return new LostLogError("The event store has events, and no audit log of them is in DATA/audit");
}

/** The event store contradicts the log, so one of them was changed. Nothing is overwritten. */
export class LogContradictionError extends AuditLogError {
  override readonly name = "LogContradictionError";
}
