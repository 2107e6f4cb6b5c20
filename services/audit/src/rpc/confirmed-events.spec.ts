import type { RecordedEvent } from "@hostledger/store";
import { turns } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { confirmedEvents } from "./confirmed-events.ts";

const stream = "account-7";
const events = Array.from({ length: 640 }, (_, at): RecordedEvent => ({
  stream,
  revision: BigInt(at),
  position: BigInt(at + 1),
  time: "2026-03-01T10:00:00.000000Z",
  id: `fact-${String(at)}`,
  type: "BalanceCharged.v1",
  data: "{}",
  metadata: "{}",
}));

it("reads a long stream with pauses for other work, each event after its comparison", async () => {
  const compared: RecordedEvent[] = [];
  const sources = {
    // A store on the same machine returns a page of events at once.
    rawStore: {
      async *read() {
        for (const event of events) yield await Promise.resolve(event);
      },
    },
    codecOf: () => undefined,
    subjectKeys: { find: () => Promise.resolve(new Map()) },
    log: {
      fault: undefined,
      confirm: (event: RecordedEvent) => {
        compared.push(event);
        return Promise.resolve();
      },
    },
  };
  const counted = turns();
  let count = 0;
  for await (const event of confirmedEvents(sources, stream)) {
    expect([event, compared.at(-1)]).toEqual([events[count], events[count]]);
    count += 1;
  }
  expect(count).toBe(640);
  expect(counted()).toBeGreaterThanOrEqual(10);
});
