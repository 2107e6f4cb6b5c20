import { describe, expect, it } from "vitest";
import { refusalOf } from "@hostledger/rpc/testing";

import { allRunsEnded, asOperation, eventually, openShop, stockUp } from "../server-service.fixture.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g me@example";

describe("orderServer", () => {
  it("charges, provisions and answers with the server, its invoice and its expiry", async () => {
    const { customer, planId, regionId, accounts, nodeOf } = await openShop();
    const { servers, catalogue, accountId } = customer(5_000n);
    const order = { planId, regionId, distroId: 1n, duration: 3, sshKey: key };
    const answer = await servers.orderServer(order);
    expect(answer).toMatchObject({ duration: 3, amountChargedCents: 3_000n, invoiceId: 101n });
    expect(answer.expiryDate).toMatch(/^2027-04-30T10:00/);
    expect(accounts.balanceOf(accountId)).toBe(2_000n);
    expect(accounts.standing).toMatchObject([
      {
        request: {
          action: "purchase",
          duration: 3,
          serverId: Number(answer.serverId),
          planId: Number(planId),
          pricesIncludeVat: true,
        },
      },
    ]);
    const { server } = await servers.getServer({ serverId: answer.serverId });
    expect(server).toMatchObject({
      status: "active",
      suspended: false,
      ipAddress: "192.0.2.1",
      node: "fra1-node-1",
      distro: "Debian 13",
      planId,
      expiryDate: answer.expiryDate,
    });
    expect(nodeOf(answer.serverId)).toMatchObject({ running: true, firewall: { enabled: true } });
    expect((await catalogue.listStock({})).entries).toMatchObject([{ units: 9 }]);
  });

  it("is for a month by default", async () => {
    const { customer, planId, regionId } = await openShop();
    const answer = await customer().servers.orderServer({ planId, regionId, distroId: 2n });
    expect(answer).toMatchObject({ duration: 1, amountChargedCents: 1_000n });
  });

  it.each([
    ["distro_id", { distroId: 99n }],
    ["distro_id", { distroId: -1n }],
    ["duration", { duration: 0 }],
    ["duration", { duration: 13 }],
    ["ssh_key", { sshKey: "ssh-ed25519 nonsense" }],
    ["ssh_key", { sshKey: "" }],
  ])("refuses a wrong %s", async (field, wrong) => {
    const { customer, planId, regionId, accounts } = await openShop();
    const order = { planId, regionId, distroId: 1n, ...wrong };
    const refusal = await refusalOf(customer().servers.orderServer(order));
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    expect(accounts.charges.size).toBe(0);
  });

  it.each([0n, -1n, 77n, 2n ** 62n])("refuses plan and region %s", async (id) => {
    const { customer, planId, regionId, store } = await openShop();
    const { servers } = customer();
    const before = await store.lastPosition();
    expect(await refusalOf(servers.orderServer({ planId: id, regionId, distroId: 1n }))).toMatchObject({
      code: "plan-not-found",
      detail: { fieldErrors: { plan_id: [expect.any(String)] } },
    });
    expect(await refusalOf(servers.orderServer({ planId, regionId: id, distroId: 1n }))).toMatchObject({
      code: "region-not-found",
      detail: { fieldErrors: { region_id: [expect.any(String)] } },
    });
    expect(await store.lastPosition()).toBe(before);
  });

  it("refuses without a free unit, before it checks the balance, and writes nothing", async () => {
    const shop = await openShop({ units: 0 });
    const { planId, regionId } = shop;
    const before = await shop.store.lastPosition();
    const poor = shop.customer(1n);
    const order = { planId, regionId, distroId: 1n };
    expect(await refusalOf(poor.servers.orderServer(order))).toMatchObject({ code: "out-of-stock" });
    expect(await shop.store.lastPosition()).toBe(before);
  });

  it("refuses a price above the balance, to the cent, and writes nothing", async () => {
    const { customer, planId, regionId, store } = await openShop();
    const before = await store.lastPosition();
    const { servers } = customer(1_999n);
    const order = { planId, regionId, distroId: 1n, duration: 2 };
    expect(await refusalOf(servers.orderServer(order))).toMatchObject({
      code: "insufficient-balance",
      detail: { requiredCents: 2_000n, availableCents: 1_999n },
    });
    expect(await store.lastPosition()).toBe(before);
  });

  it("is for customers only", async () => {
    const { servers, planId, regionId } = await openShop();
    const order = { planId, regionId, distroId: 1n };
    expect(await refusalOf(servers(undefined).orderServer(order))).toMatchObject({ code: "unauthenticated" });
    const service = servers({ kind: "service", name: "support" });
    expect(await refusalOf(service.orderServer(order))).toMatchObject({ code: "unauthorized" });
  });

  it("is refused while as many orders are under way as may be", async () => {
    const { customer, planId, regionId, accounts } = await openShop({ activeRuns: 0 });
    const refusal = await refusalOf(customer().servers.orderServer({ planId, regionId, distroId: 1n }));
    expect(refusal).toMatchObject({ code: "overloaded", detail: { retryAfterSeconds: 1 } });
    expect(accounts.charges.size).toBe(0);
  });
});

