import { rejection } from "@hostledger/core";
import { unknown } from "@hostledger/providers";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import {
  allRunsEnded,
  asOperation,
  ComputeBreaker,
  eventually,
  giveServer,
  openShop,
  openHarness,
  stockUp,
  type ServerAdminClient,
} from "../server-service.fixture.ts";

const plan = { title: "Small", cores: 2, memoryGb: 4, storageGb: 40, priceCents: 999n };

describe("the catalogue", () => {
  it.each([
    ["title", { title: " " }],
    ["title", { title: "x".repeat(101) }],
    ["cores", { cores: 0 }],
    ["cores", { cores: 1_025 }],
    ["memory", { memoryGb: 0 }],
    ["storage", { storageGb: 1_048_577 }],
    ["price", { priceCents: -1n }],
  ])("refuses a plan with a wrong %s", async (field, wrong) => {
    const harness = await openHarness();
    const { staff, customer } = await harness.start();
    const refusal = await refusalOf(staff().addPlan({ ...plan, ...wrong }));
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    expect((await customer().catalogue.listPlans({})).plans).toEqual([]);
  });

  it("refuses a region without a name", async () => {
    const harness = await openHarness();
    const { staff } = await harness.start();
    const refusal = await refusalOf(staff().addRegion({ code: "x".repeat(21), location: "" }));
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual(["code", "location"]);
  });

  it("has one region per code, whatever the code's capitals", async () => {
    const harness = await openHarness();
    const { staff, customer } = await harness.start();
    const frankfurt = { code: "fra", location: "Frankfurt" };
    // Two members of staff add the region at once.
    const added = await Promise.all([staff().addRegion(frankfurt), staff().addRegion(frankfurt)]);
    expect(added).toMatchObject([
      { regionId: 1n, repeated: false },
      { regionId: 1n, repeated: true },
    ]);
    expect(await staff().addRegion({ code: " FRA ", location: " Frankfurt" })).toMatchObject({
      regionId: 1n,
      repeated: true,
    });
    const before = await harness.store.lastPosition();
    const elsewhere = staff().addRegion({ code: "Fra", location: "Frankfurt (Oder)" });
    expect((await refusalOf(elsewhere)).detail?.fieldErrors).toEqual({
      code: ["must be another one: region 1 (Frankfurt) has the code fra"],
    });
    expect(await harness.store.lastPosition()).toBe(before);
    expect((await customer().catalogue.listRegions({})).regions).toHaveLength(1);
  });

  it("counts units of existing plans and regions only, and within limits", async () => {
    const { staff, planId, regionId } = await openShop({ units: 3 });
    expect(await staff().setStock({ planId, regionId, units: 0 })).toMatchObject({ units: 0 });
    expect(await refusalOf(staff().setStock({ planId: 99n, regionId, units: 1 }))).toMatchObject({
      code: "plan-not-found",
    });
    expect(await refusalOf(staff().setStock({ planId, regionId: 99n, units: 1 }))).toMatchObject({
      code: "region-not-found",
    });
    const refusal = await refusalOf(staff().setStock({ planId, regionId, units: 1_000_001 }));
    expect(refusal.detail?.fieldErrors).toHaveProperty("units");
  });
});

describe("provisionServer", () => {
  it("creates a server without a charge, and without a unit", async () => {
    const { staff, customer, planId, regionId, accounts } = await openShop({ units: 0 });
    const { servers, accountId } = customer(0n);
    const gift = { accountId: BigInt(accountId), planId, regionId, months: 24, whitelisted: true };
    const { serverId } = await staff().provisionServer(gift);
    expect((await servers.getServer({ serverId })).server).toMatchObject({ status: "active", planId });
    expect((await servers.getServer({ serverId })).server?.expiryDate).toMatch(/^2029-01-31T10:00/);
    expect(await servers.toggleFirewall({ serverId, enable: false })).toMatchObject({ enabled: false });
    expect(accounts.charges.size).toBe(0);
  });

  it("is one server for repeats of one operation", async () => {
    const { staff, customer, planId, regionId, sandbox } = await openShop();
    const gift = { accountId: BigInt(customer().accountId), planId, regionId };
    const first = await staff().provisionServer(gift, asOperation("gift-1"));
    expect(await staff().provisionServer(gift, asOperation("gift-1"))).toEqual(first);
    expect(sandbox.show().compute).toHaveLength(1);
  });

  it.each([
    ["not-found", { accountId: 999n }],
    ["validation-failed", { accountId: 0n }],
    ["validation-failed", { months: 121 }],
    ["plan-not-found", { planId: 99n }],
    ["region-not-found", { regionId: 99n }],
  ])("refuses with %s", async (code, wrong) => {
    const { staff, customer, planId, regionId, store } = await openShop();
    const gift = { accountId: BigInt(customer().accountId), planId, regionId, ...wrong };
    const before = await store.lastPosition();
    expect(await refusalOf(staff().provisionServer(gift))).toMatchObject({ code });
    expect(await store.lastPosition()).toBe(before);
  });

  it("reports a refusal by the compute provider, and leaves nothing", async () => {
    const shop = await openShop();
    const { planId, regionId } = await stockUp(shop, 5, { title: "refused" });
    const gift = { accountId: BigInt(shop.customer().accountId), planId, regionId };
    expect(await refusalOf(shop.staff().provisionServer(gift))).toMatchObject({ code: "compute-failed" });
    await allRunsEnded(shop);
    expect(shop.sandbox.show().compute).toEqual([]);
  });
});

