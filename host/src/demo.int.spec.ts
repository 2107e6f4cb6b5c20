import { join } from "node:path";

import { Code } from "@connectrpc/connect";
import { openEmbeddedEventStore } from "@hostledger/store";
import { randomIds, systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { cutting, request, staffOf, start } from "./standalone.fixture.ts";

describe("the demo", () => {
  it("opens an account with 500.00 euros and a price list on an empty store", async () => {
    const data = directoryOfTest();
    const instance = await start(data);
    const demo = await instance.openDemo();
    expect(demo).toEqual({ apiKey: demo?.apiKey, accountId: 1, serverIds: [1, 2] });
    await expect(request(instance, demo?.apiKey ?? "", "/billing/balance")).resolves.toEqual({
      status: 200,
      body: { balance: "500.00" },
    });
    const { prices } = await staffOf(instance, data).domains.listAllPrices({});
    const rows = prices.map(({ tld, active, ...price }) => [
      tld,
      price.registrationCents,
      price.renewalCents,
      price.transferCents,
      active,
    ]);
    expect(rows).toEqual([
      ["com", 1_000n, 1_200n, 1_000n, true],
      ["de", 600n, 600n, 0n, true],
      ["eu", 700n, 800n, 700n, true],
      ["io", 3_900n, 4_500n, 3_900n, true],
      ["net", 1_200n, 1_300n, 1_200n, true],
      ["org", 1_100n, 1_300n, 1_100n, true],
    ]);
  });

  it("opens three plans in two regions with stock, two servers and a ticket", async () => {
    const instance = await start(directoryOfTest());
    const demo = await instance.openDemo();
    const read = async (path: string): Promise<unknown> =>
      (await request(instance, demo?.apiKey ?? "", path)).body;
    const stock = (title: string, price: number, region: string) => ({
      stock: { plan: expect.objectContaining({ title, price }), stock: 10, available: true },
      region: expect.objectContaining({ region }),
    });
    const offer = await read("/stock");
    expect(offer).toHaveLength(6);
    expect(offer).toEqual(
      expect.arrayContaining(
        ["fra", "ams"].flatMap((region) => [
          stock("Small", 9.99, region),
          stock("Medium", 19.99, region),
          stock("Large", 39.99, region),
        ]),
      ),
    );
    expect(await read("/servers")).toMatchObject([
      { id: 1, plan_id: 1, suspended: false },
      { id: 2, plan_id: 2, suspended: false },
    ]);
    expect(await read("/tickets")).toMatchObject([
      { id: 1, status: "open", priority: "normal", server_id: 1 },
    ]);
    const toggles = await Promise.all(
      [1, 2].map((id) =>
        request(instance, demo?.apiKey ?? "", `/servers/${String(id)}/firewall/toggle`, { enable: false }),
      ),
    );
    // The second one is whitelisted.
    expect(toggles.map(({ status }) => status)).toEqual([403, 200]);
  });

  it("opens once, and not again after a restart", async () => {
    const data = directoryOfTest();
    const first = await start(data);
    await first.openDemo();
    await expect(first.openDemo()).resolves.toBeUndefined();
    await first.close();

    const second = await start(data);
    await expect(second.openDemo()).resolves.toBeUndefined();
    const { accounts } = staffOf(second, data);
    await expect(accounts.showAccount({ accountId: 1n })).resolves.toMatchObject({ balanceCents: 50_000n });
    await expect(accounts.showAccount({ accountId: 2n })).rejects.toMatchObject({ code: Code.NotFound });
  });

  it("continues where an earlier start was interrupted, after any event", async () => {
    const whole = directoryOfTest();
    const first = await start(whole);
    await first.openDemo();
    await first.close();
    const { types, keepOnly } = cutting(whole);
    // After some prices, the account, its key, a plan, a server under way, one that is there, the ticket.
    const lasts = [3, 10, 17, 19, 33, 38, types.length];
    const complete = types.filter((type) => !/^(IdBlock|Compute|Document)/.test(type));
    for (const last of lasts) {
      const data = keepOnly(last);
      const second = await start(data);
      const demo = await second.openDemo(false);
      // Numbers come from reserved blocks: a start goes on with the next one.
      expect([last, demo?.accountId, demo?.serverIds.length]).toEqual([last, 1, 2]);
      const balance = await request(second, demo?.apiKey ?? "", "/billing/balance");
      expect(balance).toEqual({ status: 200, body: { balance: "500.00" } });
      const lists = ["/servers", "/tickets", "/stock"].map(async (path) =>
        request(second, demo?.apiKey ?? "", path),
      );
      expect((await Promise.all(lists)).map(({ body }) => Array.isArray(body) && body.length)).toEqual([
        2, 1, 6,
      ]);
      await second.close();
      const again = cutting(data).types.filter((type) => !/^(IdBlock|Compute|Document)/.test(type));
      // A key that nobody saw is replaced; everything else exists once, although orders were repeated.
      const keys = again.filter((type) => type === "ApiKeyIssued.v3").length;
      expect(keys).toBe(types.slice(0, last).includes("ApiKeyIssued.v3") ? 2 : 1);
      expect(again.toSorted()).toEqual([...complete, ...(keys === 2 ? ["ApiKeyIssued.v3"] : [])].toSorted());
    }
  });

  it.each([
    ["of another program", "Foreign.v1", "{}"],
    ["that is no JSON", "Foreign.v1", "none"],
    ["with a type of ours and other fields", "AccountOpened.v1", '{"accountId":"many"}'],
  ])("opens nothing, and hinders no start, on a store with an event %s", async (_, type, data) => {
    const path = directoryOfTest();
    await (await start(path)).close();
    const store = await openEmbeddedEventStore({
      path: join(path, "events.sqlite"),
      now: systemClock().now,
      onFailure: () => undefined,
    });
    await store.append("foreign-1", "no-stream", [{ id: randomIds.uuid(), type, data, metadata: "none" }]);
    await store.close();
    const instance = await start(path);
    await expect(instance.openDemo(false)).resolves.toBeUndefined();
  });

  it("opens nothing on a store that has data", async () => {
    const data = directoryOfTest();
    const instance = await start(data);
    await staffOf(instance, data).accounts.openAccount({ name: "Ada" });
    await expect(instance.openDemo()).resolves.toBeUndefined();
  });
});
