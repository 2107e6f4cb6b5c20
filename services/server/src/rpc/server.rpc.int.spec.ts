import { describe, expect, it } from "vitest";
import { refusalOf } from "@hostledger/rpc/testing";
import { defined } from "@hostledger/runtime";

import { eventually, giveServer, openShop, type Customer } from "../server-service.fixture.ts";

async function openWithServers(count: number) {
  const shop = await openShop();
  const customer = shop.customer();
  const { planId, regionId } = shop;
  const accountId = BigInt(customer.accountId);
  const ids: bigint[] = [];
  for (let made = 0; made < count; made += 1)
    ids.push(await giveServer(shop, { accountId, planId, regionId }));
  return { ...shop, ...customer, ids, serverId: ids[0] ?? 0n };
}

describe("lists", () => {
  it("show the caller's servers, oldest first, by page", async () => {
    const { servers, customer, ids } = await openWithServers(3);
    const idsOf = async (page?: { afterId: bigint; limit: number }): Promise<bigint[]> => {
      const list = await servers.listServers(defined({ page }));
      return list.servers.map(({ id }) => id);
    };
    const [first = 0n, second = 0n, third = 0n] = ids;
    expect(await idsOf()).toEqual([first, second, third]);
    expect(await idsOf({ afterId: 0n, limit: 2 })).toEqual([first, second]);
    expect(await idsOf({ afterId: second, limit: 2 })).toEqual([third]);
    expect(await idsOf({ afterId: third, limit: 2 })).toEqual([]);
    expect(await idsOf({ afterId: 0n, limit: 0 })).toEqual(ids);
    for (const page of [
      { afterId: -5n, limit: 1 },
      { afterId: 2n ** 62n, limit: 1 },
      { afterId: 0n, limit: 1_002 },
    ])
      expect(await refusalOf(idsOf(page))).toMatchObject({ code: "validation-failed" });
    expect((await customer().servers.listServers({})).servers).toEqual([]);
  });

  it("show the catalogue to every customer, and to no other caller", async () => {
    const { catalogue, customer, planId, regionId } = await openShop({ units: 7 });
    const mine = customer().catalogue;
    const plan = { id: planId, title: "Small", cores: 2, memoryGb: 4, storageGb: 40, priceCents: 1_000n };
    const region = { id: regionId, code: "fra1", location: "Frankfurt" };
    expect((await mine.listPlans({})).plans).toMatchObject([plan]);
    expect((await mine.listPlans({ page: { afterId: planId, limit: 10 } })).plans).toEqual([]);
    expect((await mine.listRegions({})).regions).toMatchObject([region]);
    expect((await mine.listRegions({ page: { afterId: regionId, limit: 10 } })).regions).toEqual([]);
    expect((await mine.listStock({})).entries).toMatchObject([{ plan, region, units: 7 }]);
    expect((await mine.listDistros({})).distros[0]).toMatchObject({ id: 1n, name: "Debian", version: "13" });
    for (const call of ["listPlans", "listRegions", "listDistros", "listStock"] as const) {
      const refusal = await refusalOf(catalogue({ kind: "staff", name: "ada" })[call]({}));
      expect(refusal.code).toBe("unauthorized");
    }
  });
});

describe("updateHostname", () => {
  it.each([
    ["web-1", "web-1"],
    ["web-1.example.com", "web-1.example.com"],
    ["a".repeat(63), "a".repeat(63)],
    ["ab", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%s is shown as %s", async (hostname, expected) => {
    const { servers, serverId } = await openWithServers(1);
    await servers.updateHostname({ serverId, hostname: "before" });
    const answer = await servers.updateHostname({
      serverId,
      ...defined({ hostname }),
    });
    expect(answer.hostname).toBe(expected);
    expect((await servers.getServer({ serverId })).server?.hostname).toBe(expected);
  });

  it.each(["a".repeat(64), "-web", "web-", "we b", "web..de", "ümlaut"])("refuses %s", async (hostname) => {
    const { servers, serverId, store } = await openWithServers(1);
    const before = await store.lastPosition();
    const refusal = await refusalOf(servers.updateHostname({ serverId, hostname }));
    expect(refusal.detail?.fieldErrors).toHaveProperty("hostname");
    expect(await store.lastPosition()).toBe(before);
  });
});

describe("a server", () => {
  const calls: Readonly<Record<string, (customer: Customer, serverId: bigint) => Promise<unknown>>> = {
    getServer: ({ servers }, serverId) => servers.getServer({ serverId }),
    renewServer: ({ servers }, serverId) => servers.renewServer({ serverId }),
    toggleFirewall: ({ servers }, serverId) => servers.toggleFirewall({ serverId, enable: false }),
    getFirewall: ({ servers }, serverId) => servers.getFirewall({ serverId }),
    addFirewallRule: ({ servers }, serverId) =>
      servers.addFirewallRule({ serverId, action: "DROP", type: "in" }),
    removeFirewallRule: ({ servers }, serverId) => servers.removeFirewallRule({ serverId, pos: 0 }),
    updateHostname: ({ servers }, serverId) => servers.updateHostname({ serverId, hostname: "mine" }),
  };

  it.each(Object.entries(calls))("of another account refuses %s and stays unchanged", async (_name, call) => {
    const { customer, serverId, store } = await openWithServers(1);
    const before = await store.lastPosition();
    expect(await refusalOf(call(customer(), serverId))).toMatchObject({
      code: "unauthorized",
      message: "This action is unauthorized.",
    });
    expect(await store.lastPosition()).toBe(before);
  });

  it.each(Object.entries(calls))("that is missing refuses %s", async (_name, call) => {
    const { customer } = await openWithServers(0);
    for (const id of [0n, -1n, 12_345n, 2n ** 62n])
      expect(await refusalOf(call(customer(), id))).toMatchObject({ code: "not-found" });
  });

  it("is listed while it is provisioned, and can only be read", async () => {
    const shop = await openShop({
      compute: (compute) => ({ ...compute, provision: () => new Promise(() => undefined) }),
    });
    const customer = shop.customer();
    const { planId, regionId } = shop;
    void customer.servers.orderServer({ planId, regionId, distroId: 1n }).catch(() => undefined);
    const found = await eventually(async () => {
      const [first] = (await customer.servers.listServers({})).servers;
      if (first === undefined) throw new Error("not there yet");
      return first;
    });
    expect(found).toMatchObject({ status: "provisioning", suspended: false, ipAddress: "" });
    expect(found.expiryDate).toMatch(/^2027-02-28T10:00/);
    for (const [name, call] of Object.entries(calls)) {
      if (name === "getServer") continue;
      const refusal = await refusalOf(call(customer, found.id));
      expect([name, refusal.code]).toEqual([name, "server-not-active"]);
    }
  });
});
