import type { EventStore } from "@hostledger/store";
import { accountExamples } from "@hostledger/core/testing";
import { expect, it } from "vitest";

import { openAudit, readingBy } from "../audit-service.fixture.ts";

const { opened, credited, charged } = accountExamples;

it("reads the account's own events for a statement, each once, and no other", async () => {
  const read: string[] = [];
  const counting = (store: EventStore): EventStore =>
    readingBy(store, async function* (stream, options) {
      for await (const event of store.read(stream, options)) {
        read.push(event.stream);
        yield event;
      }
    });
  const { audits, record } = await openAudit({}, counting);
  for (let accountId = 1; accountId <= 50; accountId += 1)
    await record(`account-${String(accountId)}`, { ...opened(), data: { ...opened().data, accountId } });
  await record("account-7", ...credited(), ...charged());
  read.length = 0;
  const statement = await audits().getStatement({ accountId: 7n });
  expect(statement.closingBalanceCents).toBe(8_810n);
  const own = 1 + credited().length + charged().length;
  expect(read).toEqual(Array.from({ length: own }, () => "account-7"));
});
