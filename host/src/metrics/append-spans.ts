import { originOf, withAppend, type EventStore, type EventToAppend } from "@hostledger/store";
import { monotonicMilliseconds, type Tracing } from "@hostledger/runtime";

/**
 * Wraps the store, so that every append has a span in the trace of its command. An append may contain the commands
 * of many requests: each has a span of its own, which readers of the events find by stream and command. Appends of
 * other writers through this process are not traced here.
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
      // A failed append is tried again, and only one of the spans may have the name.
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