describe("setServerSuspension and setServerWhitelisting", () => {
  it("suspend and lift, each again without harm, at the node too", async () => {
    const shop = await openShop();
    const { servers, accountId } = shop.customer();
    const { planId, regionId } = shop;
    const serverId = await giveServer(shop, { accountId: BigInt(accountId), planId, regionId });
    for (const suspended of [true, true, false, false, true]) {
      expect(await shop.staff().setServerSuspension({ serverId, suspended })).toMatchObject({ suspended });
      expect((await servers.getServer({ serverId })).server).toMatchObject({
        suspended,
        status: suspended ? "suspended" : "active",
      });
      expect(shop.nodeOf(serverId)?.running).toBe(!suspended);
    }
    const types = await shop.typesOf(`server-${String(serverId)}`);
    expect(types.slice(-3)).toEqual(["ServerSuspended", "ServerUnsuspended", "ServerSuspended"]);
  });

  it("suspends while the node does not answer; the node is called when it does", async () => {
    const breaker = new ComputeBreaker();
    const shop = await openShop({ compute: breaker.wrap });
    const { servers, accountId } = shop.customer();
    const { planId, regionId } = shop;
    const serverId = await giveServer(shop, { accountId: BigInt(accountId), planId, regionId });
    breaker.broken.set("suspend", unknown("No answer"));
    await shop.staff().setServerSuspension({ serverId, suspended: true });
    expect((await servers.getServer({ serverId })).server?.suspended).toBe(true);
    expect(shop.nodeOf(serverId)?.running).toBe(true);
    breaker.broken.clear();
    await eventually(() => {
      expect(shop.nodeOf(serverId)?.running).toBe(false);
    });
  });

  it("refuse a missing server", async () => {
    const { staff } = await openShop();
    for (const serverId of [0n, -1n, 99n, 2n ** 62n]) {
      const calls = [
        staff().setServerSuspension({ serverId, suspended: true }),
        staff().setServerWhitelisting({ serverId, whitelisted: true }),
      ];
      for (const call of calls) expect(await refusalOf(call)).toMatchObject({ code: "not-found" });
    }
  });
});

