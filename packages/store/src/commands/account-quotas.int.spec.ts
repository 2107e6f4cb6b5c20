import { join } from "node:path";
import { quotaAggregate, TemporarilyUnavailableError, type QuotaName } from "@hostledger/core";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { collect } from "../contract/contract-fixtures.ts";
import { openTestStore } from "../embedded/test-store.fixture.ts";
import type { EventStore } from "../event-store.port.ts";
import { createAccountQuotas, createQuotaCommands, type AccountQuotas } from "./account-quotas.ts";

let folder = "";
let store: EventStore;
let now = "2026-11-22T23:59:00.000000Z";
let commandIds = 0;
const origin = { correlationId: "spec", actor: "account:7" };

beforeEach(async () => {
  folder = directoryOfTest();
  store = await openTestStore(join(folder, "events.sqlite"));
  now = "2026-11-22T23:59:00.000000Z";
});
afterEach(() => store.close());

const newCommandId = (): string => `command-${String((commandIds += 1))}`;

/** Returns the quotas of one of several processes, with a cache of its own. */
function startProcess(): AccountQuotas {
  return createAccountQuotas({
    store,
    recordedBy: "spec",
    clock: { now: () => now },
    ids: { uuid: newCommandId },
  });
}

async function setQuota(quota: QuotaName, value: number): Promise<void> {
  await createQuotaCommands({ store, recordedBy: "spec" }).execute(
    quotaAggregate,
    "7",
    { type: "SetQuota", data: { accountId: 7, quota, value, reason: "spec", at: now } },
    { ...origin, commandId: newCommandId() },
  );
}

const use = async (process: AccountQuotas, amount = 1): Promise<string> =>
  (await process.use(7, "free_writes_a_day", amount, origin))?.code ?? "used";

const takenParts = async (): Promise<number> =>
  (await collect(store.read("quota-7"))).filter(({ type }) => type === "QuotaTaken.v1").length;

describe("a quota of a day", () => {
  it("costs one event for a twentieth of it, for any number of callers", async () => {
    await setQuota("free_writes_a_day", 200);
    const process = startProcess();
    const answers = await Promise.all(Array.from({ length: 25 }, () => use(process)));
    expect(new Set(answers)).toEqual(new Set(["used"]));
    expect(await takenParts()).toBe(3);
  });

  it("holds across processes, and after a restart of one", async () => {
    await setQuota("free_writes_a_day", 10);
    const answers: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      answers.push(...(await Promise.all([startProcess(), startProcess()].map((each) => use(each, 2)))));
    }
    expect(answers.filter((answer) => answer === "used")).toHaveLength(5);
    expect(answers.filter((answer) => answer === "quota-exceeded")).toHaveLength(3);
  });

  it("uses the rest of a part if it suffices, and a new part otherwise", async () => {
    await setQuota("free_writes_a_day", 100);
    const process = startProcess();
    expect([await use(process, 3), await use(process, 97), await use(process)]).toEqual([
      "used",
      "used",
      "quota-exceeded",
    ]);
  });

  it("begins again at midnight, without the rest of the day before", async () => {
    await setQuota("free_writes_a_day", 20);
    const process = startProcess();
    expect(await use(process, 20)).toBe("used");
    expect(await use(process)).toBe("quota-exceeded");
    now = "2026-11-23T00:00:00.000000Z";
    expect(await use(process, 20)).toBe("used");
    expect(await use(process)).toBe("quota-exceeded");
  });

  it("is as staff have set it at the next part", async () => {
    await setQuota("free_writes_a_day", 0);
    const process = startProcess();
    expect(await use(process)).toBe("quota-exceeded");
    await setQuota("free_writes_a_day", 1);
    expect([await use(process), await use(process)]).toEqual(["used", "quota-exceeded"]);
  });

  it("is no quota of another account's", async () => {
    await setQuota("free_writes_a_day", 0);
    expect(await startProcess().use(8, "free_writes_a_day", 1, origin)).toBeUndefined();
  });
});

describe("a quota of what stands", () => {
  it("counts the rows, and those that are on their way to become rows", async () => {
    await setQuota("open_tickets", 5);
    const process = startProcess();
    const enter = () => process.enter(7, "open_tickets", () => Promise.resolve(3));
    const entries = await Promise.all([enter(), enter(), enter()]);
    expect(entries.map(({ entered }) => entered)).toEqual([true, true, false]);
    for (const entry of entries) if (entry.entered) entry.leave();
    expect(await enter()).toMatchObject({ entered: true });
  });

  it("counts only local use while the read model is being built", async () => {
    await setQuota("open_tickets", 1);
    const process = startProcess();
    const enter = () =>
      process.enter(7, "open_tickets", () => Promise.reject(new TemporarilyUnavailableError()));
    expect(await enter()).toMatchObject({ entered: true });
    expect(await enter()).toMatchObject({ entered: false });
  });

  it("does not block others if one count fails", async () => {
    await setQuota("open_tickets", 1);
    const process = startProcess();
    const failing = process.enter(7, "open_tickets", () => Promise.reject(new Error("no rows")));
    await expect(failing).rejects.toThrow("no rows");
    expect(await process.enter(7, "open_tickets", () => Promise.resolve(0))).toMatchObject({ entered: true });
  });
});
