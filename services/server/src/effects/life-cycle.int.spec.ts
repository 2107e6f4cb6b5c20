import { unknown } from "@hostledger/providers";
import { describe, expect, it } from "vitest";

import {
  ComputeBreaker,
  eventually,
  giveServer,
  openShop,
  type InstanceOptions,
} from "../server-service.fixture.ts";

/** A shop with servers until 28 February 2027, 10:00. */
async function withServers(count: number, options: InstanceOptions = {}) {
  const shop = await openShop(options);
  const customer = shop.customer(1_000_000n);
  const { planId, regionId } = shop;
  const ids: bigint[] = [];
  for (let made = 0; made < count; made += 1)
    ids.push(await giveServer(shop, { accountId: BigInt(customer.accountId), planId, regionId }));
  const suspensions = async (id: bigint): Promise<number> => {
    const types = await shop.typesOf(`server-${String(id)}`);
    return types.filter((type) => type === "ServerSuspended").length;
  };
  return { ...shop, ...customer, ids, suspensions };
}

const afterExpiry = "2027-03-01T00:00:00.000000Z";

describe("a server whose paid time is over", () => {
  it("is suspended by itself, once, and its node is told", async () => {
    const shop = await withServers(3);
    const { ids, servers, clock, nodeOf, suspensions, service } = shop;
    const [renewed = 0n, ...others] = ids;
    await servers.renewServer({ serverId: renewed });
    expect(await service.runDueWork()).toBe(0);
    clock.moveTo(afterExpiry);
    await eventually(async () => {
      const list = await servers.listServers({});
      expect(list.servers.map(({ status }) => status)).toEqual(["active", "suspended", "suspended"]);
    });
    await service.runDueWork();
    await eventually(() => {
      expect(others.map((id) => nodeOf(id)?.running)).toEqual([false, false]);
    });
    expect(nodeOf(renewed)?.running).toBe(true);
    expect(await Promise.all(ids.map(suspensions))).toEqual([0, 1, 1]);
  });

  it("is not suspended while the clock is not trusted, and is once it is", async () => {
    let trusted = false;
    const shop = await withServers(2, { isTimeTrusted: () => trusted });
    shop.clock.moveTo(afterExpiry);
    expect(await shop.service.runDueWork()).toBe(0);
    expect(await Promise.all(shop.ids.map(shop.suspensions))).toEqual([0, 0]);
    trusted = true;
    await shop.service.runDueWork();
    await eventually(async () => {
      expect(await Promise.all(shop.ids.map(shop.suspensions))).toEqual([1, 1]);
    });
  });

  it("is suspended once, whoever looks at the same time", async () => {
    const shop = await withServers(20);
    const others = [await shop.start(), await shop.start()];
    shop.clock.moveTo(afterExpiry);
    const looks = [shop.service, ...others.map(({ service }) => service)];
    await Promise.all([...looks, ...looks].map((service) => service.runDueWork()));
    await eventually(async () => {
      expect(await Promise.all(shop.ids.map(shop.suspensions))).toEqual(Array(20).fill(1));
    });
  });

  it("is suspended by the next process when nobody looked at the time", async () => {
    const shop = await withServers(2);
    await shop.service.close();
    shop.clock.moveTo("2028-01-01T00:00:00.000000Z");
    const later = await shop.start();
    await eventually(async () => {
      expect(await Promise.all(shop.ids.map(shop.suspensions))).toEqual([1, 1]);
    });
    await later.service.runDueWork();
    await eventually(() => {
      expect(shop.ids.map((id) => shop.nodeOf(id)?.running)).toEqual([false, false]);
    });
  });

  it("stays active when its renewal comes at the same moment, whoever is first", async () => {
    const shop = await withServers(10);
    shop.clock.moveTo("2027-02-28T10:00:30.000000Z");
    await Promise.all([
      shop.service.runDueWork(),
      ...shop.ids.map((serverId) => shop.servers.renewServer({ serverId })),
    ]);
    await eventually(async () => {
      const list = await shop.servers.listServers({});
      expect(list.servers.map(({ status }) => status)).toEqual(Array(10).fill("active"));
      expect(shop.ids.map((id) => shop.nodeOf(id)?.running)).toEqual(Array(10).fill(true));
    });
    expect(shop.accounts.standing).toHaveLength(10);
  });

  it("is suspended although its node does not answer, which is told when it does, by any process", async () => {
    const breaker = new ComputeBreaker();
    const shop = await withServers(1, { compute: breaker.wrap });
    breaker.broken.set("suspend", unknown("No answer"));
    breaker.broken.set("inquire", unknown("No answer"));
    shop.clock.moveTo(afterExpiry);
    await shop.service.runDueWork();
    const [id = 0n] = shop.ids;
    expect(await shop.suspensions(id)).toBe(1);
    expect(shop.nodeOf(id)?.running).toBe(true);
    await shop.service.close();
    await shop.start();
    await eventually(() => {
      expect(shop.nodeOf(id)?.running).toBe(false);
    });
  });
});