describe("runs", () => {
  /** Creates a shop with a suspended order, caused by a nonsensical answer of the account service. */
  async function withSuspendedOrder() {
    const shop = await openShop();
    const { planId, regionId } = shop;
    const { servers, accountId } = shop.customer();
    shop.accounts.beforeCharge = () => rejection("charge-conflict");
    const refusal = await refusalOf(servers.orderServer({ planId, regionId, distroId: 1n }));
    expect(refusal.code).toBe("deadline-exceeded");
    const run = await eventually(async () => {
      const [parked] = (await shop.staff().listServerRuns({ parkedOnly: true })).runs;
      if (parked === undefined) throw new Error("not parked yet");
      return parked;
    });
    return { ...shop, servers, accountId, run };
  }

  it("that wait for staff are listed, and continue after a retry", async () => {
    const { run, staff, accounts, servers, accountId, ...shop } = await withSuspendedOrder();
    expect(run).toMatchObject({
      process: "server-order",
      status: "parked",
      accountId: BigInt(accountId),
      subject: expect.stringMatching(/^server-\d+$/),
      reason: expect.any(String),
    });
    const ofAccount = async (account: bigint) =>
      (await staff().listServerRuns({ accountId: account })).runs.map((each) => each.run);
    expect(await ofAccount(BigInt(accountId))).toEqual([run.run]);
    expect(await ofAccount(99n)).toEqual([]);
    accounts.beforeCharge = () => undefined;
    await staff().retryServerRun({ run: run.run });
    await allRunsEnded({ ...shop, staff });
    expect((await servers.listServers({})).servers).toMatchObject([{ status: "active" }]);
    expect(accounts.standing).toHaveLength(1);
  });

  it("are ended by staff: nothing stays charged, reserved or provisioned", async () => {
    const { run, staff, accounts, servers, sandbox, customer, caughtUp } = await withSuspendedOrder();
    accounts.beforeCharge = () => undefined;
    await staff().abandonServerRun({ run: run.run, reason: "The customer called" });
    await allRunsEnded({ staff, caughtUp });
    await eventually(async () => {
      expect((await servers.listServers({})).servers).toEqual([]);
    });
    expect(accounts.standing).toEqual([]);
    expect(sandbox.show().compute).toEqual([]);
    expect((await customer().catalogue.listStock({})).entries).toMatchObject([{ units: 10 }]);
  });

  it("that are missing or not parked are left alone", async () => {
    const { staff, run, accounts } = await withSuspendedOrder();
    expect(await refusalOf(staff().retryServerRun({ run: "serverorder-none" }))).toMatchObject({
      code: "run-not-found",
    });
    expect(await refusalOf(staff().abandonServerRun({ run: run.run, reason: "" }))).toMatchObject({
      code: "validation-failed",
    });
    // Succeeds now, because a suspended run could be retried again.
    accounts.beforeCharge = () => undefined;
    const answers = await Promise.allSettled([
      staff().retryServerRun({ run: run.run }),
      staff().retryServerRun({ run: run.run }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("every method", () => {
  const calls: Readonly<Record<string, (staff: ServerAdminClient) => Promise<unknown>>> = {
    addPlan: (staff) => staff.addPlan(plan),
    addRegion: (staff) => staff.addRegion({ code: "x", location: "y" }),
    setStock: (staff) => staff.setStock({}),
    provisionServer: (staff) => staff.provisionServer({}),
    setServerSuspension: (staff) => staff.setServerSuspension({}),
    setServerWhitelisting: (staff) => staff.setServerWhitelisting({}),
    listServerRuns: (staff) => staff.listServerRuns({}),
    retryServerRun: (staff) => staff.retryServerRun({}),
    abandonServerRun: (staff) => staff.abandonServerRun({}),
  };

  it.each(Object.entries(calls))("%s is for staff only", async (_name, call) => {
    const harness = await openHarness();
    const { staff } = await harness.start();
    const refusal = await refusalOf(call(staff({ kind: "account", accountId: 1, keyId: 1 })));
    expect(refusal.code).toBe("unauthorized");
  });
});

describe("servers as staff see them", () => {
  it("are counted for one account, whatever the page size", async () => {
    const { staff, customer, planId, regionId, service } = await openShop({ units: 5 });
    const { accountId: id, servers } = customer(10_000n);
    const accountId = BigInt(id);
    const order = { planId, regionId, distroId: 1n };
    const { serverId: first } = await servers.orderServer(order);
    await servers.orderServer(order);
    await staff().terminateServer({ serverId: first });
    await service.inspectNodes();
    const page = { limit: 1 };
    await eventually(async () => {
      expect(await staff().listAllServers({ accountId, presentOnly: true, page })).toMatchObject({
        total: 1n,
      });
    });
    const all = await staff().listAllServers({ accountId, page });
    expect([all.servers.map(({ id: each }) => each), all.total]).toEqual([[first], 2n]);
    expect(await staff().listAllServers({})).not.toHaveProperty("total");
    expect(await staff().listAllServers({ accountId: 99n })).toMatchObject({ servers: [], total: 0n });
  });

  it("are listed by id, one account's or all, including ended ones", async () => {
    const { staff, customer, planId, regionId, service } = await openShop({ units: 5 });
    const [one, other] = [customer(10_000n), customer(10_000n)];
    const order = { planId, regionId, distroId: 1n };
    const { serverId: first } = await one.servers.orderServer(order);
    const { serverId: second } = await other.servers.orderServer(order);
    await staff().terminateServer({ serverId: first });
    await service.inspectNodes();
    await eventually(async () => {
      expect((await staff().showServer({ serverId: first })).server?.status).toBe("terminated");
    });
    const listed = async (request: Parameters<ServerAdminClient["listAllServers"]>[0]) =>
      (await staff().listAllServers(request)).servers.map(({ id, accountId, status }) => [
        id,
        accountId,
        status,
      ]);
    const [ended, active] = [
      [first, BigInt(one.accountId), "terminated"],
      [second, BigInt(other.accountId), "active"],
    ];
    expect(await listed({})).toEqual([ended, active]);
    expect(await listed({ accountId: BigInt(other.accountId) })).toEqual([active]);
    expect(await listed({ page: { afterId: first, limit: 5 } })).toEqual([active]);
    expect(await listed({ presentOnly: true })).toEqual([active]);
    expect(await listed({ accountId: BigInt(one.accountId), presentOnly: true })).toEqual([]);
    expect(await refusalOf(staff().showServer({ serverId: 99n }))).toMatchObject({ code: "not-found" });
  });
});
