import { createCommandHandler } from "@hostledger/store";
import { namedInstallation } from "@hostledger/store/testing";
import { unknown } from "@hostledger/providers";
import { describe, expect, it } from "vitest";

import { serverNodeWork } from "./server-node.effects.ts";
import {
  allRunsEnded,
  ComputeBreaker,
  eventually,
  giveServer,
  openShop,
  type InstanceOptions,
} from "../server-service.fixture.ts";

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
const twoWeeksLater = "2027-03-15T01:00:00.000000Z";

async function withBoughtServer(options: InstanceOptions = {}) {
  const shop = await openShop(options);
  const customer = shop.customer(1_000_000n);
  const { planId, regionId } = shop;
  const { serverId } = await customer.servers.orderServer({ planId, regionId, distroId: 1n });
  await allRunsEnded(shop);
  const unitsLeft = async (): Promise<number | undefined> => {
    await shop.caughtUp();
    return (await customer.catalogue.listStock({})).entries[0]?.units;
  };
  const ends = async (): Promise<readonly string[]> =>
    (await shop.typesOf(`server-${String(serverId)}`)).filter((type) => type.startsWith("ServerTermina"));
  return { ...shop, ...customer, serverId, unitsLeft, ends };
}

async function letExpire(shop: Awaited<ReturnType<typeof withBoughtServer>>): Promise<void> {
  shop.clock.moveTo(afterExpiry);
  await shop.service.runDueWork();
  await shop.caughtUp();
}

describe("a server whose paid time is over", () => {
  it("is suspended automatically, once, and its node is called", async () => {
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

  it("is suspended once, even by two concurrent processes", async () => {
    const shop = await withServers(20);
    const others = [await shop.start(), await shop.start()];
    shop.clock.moveTo(afterExpiry);
    const looks = [shop.service, ...others.map(({ service }) => service)];
    await Promise.all([...looks, ...looks].map((service) => service.runDueWork()));
    await eventually(async () => {
      expect(await Promise.all(shop.ids.map(shop.suspensions))).toEqual(Array(20).fill(1));
    });
  });

  it("is suspended by the next process if none ran at the time", async () => {
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

  it("stays active if its renewal comes at the same moment, in either order", async () => {
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

  it("is suspended although its node does not answer; any process calls the node again until it answers", async () => {
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

describe("a server that nobody renews", () => {
  it("is terminated two weeks after its suspension: its machine is gone, its unit is free, its events stay", async () => {
    const shop = await withBoughtServer();
    const { serverId, servers, unitsLeft, ends } = shop;
    await letExpire(shop);
    const { ipAddress, terminatesAt = "" } = (await servers.getServer({ serverId })).server ?? {};
    expect(terminatesAt.slice(0, 10)).toBe("2027-03-15");
    expect([await unitsLeft(), await shop.service.runDueWork(), await ends()]).toEqual([9, 0, []]);
    shop.clock.moveTo(twoWeeksLater);
    await shop.service.runDueWork();
    await eventually(async () => {
      expect(await ends()).toEqual(["ServerTerminationBegun", "ServerTerminated"]);
      expect(await unitsLeft()).toBe(10);
      expect((await servers.listServers({})).servers).toEqual([]);
    });
    expect(shop.nodeOf(serverId)).toBeUndefined();
    await expect(servers.getServer({ serverId })).rejects.toThrow("There is no such server");
    expect(await shop.staff().reconcileServers({})).toMatchObject({ differences: [] });
    const { planId, regionId } = shop;
    const next = await servers.orderServer({ planId, regionId, distroId: 1n });
    expect(shop.nodeOf(next.serverId)?.ipAddress).toBe(ipAddress);
  });

  it("is left its two weeks by a process that finds it expired a year late", async () => {
    const shop = await withBoughtServer();
    await shop.service.close();
    shop.clock.moveTo("2028-06-01T00:00:00.000000Z");
    const later = await shop.start();
    await later.service.runDueWork();
    await later.service.runDueWork();
    expect(await shop.ends()).toEqual([]);
    expect(shop.nodeOf(shop.serverId)).toBeDefined();
  });

  it("is terminated once, and its unit is freed once, even by two concurrent processes", async () => {
    const shop = await withBoughtServer();
    const other = await shop.start();
    await letExpire(shop);
    shop.clock.moveTo(twoWeeksLater);
    const looks = [shop.service, other.service, shop.service];
    await Promise.all(looks.map((service) => service.runDueWork()));
    await eventually(async () => {
      expect(await shop.ends()).toEqual(["ServerTerminationBegun", "ServerTerminated"]);
    });
    await Promise.all(looks.map((service) => service.inspectNodes()));
    expect(await shop.ends()).toHaveLength(2);
    expect(await shop.unitsLeft()).toBe(10);
  });

  it("is not reported as gone before the provider destroyed it, which any process tries until it succeeds", async () => {
    const breaker = new ComputeBreaker();
    const shop = await withBoughtServer({ compute: breaker.wrap });
    breaker.broken.set("destroy", unknown("No answer"));
    await letExpire(shop);
    shop.clock.moveTo(twoWeeksLater);
    await shop.service.runDueWork();
    await shop.service.inspectNodes();
    expect([await shop.ends(), await shop.unitsLeft()]).toEqual([["ServerTerminationBegun"], 9]);
    const { server } = await shop.servers.getServer({ serverId: shop.serverId });
    expect(server).toMatchObject({ status: "terminating", suspended: false });
    await expect(shop.servers.renewServer({ serverId: shop.serverId })).rejects.toThrow("not ready");
    await expect(shop.servers.getFirewall({ serverId: shop.serverId })).rejects.toThrow("not ready");
    await shop.service.close();
    await shop.start();
    await eventually(async () => {
      expect(await shop.ends()).toEqual(["ServerTerminationBegun", "ServerTerminated"]);
    });
    expect(shop.nodeOf(shop.serverId)).toBeUndefined();
  });

  it("has one staff ticket if its machine is not destroyed for minutes", async () => {
    const breaker = new ComputeBreaker();
    const shop = await withBoughtServer({ compute: breaker.wrap });
    const { store, clock, sandbox, serverId } = shop;
    breaker.broken.set("destroy", unknown("?"));
    await shop.staff().terminateServer({ serverId });
    await shop.service.close();
    const commands = createCommandHandler({ store, recordedBy: "spec" });
    const compute = breaker.wrap(sandbox.compute);
    const work = serverNodeWork({ commands, compute, installation: namedInstallation(), clock });
    const attemptAfter = async (attempts: number): Promise<void> => {
      const key = String(serverId);
      const at = clock.now();
      const reported = { kind: work.name, key, reason: "?", failing_since: at, failed_at: at, retry_at: at };
      const attended = await work.attend(key, {
        now: () => at,
        isTimeTrusted: () => true,
        signal: new AbortController().signal,
        failure: { ...reported, effect: "destroy", attempts },
      });
      expect(attended).toMatchObject({ end: "failed", effect: "destroy", attempts: attempts + 1 });
    };
    const ticketOf = async (): Promise<readonly string[]> => {
      const requested: string[] = [];
      for await (const { type } of store.read(`ticketcause-termination-${String(serverId)}`))
        requested.push(type);
      return requested;
    };
    await attemptAfter(8);
    expect(await ticketOf()).toEqual([]);
    for (const attempts of [9, 10]) await attemptAfter(attempts);
    expect(await ticketOf()).toEqual(["StaffTicketRequested.v1"]);
    expect(sandbox.show().compute).toHaveLength(1);
  });
});
