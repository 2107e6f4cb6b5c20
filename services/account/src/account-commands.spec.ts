import { accountAggregate } from "@hostledger/core";
import {
  createAccounts,
  createCommandHandler,
  recentMs,
  withAppend,
  type EventStore,
} from "@hostledger/store";
import { InMemoryEventStore } from "@hostledger/read/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { randomIds, realTiming } from "@hostledger/runtime";
import { beforeEach, expect, it, vi } from "vitest";

import { findAccount } from "./account-commands.ts";

const below = new InMemoryEventStore();
const append: EventStore["append"] = (...given) => below.append(...given);
const store = { ...withAppend(below, append), shared: true };
let nowMs = 0;
const timing = { ...realTiming, monotonicMilliseconds: () => nowMs };
const process = (recordedBy: string) => {
  const commands = createCommandHandler({ store, recordedBy, timing });
  return {
    commands,
    accounts: createAccounts({ store, commands, clock: { now: () => at }, ids: randomIds }),
  };
};
const here = process("here");
const elsewhere = process("elsewhere");

const read = vi.spyOn(below, "read");
beforeEach(() => {
  read.mockClear();
});

const at = "2026-03-01T10:00:00.000000Z";
const context = { commandId: "open", correlationId: "open", actor: "staff:ada" };
const open = { type: "OpenAccount", data: { accountId: 1, name: "Ada", vatExempt: false, at } } as const;

it("reads an account again before it answers that there is none", async () => {
  await expect(refusalOf(findAccount(here, 1))).resolves.toMatchObject({ code: "not-found" });
  await elsewhere.commands.execute(accountAggregate, "1", open, context);
  await expect(findAccount(here, 1, recentMs)).resolves.toMatchObject({ account: { accountId: 1 } });
});

it("uses a cached account of at most a second for callers that allow it", async () => {
  nowMs += 10_000;
  await findAccount(here, 1);
  await findAccount(here, 1, 500);
  expect(read).toHaveBeenCalledTimes(1);
  await findAccount(here, 1);
  expect(read).toHaveBeenCalledTimes(2);
  nowMs += recentMs;
  await findAccount(here, 1, 60_000);
  expect(read).toHaveBeenCalledTimes(3);
});
