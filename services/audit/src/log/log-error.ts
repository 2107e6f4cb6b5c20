import { AuditFaultError } from "@hostledger/core";

/** The log cannot be opened, or cannot go on; the message is one sentence that a person can act on. */
export class AuditLogError extends AuditFaultError {
  override readonly name: string = "AuditLogError";
}

/** The state of a log whose key has signed before is not there: only staff may let it begin anew. */
export class LostLogError extends AuditLogError {
  override readonly name = "LostLogError";
  /** Name of the log. */
  readonly origin: string;

  constructor(origin: string) {
    super(
      `The audit log ${origin} has lost its state: restore DATA/audit from a backup, or have it made anew with \`hostledger audit log restart --reason …\`.`,
    );
    this.origin = origin;
  }
}

/** The event store does not hold what the log has recorded: one of them was changed. Nothing is overwritten. */
export class LogContradictionError extends AuditLogError {
  override readonly name = "LogContradictionError";
}
