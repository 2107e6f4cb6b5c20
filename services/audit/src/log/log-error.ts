/** The log cannot be opened, or cannot go on; the message is one sentence that a person can act on. */
export class AuditLogError extends Error {
  override readonly name: string = "AuditLogError";
}

/** The event store does not hold what the log has recorded: one of them was changed. Nothing is overwritten. */
export class LogContradictionError extends AuditLogError {
  override readonly name = "LogContradictionError";
}
