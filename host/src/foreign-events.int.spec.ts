import type { EventStore } from "@hostledger/store";
import { randomIds, silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it, vi } from "vitest";

import { request, staffOf, start } from "./standalone.fixture.ts";
import type { StartedParts } from "./start-parts.ts";

const megabyte = 1_000_000;
/** Metadata of a newer version of ours; without it, unknown types are foreign and ignored. */
const metadata = JSON.stringify({ actor: "staff", recordedBy: "account-service" });
const poll = { timeout: 15_000 };

/** Starts an instance with a log of its warnings, and opens its event store as another program. */
async function instanceAndStore(data: string) {
  const stores: EventStore[] = [];
  const warn = vi.fn<(...parts: unknown[]) => void>();
  const decorate = {
    store: (store: EventStore) => {
      stores.push(store);
      return store;
    },
  };
  const instance = await start(data, {}, decorate, { ...silentLogger(), warn });
  const [store] = stores;
  if (store === undefined) throw new Error("an instance opens its event store");
  return { instance, store, warned: () => warn.mock.calls.map((parts) => String(parts.at(-1))) };
}

/** Returns the reasons that staff see for a stopped stream. */
async function reasonsOf(instance: StartedParts, data: string, stream: string): Promise<string[]> {
  const { streams } = await staffOf(instance, data).projections.listStoppedStreams({});
  return streams.flatMap((stop) => (stop.stream === stream ? [stop.reason] : []));
}

async function order(instance: StartedParts, key: string, domain: string): Promise<void> {
  expect(await request(instance, key, "/domains", { domain })).toMatchObject({ status: 201 });
  expect((await request(instance, key, "/billing/balance")).status).toBe(200);
}

describe("an event that this version cannot read", () => {
  it.each([
    ["with 1 MB of data", "Foreign.v1", JSON.stringify({ text: "x".repeat(megabyte) }), "Foreign.v1"],
    ["with 1 MB of names", "BalanceCharged.v1", `{"${"x".repeat(megabyte)}":1}`, "BalanceCharged.v1: "],
    ["with no JSON", "BalanceCharged.v1", "none", "BalanceCharged.v1: the data is not JSON"],
    [
      "with a sealed text and no JSON",
      "AccountOpened.v1",
      '{"name":"sealed:v1:',
      "AccountOpened.v1: the data is not JSON",
    ],
    ["of a version that only a newer process knows", "BalanceCharged.v9", "{}", "BalanceCharged.v9"],
    ["of our type with wrong fields", "BalanceCharged.v1", '{"chargeId":7}', "chargeId"],
    ["of a type of 100 KB", "F".repeat(100_000), "{}", "FFFF"],
  ])("%s is reported in a clear sentence, and stops nothing else", async (_what, type, text, clause) => {
    const data = directoryOfTest();
    const { instance, store, warned } = await instanceAndStore(data);
    await instance.openDemo();
    const { accounts } = staffOf(instance, data);
    const { accountId } = await accounts.openAccount({ name: "Ada" });
    await accounts.topUpAccount({ accountId, amountCents: 10_000n, reference: "first" });
    const { apiKey } = await accounts.issueApiKey({ accountId });
    await order(instance, apiKey, "before.com");

    const event = { id: randomIds.uuid(), type, data: text, metadata };
    await store.append("account-999", "no-stream", [event]);
    await vi.waitFor(
      async () => expect((await reasonsOf(instance, data, "account-999")).length).toBeGreaterThan(0),
      poll,
    );
    await vi.waitFor(() => {
      expect(warned().length).toBeGreaterThan(0);
    }, poll);
    for (const reason of [...(await reasonsOf(instance, data, "account-999")), ...warned()]) {
      expect(reason).toContain(clause);
      expect(reason).toContain("stream account-999, revision 0");
      expect(reason.length).toBeLessThan(1_000);
    }
    await order(instance, apiKey, "after.com");
    // A caller that works on the stream gets an error with the event.
    await expect(
      accounts.topUpAccount({ accountId: 999n, amountCents: 1n, reference: "one" }),
    ).rejects.toThrow(/A stored event cannot be used: account-999@0 /u);
    await instance.close();

    const again = await start(data);
    await order(again, apiKey, "again.com");
    expect((await reasonsOf(again, data, "account-999")).length).toBeGreaterThan(0);
  });
});
