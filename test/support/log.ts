import type { RecordedEvent } from "@hostledger/store";

import { isNoise } from "./noisy-store.ts";
import { openTestEngine } from "./test-engine.ts";

/** Every event of a stopped instance, in log order, from the event store that the tests are run with. */
export async function readLog(data: string): Promise<readonly RecordedEvent[]> {
  const engine = await openTestEngine(data);
  const store = await engine.open();
  const log: RecordedEvent[] = [];
  for await (const { events, caughtUp } of store.subscribe({ from: "start" })) {
    log.push(...events.filter(({ stream }) => !isNoise(stream)));
    if (caughtUp) break;
  }
  await store.close();
  await engine.close();
  return log;
}
