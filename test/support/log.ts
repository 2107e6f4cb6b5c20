import { openEmbeddedEventStore, type RecordedEvent } from "@hostledger/event-store";

/** Every event of a stopped instance's log, in log order. */
export async function readLog(data: string): Promise<readonly RecordedEvent[]> {
  const store = await openEmbeddedEventStore({
    path: `${data}/events.sqlite`,
    now: () => new Date().toISOString(),
    onFailure: (error) => {
      throw error;
    },
  });
  const log: RecordedEvent[] = [];
  for await (const { events, caughtUp } of store.subscribe({ from: "start" })) {
    log.push(...events);
    if (caughtUp) break;
  }
  await store.close();
  return log;
}
