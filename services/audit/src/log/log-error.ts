import { AuditFaultError } from "@hostledger/core";

/** The log cannot be opened, or cannot go on; the message is one sentence that a person can act on. */
export class AuditLogError extends AuditFaultError {
  override readonly name: string = "AuditLogError";
}

/** What is left of a log that has signed before cannot be gone on with: only staff may let it begin anew. */
export class LostLogError extends AuditLogError {
  override readonly name = "LostLogError";

  /** @param fault the beginning of a sentence: what is missing or damaged. */
  constructor(fault: string) {
    super(
      `${fault}: restore DATA/audit from a backup, or have it made anew with \`hostledger audit log restart --reason …\`.`,
    );
  }
}

/** The files of a log are gone. @param origin its name */
export function lostState(origin: string): LostLogError {
  return new LostLogError(`The audit log ${origin} has lost its state`);
}

/** There is no file of a log, and the store is not new: it was brought here without its log, or the log's directory is gone. */
export function missingLog(): LostLogError {
  return new LostLogError("The event store has events, and no audit log of them is in DATA/audit");
}

/** The event store does not hold what the log has recorded: one of them was changed. Nothing is overwritten. */
export class LogContradictionError extends AuditLogError {
  override readonly name = "LogContradictionError";
}
