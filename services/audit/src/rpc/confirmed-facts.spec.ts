import type { RecordedEvent } from "@hostledger/store";
import { turns } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { confirmedFacts } from "./confirmed-facts.ts";

const stream = "account-7";
const facts = Array.from({ length: 640 }, (_, at): RecordedEvent => ({
  stream,
  revision: BigInt(at),
  position: BigInt(at + 1),
  time: "2026-03-01T10:00:00.000000Z",
  id: `fact-${String(at)}`,
  type: "BalanceCharged.v1",
  data: "{}",
  metadata: "{}",
}));

it("tells a long stream with turns for others, each fact once it was compared", async () => {
  const compared: RecordedEvent[] = [];
  const sources = {
    // A store on the same machine returns a page of events at once.
    rawStore: {
      async *read() {
        for (const fact of facts) yield await Promise.resolve(fact);
      },
    },
    codecOf: () => undefined,
    subjectKeys: { find: () => Promise.resolve(new Map()) },
    log: {
      fault: undefined,
      confirm: (fact: RecordedEvent) => {
        compared.push(fact);
        return Promise.resolve();
      },
    },
  };
  const counted = turns();
  let count = 0;
  for await (const fact of confirmedFacts(sources, stream)) {
    expect([fact, compared.at(-1)]).toEqual([facts[count], facts[count]]);
    count += 1;
  }
  expect(count).toBe(640);
  expect(counted()).toBeGreaterThanOrEqual(10);
});