describe("an order that the compute party does not carry out", () => {
  it.each(["refused", "offline", "timeout"])(
    "%s: is refunded in full, and its unit goes back",
    async (label) => {
      const shop = await openShop();
      const { planId, regionId } = await stockUp(shop, 5, { title: `Plan ${label}` });
      const { servers, accountId, catalogue } = shop.customer(5_000n);
      const order = { planId, regionId, distroId: 1n };
      expect(await refusalOf(servers.orderServer(order))).toMatchObject({ code: "compute-failed" });
      await eventually(async () => {
        const { entries } = await catalogue.listStock({});
        expect(entries.find((entry) => entry.plan?.id === planId)).toMatchObject({ units: 5 });
      });
      expect(shop.accounts.balanceOf(accountId)).toBe(5_000n);
      expect(shop.accounts.standing).toEqual([]);
      // The answer reports the refund; the list follows the events.
      await eventually(async () => {
        expect((await servers.listServers({})).servers).toEqual([]);
      });
      expect(shop.sandbox.show().compute).toEqual([]);
      await allRunsEnded(shop);
    },
  );

  it("lost: the server is found, and is the customer's", async () => {
    const shop = await openShop();
    const { planId, regionId } = await stockUp(shop, 5, { title: "Plan lost" });
    const { servers } = shop.customer();
    const { serverId } = await servers.orderServer({ planId, regionId, distroId: 1n });
    expect((await servers.getServer({ serverId })).server?.status).toBe("active");
    expect(shop.accounts.standing).toHaveLength(1);
    expect(shop.nodeOf(serverId)).toMatchObject({ running: true });
  });

  it("limbo: ends in one of the two ways, never both", async () => {
    const shop = await openShop();
    const { planId, regionId } = await stockUp(shop, 5, { code: "limbo" });
    const { servers } = shop.customer();
    const outcome = await servers.orderServer({ planId, regionId, distroId: 1n }).catch(() => "refused");
    shop.clock.moveTo("2027-01-31T11:00:00.000000Z");
    await allRunsEnded(shop);
    const expected = outcome === "refused" ? 0 : 1;
    expect(shop.sandbox.show().compute).toHaveLength(expected);
    expect(shop.accounts.standing).toHaveLength(expected);
    expect((await servers.listServers({})).servers).toHaveLength(expected);
  });
});

describe("an order that is made again as the same operation", () => {
  it("finds the first one: after its success", async () => {
    const { customer, planId, regionId, accounts } = await openShop();
    const { servers } = customer(1_500n);
    const order = { planId, regionId, distroId: 1n };
    const first = await servers.orderServer(order, asOperation("op-1"));
    expect(await servers.orderServer(order, asOperation("op-1"))).toEqual(first);
    expect(accounts.charges.size).toBe(1);
    expect((await servers.listServers({})).servers).toHaveLength(1);
  });

  it("finds the first one: after its refusal", async () => {
    const shop = await openShop();
    const { planId, regionId } = await stockUp(shop, 5, { title: "refused" });
    const { servers } = shop.customer();
    const order = { planId, regionId, distroId: 1n };
    for (const attempt of [1, 2, 3]) {
      const refusal = await refusalOf(servers.orderServer(order, asOperation("op-1")));
      expect([attempt, refusal.code]).toEqual([attempt, "compute-failed"]);
    }
    expect(shop.accounts.charges.size).toBe(1);
    expect(shop.accounts.standing).toEqual([]);
  });

  it("finds the first one: while it is in progress", async () => {
    const shop = await openShop();
    const { planId, regionId } = await stockUp(shop, 5, { title: "lost" });
    const { servers } = shop.customer();
    const order = { planId, regionId, distroId: 1n };
    const answers = await Promise.all([1, 2, 3].map(() => servers.orderServer(order, asOperation("op-1"))));
    expect(new Set(answers.map(({ serverId }) => serverId))).toHaveLength(1);
    expect(shop.accounts.charges.size).toBe(1);
    expect(shop.sandbox.show().compute).toHaveLength(1);
  });

  it("is tried again if the first one had no effect", async () => {
    const { customer, planId, regionId, accounts } = await openShop();
    const { servers, accountId } = customer(10n);
    const order = { planId, regionId, distroId: 1n };
    expect(await refusalOf(servers.orderServer(order, asOperation("op-1")))).toMatchObject({
      code: "insufficient-balance",
    });
    accounts.open(accountId, 5_000n);
    await servers.orderServer(order, asOperation("op-1"));
    expect(accounts.standing).toHaveLength(1);
  });
});

describe("200 orders at once for 50 units", () => {
  it("give 50 servers; the others are out of stock and not charged", async () => {
    const { customer, planId, regionId, accounts, sandbox } = await openShop({ units: 50 });
    const customers = Array.from({ length: 200 }, () => customer(1_000n));
    const answers = await Promise.allSettled(
      customers.map(({ servers }) => servers.orderServer({ planId, regionId, distroId: 1n })),
    );
    const won = answers.filter(({ status }) => status === "fulfilled");
    expect(won).toHaveLength(50);
    const codes = await Promise.all(
      answers.flatMap((answer) =>
        answer.status === "rejected" ? [refusalOf(Promise.reject(answer.reason as Error))] : [],
      ),
    );
    expect(codes.filter(({ code }) => code === "out-of-stock")).toHaveLength(150);
    expect(accounts.standing).toHaveLength(50);
    expect(accounts.charges.size).toBe(50);
    const balances = customers.map(({ accountId }) => accounts.balanceOf(accountId));
    expect(balances.filter((balance) => balance === 0n)).toHaveLength(50);
    expect(balances.filter((balance) => balance === 1_000n)).toHaveLength(150);
    const { entries } = await customer().catalogue.listStock({});
    expect(entries).toMatchObject([{ units: 0 }]);
    const addresses = sandbox.show().compute.map(({ ipAddress }) => ipAddress);
    expect(new Set(addresses)).toHaveLength(50);
  });
});
