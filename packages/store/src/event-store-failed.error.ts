/**
 * A COMMIT or sync failed, or the file is not a store. The process must stop, and replays the log when it starts again.
 *
 * In a file of its own, because the writer thread throws only this error and would otherwise load core's rules.
 */
export class EventStoreFailedError extends Error {
  override readonly name = "EventStoreFailedError";
}
