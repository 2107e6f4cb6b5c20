/** What is wrong, for those who have to tell a setting from a server. */
export type EventStoreDbReason =
  | "connection-string"
  | "certificate"
  | "unauthorised"
  | "unreachable"
  | "stream-deleted"
  | "refused";

/**
 * EventStoreDB cannot be used as it was asked to be: its message is one sentence for the operator, without a password.
 * Trying the same again does not help, except for `unreachable`.
 */
export class EventStoreDbError extends Error {
  override readonly name = "EventStoreDbError";
  readonly reason: EventStoreDbReason;

  constructor(reason: EventStoreDbReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
