import { addMonthsOnDay } from "@hostledger/core";
import { refused } from "@hostledger/providers";
import { rejectionOf } from "@hostledger/rpc";
import { refusalOf } from "@hostledger/rpc/testing";
import { defined } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import {
  allRunsEnded,
  asOperation,
  ComputeBreaker,
  eventually,
  giveServer,
  openShop,
  type InstanceOptions,
} from "../server-service.fixture.ts";

async function rent(options: InstanceOptions & { balanceCents?: bigint } = {}) {
  const { balanceCents = 100_000n, ...instance } = options;
  const shop = await openShop(instance);
  const customer = shop.customer(balanceCents);
  const { planId, regionId } = shop;
  const accountId = BigInt(customer.accountId);
  const gift = { accountId, planId, regionId, whitelisted: true };
  const serverId = await giveServer(shop, gift);
  return { ...shop, ...customer, serverId };
}

describe("renewServer", () => {
  it("charges the plan's price and moves the expiry by that many months", async () => {
    const { servers, serverId, accountId, accounts } = await rent();
    const answer = await servers.renewServer({ serverId, duration: 2 });
    expect(answer).toMatchObject({ amountChargedCents: 2_000n, invoiceId: 101n });
    expect(answer.newExpiryDate).toMatch(/^2027-04-30T10:00/);
    expect(answer.server).toMatchObject({
      id: serverId,
      ipAddress: "192.0.2.1",
      expiryDate: answer.newExpiryDate,
      suspended: false,
    });
    expect(accounts.balanceOf(accountId)).toBe(98_000n);
    expect(accounts.standing).toMatchObject([
      { request: { action: "renewal", duration: 2, serverId: Number(serverId), pricesIncludeVat: true } },
    ]);
  });

  it.each([
    [undefined, 1_000n],
    [3, 2_850n],
    [6, 5_400n],
    [11, 11_000n],
    [12, 10_200n],
  ])("for %s months costs %s cents", async (duration, cents) => {
    const { servers, serverId } = await rent();
    const answer = await servers.renewServer({ serverId, ...defined({ duration }) });
    expect(answer.amountChargedCents).toBe(cents);
  });

  it.each([0, 13, 4_294_967_295])("refuses %s months", async (duration) => {
    const { servers, serverId, store } = await rent();
    const before = await store.lastPosition();
    const refusal = await refusalOf(servers.renewServer({ serverId, duration }));
    expect(refusal.detail?.fieldErrors).toHaveProperty("duration");
    expect(await store.lastPosition()).toBe(before);
  });

  it("refuses a price above the balance, to the cent, and writes nothing", async () => {
    const { servers, serverId, store } = await rent({ balanceCents: 999n });
    const before = await store.lastPosition();
    expect(await refusalOf(servers.renewServer({ serverId }))).toMatchObject({
      code: "insufficient-balance",
      detail: { requiredCents: 1_000n, availableCents: 999n },
    });
    expect(await store.lastPosition()).toBe(before);
  });

  it("is refused while as many renewals are under way as may be", async () => {
    const shop = await openShop();
    const { accountId } = shop.customer();
    const { planId, regionId } = shop;
    const gift = { accountId: BigInt(accountId), planId, regionId };
    const serverId = await giveServer(shop, gift);
    const full = await shop.start({ activeRuns: 0 });
    const { servers } = { servers: full.servers({ kind: "account", accountId, keyId: 1 }) };
    expect(await refusalOf(servers.renewServer({ serverId }))).toMatchObject({ code: "overloaded" });
    expect(shop.accounts.charges.size).toBe(0);
  });

  it("makes a suspended server active again, with the surcharge, at the node too", async () => {
    const { servers, serverId, staff, nodeOf } = await rent();
    await staff().setServerSuspension({ serverId, suspended: true });
    const answer = await servers.renewServer({ serverId, duration: 3 });
    expect(answer.amountChargedCents).toBe(3_135n);
    expect(answer.server).toMatchObject({ suspended: false, status: "active" });
    await eventually(() => {
      expect(nodeOf(serverId)?.running).toBe(true);
    });
  });

  it("answers before the node has started, which is tried until it does", async () => {
    const breaker = new ComputeBreaker();
    const { servers, serverId, staff, nodeOf } = await rent({ compute: breaker.wrap });
    await staff().setServerSuspension({ serverId, suspended: true });
    breaker.broken.set("resume", refused("unreachable", "No connection"));
    const answer = await servers.renewServer({ serverId });
    expect(answer.server?.suspended).toBe(false);
    expect(nodeOf(serverId)?.running).toBe(false);
    breaker.broken.clear();
    await eventually(() => {
      expect(nodeOf(serverId)?.running).toBe(true);
    });
  });

  it("of a server that expired long ago counts from now, with today's day", async () => {
    const { servers, serverId, clock, service } = await rent();
    clock.moveTo("2027-04-14T08:00:00.000000Z");
    await service.runDueWork();
    const answer = await servers.renewServer({ serverId });
    expect(answer.amountChargedCents).toBe(1_100n);
    expect(answer.newExpiryDate).toMatch(/^2027-05-14T08:00/);
  });

  it("from 31 January falls on the last day of February and again on 31 March", async () => {
    const { servers, serverId, clock } = await rent();
    const days: string[] = [];
    for (const month of ["2027-02-20", "2027-03-20", "2027-04-20", "2027-05-20"]) {
      clock.moveTo(`${month}T10:00:00.000000Z`);
      days.push((await servers.renewServer({ serverId })).newExpiryDate.slice(0, 10));
    }
    expect(days).toEqual(["2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30"]);
  });

  it("falls on 29 February in a leap year", async () => {
    const shop = await openShop({ start: "2027-12-31T10:00:00.000000Z" });
    const { servers, accountId } = shop.customer();
    const { planId, regionId } = shop;
    const gift = { accountId: BigInt(accountId), planId, regionId };
    const serverId = await giveServer(shop, gift);
    expect((await servers.renewServer({ serverId })).newExpiryDate).toMatch(/^2028-02-29T/);
    expect((await servers.renewServer({ serverId })).newExpiryDate).toMatch(/^2028-03-31T/);
  });
});

