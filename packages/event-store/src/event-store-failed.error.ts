/**
 * A COMMIT or sync failed, or the file is not a store: the process must stop, and replay when it starts again.
 *
 * It stands apart from the port's other errors for the writer thread, which throws this one only, and would otherwise load
 * the rules of core at every start.
 */
export class EventStoreFailedError extends Error {
  override readonly name = "EventStoreFailedError";
}
