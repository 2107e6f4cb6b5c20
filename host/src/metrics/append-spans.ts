import { originOf, withAppend, type EventStore, type EventToAppend } from "@hostledger/store";
import { monotonicMilliseconds, type Tracing } from "@hostledger/runtime";

/**
 * The store as services use it, which tells every trace of the appends for it. One append may hold what many requests decided:
 * each has a span of its own, known to whoever reads the events later by the stream and the command. What others append
 * through this process is theirs to tell.
 */
export function traceAppends(store: EventStore, tracing: Tracing | undefined): EventStore {
  if (tracing === undefined) return store;
  return withAppend(store, async (stream, expected, events) => {
    const beganMs = monotonicMilliseconds();
    const traceOutcome = (isStored: boolean): void => {
      const seconds = (monotonicMilliseconds() - beganMs) / 1_000;
      traceAppend(tracing, { stream, events, seconds, isStored });
    };
    try {
      const result = await store.append(stream, expected, events);
      traceOutcome(true);
      return result;
    } catch (error) {
      traceOutcome(false);
      throw error;
    }
  });
}

interface SettledAppend {
  readonly stream: string;
  readonly events: readonly EventToAppend[];
  readonly seconds: number;
  /** False where it is not known, too. */
  readonly isStored: boolean;
}

function traceAppend(tracing: Tracing, { stream, events, seconds, isStored }: SettledAppend): void {
  // The name of a stream holds a customer's domain or number; its category does not.
  const category = stream.slice(0, Math.max(0, stream.indexOf("-")));
  for (const [metadata, ofCommand] of Map.groupBy(events, (event) => event.metadata)) {
    const origin = originOf({ stream, metadata });
    if (origin === undefined) continue;
    const { correlationId, command } = origin;
    tracing.record("append", {
      correlationId,
      under: { open: command },
      // What was not stored is tried again, and only one of the spans can have the name.
      ...(isStored ? { as: { event: command } } : {}),
      attributes: {
        "hostledger.stream.category": category,
        "hostledger.events": ofCommand.length,
        "hostledger.append.events": events.length,
      },
      seconds,
      isFailed: !isStored,
    });
  }
}
