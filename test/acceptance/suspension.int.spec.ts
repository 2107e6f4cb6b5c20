import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";

/** Suspension by staff: what it stops, what stays possible, and who lifts it (specification §1, §2.1, §4.6). */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ clock: virtualClock() });
});

afterAll(() => shop.close());

describe("a domain that staff suspend", () => {
  it("does not resolve, can be renewed, and resolves when they lift that", async () => {
    const { domains } = shop.instance.staff;
    const id = await registerName(shop.owner, "suspended.com");
    const held = async () =>
      (await domains.showSandbox({})).registrar.find(({ name }) => name === "suspended.com")?.hold;
    const reason = "A copy of a bank's pages";
    await domains.setDomainSuspension({ domainId: BigInt(id), suspended: true, reason });
    expect(await held()).toBe(true);
    const path = `/domains/${String(id)}`;
    expect(await shop.owner.get(path)).toMatchObject({ body: { status: "suspended" } });
    expect(await shop.owner.post(`${path}/dns`, { type: "A", name: "a", value: "192.0.2.1" })).toMatchObject({
      status: 409,
      body: { code: "domain_not_active" },
    });
    expect(await shop.owner.post(`${path}/renew`, { years: 1 })).toMatchObject({
      status: 200,
      body: { domain: { status: "suspended" } },
    });
    expect(await held()).toBe(true);
    expect((await domains.showDomain({ domain: String(id) })).domain).toMatchObject({
      suspensionReason: reason,
      offline: true,
    });
    await domains.setDomainSuspension({ domainId: BigInt(id), suspended: false });
    expect(await held()).toBe(false);
    expect(await shop.owner.get(path)).toMatchObject({ body: { status: "active" } });
  });
});

describe("a server that staff suspend", () => {
  const renew = async (id: number) => {
    const before = Number(await balanceOf(shop.owner));
    const answer = await shop.owner.post(`/servers/${String(id)}/renew`, { duration: 1 });
    const cents = Math.round((before - Number(await balanceOf(shop.owner))) * 100);
    const { body } = await shop.owner.get(`/servers/${String(id)}`);
    return { ...answer, cents, server: body };
  };

  it("runs again once it is renewed, with the surcharge, where they gave no reason", async () => {
    const id = await shop.provision();
    await shop.instance.staff.servers.setServerSuspension({ serverId: BigInt(id), suspended: true });
    expect(await renew(id)).toMatchObject({ status: 200, cents: 1_099, server: { status: "active" } });
  });

  it("stays suspended for a reason of theirs, however often it is renewed, and pays the surcharge once", async () => {
    const { servers } = shop.instance.staff;
    const id = await shop.provision();
    const serverId = BigInt(id);
    await servers.setServerSuspension({ serverId, suspended: true, reason: "Sends unwanted mail" });
    expect(await renew(id)).toMatchObject({ status: 200, cents: 1_099, server: { suspended: true } });
    expect(await renew(id)).toMatchObject({ status: 200, cents: 999, server: { status: "suspended" } });
    expect((await servers.showServer({ serverId })).server).toMatchObject({
      staffReason: "Sends unwanted mail",
    });
    const { compute } = await shop.instance.staff.domains.showSandbox({});
    expect(compute.find(({ name }) => name === `server-${String(id)}`)?.running).toBe(false);
    await servers.setServerSuspension({ serverId, suspended: false });
    expect(await shop.owner.get(`/servers/${String(id)}`)).toMatchObject({ body: { status: "active" } });
  });
});
