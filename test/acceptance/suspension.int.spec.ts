import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";

/** Suspension by staff: its effects, the operations that remain, and its end (specification §1, §2.1, §4.6). */

let shop: Shop;

const clock = virtualClock();
const dayMs = 86_400_000;

beforeAll(async () => {
  shop = await openShop({ clock });
});

afterAll(() => shop.close());

describe("a domain that staff suspend", () => {
  it("does not resolve, can be renewed, and resolves again after the suspension", async () => {
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
    await domains.setDomainSuspension({
      domainId: BigInt(id),
      suspended: true,
      reason: "The bank complained",
    });
    expect((await domains.showDomain({ domain: String(id) })).domain).toMatchObject({
      suspensionReason: "The bank complained",
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

  it("without a reason runs again after its renewal with the surcharge", async () => {
    const id = await shop.provision();
    await shop.instance.staff.servers.setServerSuspension({ serverId: BigInt(id), suspended: true });
    expect(await renew(id)).toMatchObject({ status: 200, cents: 1_099, server: { status: "active" } });
  });

  const reason = "Sends unwanted mail";
  const hold = async (id: number): Promise<void> => {
    const { servers } = shop.instance.staff;
    const { held } = await servers.setServerSuspension({
      serverId: BigInt(id),
      suspended: true,
      reason,
      note: "Ticket 17",
    });
    expect(held).toBe(true);
  };

  const release = (id: number) =>
    shop.instance.staff.servers.setServerSuspension({ serverId: BigInt(id), suspended: false });

  it("with a reason is on hold: the customer reads the reason, cannot renew and is not charged", async () => {
    const id = await shop.provision();
    await hold(id);
    const answer = await renew(id);
    expect(answer).toMatchObject({
      status: 409,
      body: { status: false, code: "server_held", reason },
      cents: 0,
    });
    expect(objectOf(answer.body).error).toContain(reason);
    const { body } = await shop.owner.get(`/servers/${String(id)}`);
    expect(body).toMatchObject({ status: "suspended", held: true, hold_reason: reason, terminates_at: null });
    expect(JSON.stringify([answer.body, body])).not.toContain("Ticket 17");
    expect(await shop.owner.post(`/servers/${String(id)}/cancel`, { at: "now" })).toMatchObject({
      status: 409,
      body: { code: "server_held", reason },
    });
    const { servers } = shop.instance.staff;
    expect((await servers.showServer({ serverId: BigInt(id) })).server).toMatchObject({
      held: true,
      holdReason: reason,
      staffReason: "Ticket 17",
    });
  });

  it("gets a later note and reason from staff, and the customer reads the reason only", async () => {
    const id = await shop.provision();
    const serverId = BigInt(id);
    const { servers } = shop.instance.staff;
    const say = (words: object) => servers.setServerSuspension({ serverId, suspended: true, ...words });
    const shown = async () => (await servers.showServer({ serverId })).server;
    await say({});
    expect(await say({ note: "Ticket 17" })).toMatchObject({ held: false, repeated: false });
    expect(await say({ note: "Ticket 17" })).toMatchObject({ repeated: true });
    expect(await shown()).toMatchObject({ held: false, staffReason: "Ticket 17" });
    expect(await say({ reason })).toMatchObject({ held: true, repeated: false });
    expect(await shown()).toMatchObject({ held: true, holdReason: reason, staffReason: "Ticket 17" });
    const before = (await shop.owner.get(`/servers/${String(id)}`)).body;
    await say({ note: "Ticket 18" });
    expect(await shown()).toMatchObject({ held: true, holdReason: reason, staffReason: "Ticket 18" });
    expect((await shop.owner.get(`/servers/${String(id)}`)).body).toEqual(before);
  });

  it("runs again after staff release it, and is renewed without a surcharge", async () => {
    const id = await shop.provision();
    await hold(id);
    await release(id);
    const { body } = await shop.owner.get(`/servers/${String(id)}`);
    expect(body).toMatchObject({ status: "active", held: false, hold_reason: null });
    expect(await renew(id)).toMatchObject({ status: 200, cents: 999, server: { status: "active" } });
  });

  it("is renewed automatically only after staff release the hold", async () => {
    const { owner } = shop;
    const id = await shop.provision();
    const path = `/servers/${String(id)}`;
    await owner.put(`${path}/settings`, { auto_renew: true });
    await hold(id);
    const before = await balanceOf(owner);
    clock.advance(60 * dayMs);
    expect((await owner.get(path)).body).toMatchObject({ status: "suspended", held: true });
    expect(await balanceOf(owner)).toBe(before);
    await release(id);
    await eventually(clock, async () => {
      expect(Number(before) - Number(await balanceOf(owner))).toBeCloseTo(9.99);
    });
    expect((await owner.get(path)).body).toMatchObject({ status: "active" });
  });

  it("remains for seven days after its release, although its paid time has ended", async () => {
    const { owner } = shop;
    const id = await shop.provision();
    const path = `/servers/${String(id)}`;
    await owner.post(`${path}/cancel`, { at: "end_of_term" });
    await hold(id);
    clock.advance(60 * dayMs);
    expect((await owner.get(path)).body).toMatchObject({ status: "suspended", held: true });
    await release(id);
    await eventually(clock, async () => {
      expect((await owner.get(path)).body).toMatchObject({ status: "suspended", held: false });
    });
    clock.advance(6.9 * dayMs);
    expect((await owner.get(path)).body).toMatchObject({ status: "suspended" });
    clock.advance(0.2 * dayMs);
    await eventually(clock, async () => {
      expect((await owner.get(path)).status).toBe(404);
    });
  });
});
