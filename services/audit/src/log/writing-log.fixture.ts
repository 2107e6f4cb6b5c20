/** A process that appends events and writes the log until it is killed: `writing-log.fixture.ts FOLDER`. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { openEmbeddedEventStore } from "@hostledger/store";
import { silentLogger, systemClock } from "@hostledger/runtime";

import { openAuditLog } from "./audit-log.ts";

const [folder = "."] = process.argv.slice(2);
const clock = systemClock();
const store = await openEmbeddedEventStore({
  path: join(folder, "events.sqlite"),
  now: clock.now,
  onFailure(error) {
    throw error;
  },
});
const log = await openAuditLog({
  store,
  dataDirectory: folder,
  clock,
  logger: silentLogger(),
  checkpointEveryMs: 5,
});
await log.ready();
if (log.health().status === "stopped") throw new Error(log.health().sentence);
console.log("following");
for (;;) {
  const events = Array.from({ length: 20 }, () => ({
    id: randomUUID(),
    type: "Written.v1",
    data: "{}",
    metadata: "{}",
  }));
  await store.append(`writer-${randomUUID()}`, "no-stream", events);
}
