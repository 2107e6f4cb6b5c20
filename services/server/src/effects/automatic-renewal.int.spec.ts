import { addMilliseconds, failuresBeforeTicket, TemporarilyUnavailableError } from "@hostledger/core";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import {
  allRunsEnded,
  asOperation,
  eventually,
  openShop,
  type InstanceOptions,
} from "../server-service.fixture.ts";

/** Tests automatic renewal of servers at ten euros a month, bought at the end of January until the end of February. */

const dayMs = 86_400_000;

function after(instant = "", milliseconds: number): string {
  return addMilliseconds(instant, milliseconds);
}

async function renewingServer(balanceCents: bigint, options: InstanceOptions = {}) {
  const shop = await openShop(options);
  const customer = shop.customer(balanceCents + 1_000n);
  const { planId, regionId } = shop;
  const { serverId, expiryDate } = await customer.servers.orderServer({ planId, regionId, distroId: 1n });
  await allRunsEnded(shop);
  let changes = 0;
  const set = (autoRenew: boolean) => {
    changes += 1;
    return customer.servers.updateServerSettings(
      { serverId, autoRenew },
      asOperation(`set-${String(changes)}`),
    );
  };
  await set(true);
  return {
    ...shop,
    ...customer,
    serverId,
    expiryDate,
    set,
    balance: () => shop.accounts.balanceOf(customer.accountId),
    show: async () => (await customer.servers.getServer({ serverId })).server,
    /** Moves the clock to some days before (negative) or after the first expiry, and runs the due work. */
    async at(days: number) {
      shop.clock.moveTo(after(expiryDate, days * dayMs));
      // Due work is read from the read model, so it must have caught up.
      await shop.caughtUp();
      await shop.service.runDueWork();
      await allRunsEnded(shop);
      await shop.service.runDueWork();
      await shop.caughtUp();
    },
    events: async () =>
      (await shop.typesOf(`server-${String(serverId)}`)).filter((type) => /Renew|Suspend/.test(type)),
  };
}

