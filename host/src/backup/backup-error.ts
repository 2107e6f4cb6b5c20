/** A backup cannot be made or restored; the message is one sentence that a person can act on. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}