describe("a renewal that is made again as the same operation", () => {
  it("finds the first one: after its success, also after another one", async () => {
    const { servers, serverId, accounts } = await rent({ balanceCents: 2_500n });
    const first = await servers.renewServer({ serverId }, asOperation("op-1"));
    await servers.renewServer({ serverId }, asOperation("op-2"));
    const again = await servers.renewServer({ serverId }, asOperation("op-1"));
    expect(again).toMatchObject({
      invoiceId: first.invoiceId,
      amountChargedCents: first.amountChargedCents,
      newExpiryDate: first.newExpiryDate,
    });
    expect(accounts.charges.size).toBe(2);
  });

  it("finds the first one: after the account refused it", async () => {
    const { servers, serverId, accounts, accountId } = await rent({ balanceCents: 1_000n });
    accounts.beforeCharge = () => {
      accounts.open(accountId, 5n);
    };
    for (const attempt of [1, 2]) {
      const refusal = await refusalOf(servers.renewServer({ serverId }, asOperation("op-1")));
      expect([attempt, refusal.code]).toEqual([attempt, "insufficient-balance"]);
      accounts.open(accountId, 100_000n);
    }
    expect(accounts.charges.size).toBe(0);
  });

  it("finds the first one: while it is in progress, and in another process", async () => {
    const shop = await rent();
    const { serverId, accountId } = shop;
    const other = await shop.start();
    const caller = { kind: "account", accountId, keyId: 1 } as const;
    const clients = [shop.servers, shop.servers, other.servers(caller)];
    const answers = await Promise.allSettled(
      clients.map((client) => client.renewServer({ serverId }, asOperation("op-1"))),
    );
    expect(answers.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    await allRunsEnded(shop);
    const again = await shop.servers.renewServer({ serverId }, asOperation("op-1"));
    expect(again.newExpiryDate).toMatch(/^2027-03-31T/);
    expect(shop.accounts.charges.size).toBe(1);
  });
});

describe("two renewals of one server", () => {
  it("are sequential: the second is refused while the first is in progress", async () => {
    const { servers, serverId, accounts } = await rent();
    const refusals: unknown[] = [];
    accounts.beforeCharge = async () => {
      accounts.beforeCharge = () => undefined;
      refusals.push(await refusalOf(servers.renewServer({ serverId }, asOperation("op-2"))));
    };
    await servers.renewServer({ serverId }, asOperation("op-1"));
    expect(refusals).toMatchObject([
      { code: "renewal-in-flight", message: "Another renewal of the server is in flight." },
    ]);
    expect(accounts.standing).toHaveLength(1);
  });

  it("pay one surcharge for one suspension", async () => {
    const { servers, serverId, staff, accounts } = await rent();
    await staff().setServerSuspension({ serverId, suspended: true });
    await Promise.allSettled([
      servers.renewServer({ serverId }, asOperation("op-1")),
      servers.renewServer({ serverId }, asOperation("op-2")),
    ]);
    await servers.renewServer({ serverId }, asOperation("op-3"));
    const amounts = accounts.standing.map(({ grossCents }) => grossCents);
    // The second renewal may run after the first, or be refused because the first is running.
    expect([2, 3]).toContain(amounts.length);
    expect(amounts.filter((amount) => amount === 1_100n)).toHaveLength(1);
    expect(amounts.filter((amount) => amount === 1_000n)).toHaveLength(amounts.length - 1);
  });

  it("complete if the first began before the hold, and do not begin after it", async () => {
    const { servers, serverId, staff, accounts, accountId } = await rent({ balanceCents: 5_000n });
    accounts.beforeCharge = async () => {
      await staff().setServerSuspension({ serverId, suspended: true, reason: "abuse" });
    };
    const first = await servers.renewServer({ serverId }, asOperation("op-1"));
    expect(first).toMatchObject({ amountChargedCents: 1_000n, server: { suspended: true, held: true } });
    expect(await refusalOf(servers.renewServer({ serverId }, asOperation("op-2")))).toMatchObject({
      code: "server-held",
      detail: { reason: "abuse" },
    });
    expect(accounts.balanceOf(accountId)).toBe(4_000n);
  });

  it("may follow a failed one", async () => {
    const { servers, serverId, accounts, accountId } = await rent({ balanceCents: 1_000n });
    accounts.beforeCharge = () => {
      accounts.open(accountId, 5n);
    };
    await refusalOf(servers.renewServer({ serverId }, asOperation("op-1")));
    accounts.beforeCharge = () => undefined;
    accounts.open(accountId, 100_000n);
    await servers.renewServer({ serverId }, asOperation("op-2"));
    expect(accounts.standing).toHaveLength(1);
  });
});

describe("500 toggles, renewals and host names of one server at once", () => {
  it("lose nothing: the node follows the last toggle, one renewal runs at a time, each is charged once", async () => {
    const shop = await rent({ balanceCents: 10_000_000n });
    const { servers, serverId, accounts, nodeOf, storedEventsOf: eventsOf } = shop;
    const calls = Array.from({ length: 500 }, (_, index) => [
      servers.toggleFirewall({ serverId, enable: index % 3 === 0 }),
      servers.renewServer({ serverId }),
      servers.updateHostname({ serverId, hostname: `host-${String(index)}` }),
    ]);
    const answers = await Promise.allSettled(calls.flat());
    const refusals = answers.flatMap((answer): unknown[] =>
      answer.status === "rejected" ? [answer.reason] : [],
    );
    for (const refusal of refusals) expect(rejectionOf(refusal).code).toBe("renewal-in-flight");

    const events = await eventsOf(`server-${String(serverId)}`);
    const renewals = events.filter((event) => event.type === "ServerRenewed");
    expect(renewals.length).toBeGreaterThan(0);
    expect(renewals).toHaveLength(500 - refusals.length);
    expect(new Set(renewals.map(({ data }) => data.chargeId))).toHaveLength(renewals.length);
    expect(accounts.standing).toHaveLength(renewals.length);
    // 31 January 2027 plus the gift's month plus a month per renewal.
    const expiry = addMonthsOnDay("2027-01-31T10:00:00.000000Z", 1 + renewals.length, 31);
    expect((await servers.getServer({ serverId })).server?.expiryDate.slice(0, 10)).toBe(expiry.slice(0, 10));
    const names = events.filter((event) => event.type === "HostnameChanged");
    expect(new Set(names.map(({ data }) => data.hostname))).toHaveLength(500);
    const last = events.findLast((event) => event.type === "FirewallToggled");
    await eventually(() => {
      expect(nodeOf(serverId)?.firewall.enabled).toBe(last?.data.enabled);
    });
  });
});