describe("a server that renews itself", () => {
  it("is renewed for a month in the week before it expires, once, and again a month later", async () => {
    const { at, show, balance, events, expiryDate } = await renewingServer(5_000n);
    await at(-7.01);
    expect(balance()).toBe(5_000n);
    await at(-7);
    await at(-3);
    expect(balance()).toBe(4_000n);
    expect(await show()).toMatchObject({ autoRenew: true, status: "active" });
    expect((await show())?.expiryDate.slice(0, 7)).toBe("2027-03");
    expect(await events()).toEqual(["ServerAutoRenewalChanged", "ServerRenewalBegun", "ServerRenewed"]);
    await at(31 - 7);
    expect(balance()).toBe(3_000n);
    expect(expiryDate.slice(0, 7)).toBe("2027-02");
  });

  it("waits while the keys of documents are missing, opens one ticket, and is renewed when they are back", async () => {
    const { accounts, at, balance, events, store } = await renewingServer(5_000n);
    const { requireDocumentKey } = accounts;
    accounts.requireDocumentKey = () => Promise.reject(new TemporarilyUnavailableError("No keys are there"));
    for (let attempt = 0; attempt <= failuresBeforeTicket; attempt += 1) await at(-7 + attempt / 24);
    expect(balance()).toBe(5_000n);
    expect(await events()).toEqual(["ServerAutoRenewalChanged"]);
    const tickets: string[] = [];
    for await (const { data } of store.read("ticketcause-unanswered-terms-servers-2027-02-21"))
      tickets.push(data);
    expect(tickets).toHaveLength(1);
    expect(tickets[0]).toContain("No keys are there");
    accounts.requireDocumentKey = requireDocumentKey;
    await at(-6);
    expect(balance()).toBe(4_000n);
  });

  it("is not while the clock is not trusted, nor once it is turned off, cancelled, or suspended by staff", async () => {
    let trusted = false;
    const { at, balance, set, servers, serverId, staff } = await renewingServer(5_000n, {
      isTimeTrusted: () => trusted,
    });
    await at(-6);
    expect(balance()).toBe(5_000n);
    trusted = true;
    await set(false);
    await at(-5);
    await set(true);
    await servers.cancelServer({ serverId });
    await at(-4);
    expect((await set(true)).server).toMatchObject({ autoRenew: true, cancelled: false });
    await staff().setServerSuspension({ serverId, suspended: true });
    await at(-3);
    expect(balance()).toBe(5_000n);
    await staff().setServerSuspension({ serverId, suspended: false });
    await at(-2);
    expect(balance()).toBe(4_000n);
  });

  it("that cannot be paid is tried daily and at the moment of expiry, then suspended as any other", async () => {
    const { at, show, balance, events, service } = await renewingServer(999n);
    // Slightly later each day, because the next attempt is a day after the failure instead of the due time.
    for (let day = 7; day >= 1; day -= 1) await at(-day + (7 - day) / 1_000);
    const failures = async () => (await events()).filter((type) => type === "ServerRenewalFailed").length;
    expect([await failures(), balance()]).toEqual([7, 999n]);
    await service.runDueWork();
    expect([await failures(), (await show())?.status]).toEqual([7, "active"]);
    await at(0);
    expect([await failures(), (await show())?.status]).toEqual([8, "suspended"]);
    await at(1);
    expect(await failures()).toBe(8);
  });

  it("ends with an erasure: nothing is charged, and the server is suspended as any other", async () => {
    const { at, accounts, accountId, balance, events, show } = await renewingServer(5_000n);
    accounts.erased.add(accountId);
    await at(-7.01);
    await at(-7);
    expect(await events()).toEqual(["ServerAutoRenewalChanged", "ServerAutoRenewalChanged"]);
    await at(0);
    expect(await events()).not.toContain("ServerRenewalFailed");
    expect([(await show())?.status, balance()]).toEqual(["suspended", 5_000n]);
  });

  it("is tried as soon as the balance suffices, and is charged once", async () => {
    const { at, accounts, accountId, balance, service, clock } = await renewingServer(0n);
    await at(-7);
    expect(balance()).toBe(0n);
    accounts.open(accountId, 1_000n);
    clock.moveTo(after(clock.now(), 3_600_000));
    await eventually(async () => {
      await service.runDueWork();
      expect(balance()).toBe(0n);
    });
    await at(-5);
    expect(balance()).toBe(0n);
  });

  it("is tried as soon as the balance suffices, however many others wait", async () => {
    const shop = await openShop();
    const { planId, regionId, clock, accounts, service } = shop;
    const poor = shop.customer(0n);
    const gifted = async ({ accountId, servers }: typeof poor) => {
      const gift = { accountId: BigInt(accountId), planId, regionId, months: 1 };
      const { serverId } = await shop.staff().provisionServer(gift);
      await shop.caughtUp();
      await servers.updateServerSettings({ serverId, autoRenew: true });
      return servers.getServer({ serverId });
    };
    // More than one page.
    for (let count = 0; count < 101; count += 1) await gifted(poor);
    const payer = shop.customer(0n);
    const { server } = await gifted(payer);
    clock.moveTo(after(server?.expiryDate, -dayMs));
    await eventually(async () => {
      await service.runDueWork();
      expect(await shop.typesOf(`server-${String(server?.id)}`)).toContain("ServerRenewalFailed");
    });
    // Payers are looked up every half minute of the clock, which does not advance by itself here.
    await shop.caughtUp();
    accounts.open(payer.accountId, 1_000n);
    clock.moveTo(after(clock.now(), 3_600_000));
    await eventually(async () => {
      await service.runDueWork();
      expect(accounts.balanceOf(payer.accountId)).toBe(0n);
    });
  });

  it("is tried once by all that look at the same time, and an account that is closed is not charged", async () => {
    const shop = await renewingServer(5_000n);
    const other = await shop.start();
    shop.clock.moveTo(after(shop.expiryDate, -dayMs));
    await Promise.all([shop.service, other.service, shop.service].map((service) => service.runDueWork()));
    await allRunsEnded(shop);
    expect(shop.balance()).toBe(4_000n);
  });
});

describe("the setting", () => {
  it("is refused after the paid time, and a repeated request gets its first answer", async () => {
    const { servers, serverId, set, at } = await renewingServer(0n);
    await set(false);
    const again = await servers.updateServerSettings({ serverId, autoRenew: true }, asOperation("set-1"));
    expect(again.server).toMatchObject({ autoRenew: false });
    await at(1);
    expect(await refusalOf(set(true))).toMatchObject({ code: "server-not-active" });
    expect((await set(false)).server).toMatchObject({ autoRenew: false, status: "suspended" });
  });
});
