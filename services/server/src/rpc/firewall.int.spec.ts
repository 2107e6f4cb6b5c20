import { refused, unknown } from "@hostledger/providers";
import { refusalOf } from "@hostledger/rpc/testing";
import { realTiming, yieldToOthers } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import {
  asOperation,
  ComputeBreaker,
  eventually,
  giveServer,
  openShop,
  type InstanceOptions,
} from "../server-service.fixture.ts";

const mail = { type: "out", action: "DROP", dport: "25" };
const monitoring = { type: "in", action: "ACCEPT", dport: "5000" };
const web = { action: "ACCEPT", type: "in", proto: "tcp", dport: "80", comment: "web" };

type Rented = Awaited<ReturnType<typeof rent>>;

async function rent({ whitelisted = true, ...options }: InstanceOptions & { whitelisted?: boolean } = {}) {
  const shop = await openShop(options);
  const customer = shop.customer();
  const { planId, regionId } = shop;
  const accountId = BigInt(customer.accountId);
  const serverId = await giveServer(shop, { accountId, planId, regionId, whitelisted });
  return { ...shop, ...customer, serverId };
}

const dports = ({ nodeOf, serverId }: Rented): unknown =>
  nodeOf(serverId)?.firewall.rules.map(({ dport }) => dport);

/** Shorter than the time limit of a node call. */
const meetingLimitMs = 1_800;

describe("toggleFirewall", () => {
  it("turns the firewall off and on, at the node too", async () => {
    const rented = await rent();
    const { servers, serverId, nodeOf } = rented;
    for (const enable of [false, true, false]) {
      expect(await servers.toggleFirewall({ serverId, enable })).toEqual(
        expect.objectContaining({ enabled: enable }),
      );
      expect(nodeOf(serverId)?.firewall.enabled).toBe(enable);
      expect((await servers.getFirewall({ serverId })).options?.enable).toBe(enable);
    }
  });

  it("to the present state succeeds and changes nothing", async () => {
    const { servers, serverId, store } = await rent();
    const before = await store.lastPosition();
    expect(await servers.toggleFirewall({ serverId, enable: true })).toMatchObject({ enabled: true });
    expect(await store.lastPosition()).toBe(before);
  });

  it("off is for whitelisted servers only", async () => {
    const rented = await rent({ whitelisted: false });
    const { servers, serverId, staff, nodeOf, store } = rented;
    const before = await store.lastPosition();
    const refusal = await refusalOf(servers.toggleFirewall({ serverId, enable: false }));
    expect(refusal.code).toBe("firewall-locked");
    expect(await store.lastPosition()).toBe(before);
    expect(nodeOf(serverId)?.firewall.enabled).toBe(true);
    await staff().setServerWhitelisting({ serverId, whitelisted: true });
    await servers.toggleFirewall({ serverId, enable: false });
    await staff().setServerWhitelisting({ serverId, whitelisted: false });
    expect(await refusalOf(servers.toggleFirewall({ serverId, enable: false }))).toMatchObject({
      code: "firewall-locked",
    });
    expect(await servers.toggleFirewall({ serverId, enable: true })).toMatchObject({ enabled: true });
  });

  it.each([
    ["refuses", refused("rejected", "No")],
    ["cannot be reached", refused("unreachable", "No connection")],
    ["does not answer", unknown("No answer")],
  ])("is no event when the node %s", async (_case, answer) => {
    const breaker = new ComputeBreaker();
    const rented = await rent({ compute: breaker.wrap });
    const { servers, serverId, store, nodeOf } = rented;
    // Takes a part of the daily quota that covers the next change too.
    await servers.updateHostname({ serverId, hostname: "web-1" });
    const before = await store.lastPosition();
    breaker.broken.set("replaceFirewall", answer);
    expect(await refusalOf(servers.toggleFirewall({ serverId, enable: false }))).toMatchObject({
      code: "compute-unavailable",
    });
    expect(await store.lastPosition()).toBe(before);
    breaker.broken.clear();
    expect(nodeOf(serverId)?.firewall.enabled).toBe(true);
    await servers.toggleFirewall({ serverId, enable: false });
    expect(nodeOf(serverId)?.firewall.enabled).toBe(false);
  });

  it("is taken back at the node when its answer was lost", async () => {
    let lose = false;
    const rented = await rent({
      compute: (compute) => ({
        ...new ComputeBreaker().wrap(compute),
        async replaceFirewall(name, firewall) {
          const answer = await compute.replaceFirewall(name, firewall);
          if (!lose) return answer;
          lose = false;
          return unknown("The answer was lost.");
        },
      }),
    });
    const { servers, serverId, nodeOf } = rented;
    lose = true;
    expect(await refusalOf(servers.toggleFirewall({ serverId, enable: false }))).toMatchObject({
      code: "compute-unavailable",
    });
    await eventually(() => {
      expect(nodeOf(serverId)?.firewall.enabled).toBe(true);
    });
    expect((await servers.getFirewall({ serverId })).options?.enable).toBe(true);
  });
});

describe("firewall rules", () => {
  it("begin with those of every new server, and are read with the node's options", async () => {
    const { servers, serverId } = await rent();
    const { rules, options } = await servers.getFirewall({ serverId });
    expect(rules).toMatchObject([
      { pos: 0, ...mail, enable: true, provider: true },
      { pos: 1, ...monitoring, enable: true, provider: true },
    ]);
    expect(options).toMatchObject({ enable: true, policyIn: "DROP", policyOut: "ACCEPT", macfilter: true });
  });

  it("are added behind the present ones and removed by position, at the node too", async () => {
    const rented = await rent();
    const { servers, serverId } = rented;
    expect(await servers.addFirewallRule({ serverId, ...web })).toMatchObject({
      rule: { pos: 2, ...web, sport: "", source: "", dest: "", enable: true },
    });
    const other = { ...web, dport: "443,8000:8010", source: "192.0.2.0/24", enable: false };
    expect(await servers.addFirewallRule({ serverId, ...other })).toMatchObject({
      rule: { pos: 3, ...other },
    });
    expect(dports(rented)).toEqual(["25", "5000", "80", "443,8000:8010"]);
    await servers.removeFirewallRule({ serverId, pos: 2 });
    expect((await servers.getFirewall({ serverId })).rules).toMatchObject([
      { pos: 0 },
      { pos: 1 },
      { pos: 2, ...other },
    ]);
    expect(dports(rented)).toEqual(["25", "5000", "443,8000:8010"]);
  });

  it.each([
    ["action", { action: "ALLOW" }],
    ["type", { type: "forward" }],
    ["proto", { proto: "gre", dport: "" }],
    ["dport", { dport: "0" }],
    ["dport", { dport: "65536" }],
    ["sport", { sport: "10:5" }],
    ["source", { source: "300.0.0.1" }],
    ["dest", { dest: "example.com" }],
    ["comment", { comment: "x".repeat(256) }],
    ["comment", { comment: "two\nlines" }],
  ])("with a wrong %s are refused", async (field, wrong) => {
    const { servers, serverId, store } = await rent();
    const before = await store.lastPosition();
    const refusal = await refusalOf(servers.addFirewallRule({ serverId, ...web, ...wrong }));
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    expect(await store.lastPosition()).toBe(before);
  });

  it.each(["1:65535", "24:26", "25", "5000"])("that a customer opened he closes: %s", async (dport) => {
    const rented = await rent();
    const { servers, serverId } = rented;
    expect(await servers.addFirewallRule({ serverId, ...web, dport })).toMatchObject({
      rule: { pos: 2, provider: false },
    });
    expect((await servers.getFirewall({ serverId })).rules[2]).toMatchObject({ dport, provider: false });
    await servers.removeFirewallRule({ serverId, pos: 2 });
    expect(dports(rented)).toEqual(["25", "5000"]);
  });

  it("are removed once by two callers with the same list and tag", async () => {
    const rented = await rent();
    const { servers, serverId, store } = rented;
    for (const dport of ["80", "81", "82"]) await servers.addFirewallRule({ serverId, ...web, dport });
    const { digest } = await servers.getFirewall({ serverId });
    const both = await Promise.allSettled(
      [1, 2].map(() => servers.removeFirewallRule({ serverId, pos: 2, digest })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const before = await store.lastPosition();
    expect(await refusalOf(servers.removeFirewallRule({ serverId, pos: 2, digest }))).toMatchObject({
      code: "firewall-changed",
    });
    expect(await store.lastPosition()).toBe(before);
    expect(dports(rented)).toEqual(["25", "5000", "81", "82"]);
    const { digest: newDigest } = await servers.getFirewall({ serverId });
    expect(newDigest).not.toBe(digest);
    await servers.removeFirewallRule({ serverId, pos: 2, digest: newDigest });
    expect(dports(rented)).toEqual(["25", "5000", "82"]);
  });

  it("of the provider stay, and there is nothing to remove after the last", async () => {
    const rented = await rent();
    const { servers, serverId } = rented;
    for (const pos of [0, 1]) {
      const refusal = await refusalOf(servers.removeFirewallRule({ serverId, pos }));
      expect(refusal.code).toBe("protected-port");
    }
    expect(await refusalOf(servers.removeFirewallRule({ serverId, pos: 2 }))).toMatchObject({
      code: "not-found",
    });
    expect(dports(rented)).toEqual(["25", "5000"]);
  });

  it("add no events if the node refuses them", async () => {
    const breaker = new ComputeBreaker();
    const rented = await rent({ compute: breaker.wrap });
    const { servers, serverId, store } = rented;
    await servers.addFirewallRule({ serverId, ...web });
    const before = await store.lastPosition();
    breaker.broken.set("replaceFirewall", refused("unreachable", "No connection"));
    for (const call of [
      () => servers.addFirewallRule({ serverId, ...web }),
      () => servers.removeFirewallRule({ serverId, pos: 2 }),
    ]) {
      expect(await refusalOf(call())).toMatchObject({ code: "compute-unavailable" });
    }
    expect(await store.lastPosition()).toBe(before);
  });

  it("cannot be read while the node does not return its options", async () => {
    const breaker = new ComputeBreaker();
    const { servers, serverId } = await rent({ compute: breaker.wrap });
    breaker.broken.set("readFirewall", unknown("No answer"));
    expect(await refusalOf(servers.getFirewall({ serverId }))).toMatchObject({ code: "compute-unavailable" });
  });
});

describe("changes of one server", () => {
  it("reach its node one after the other, those of another server in parallel", async () => {
    let underWay = 0;
    let most = 0;
    const both = Promise.withResolvers<undefined>();
    let meet = (): Promise<unknown> => yieldToOthers();
    const rented = await rent({
      compute: (compute) => ({
        ...new ComputeBreaker().wrap(compute),
        async replaceFirewall(name, firewall) {
          underWay += 1;
          most = Math.max(most, underWay);
          await meet();
          const answer = await compute.replaceFirewall(name, firewall);
          underWay -= 1;
          return answer;
        },
      }),
    });
    const { servers, serverId, planId, regionId } = rented;
    await Promise.all([1, 2, 3, 4].map(() => servers.addFirewallRule({ serverId, ...web })));
    expect(most).toBe(1);
    expect(dports(rented)).toEqual(["25", "5000", "80", "80", "80", "80"]);
    const other = await giveServer(rented, { accountId: BigInt(rented.accountId), planId, regionId });
    // The first server's change waits for the second's. If changes of two servers ran one at a time, the wait would
    // time out
    // with one change running.
    meet = () => {
      if (underWay === 2) both.resolve(undefined);
      return Promise.race([both.promise, realTiming.sleep(meetingLimitMs)]);
    };
    await Promise.allSettled(
      [serverId, other].map((id) => servers.addFirewallRule({ serverId: id, ...web })),
    );
    expect(most).toBe(2);
  });
});

describe("a change that is made again as the same operation", () => {
  it("is one change, despite later changes", async () => {
    const rented = await rent();
    const { servers, serverId, nodeOf, typesOf } = rented;
    await servers.toggleFirewall({ serverId, enable: false }, asOperation("op-off"));
    await servers.toggleFirewall({ serverId, enable: true });
    expect(await servers.toggleFirewall({ serverId, enable: false }, asOperation("op-off"))).toMatchObject({
      enabled: false,
    });
    expect(nodeOf(serverId)?.firewall.enabled).toBe(true);

    const first = await servers.addFirewallRule({ serverId, ...web }, asOperation("op-add"));
    expect(await servers.addFirewallRule({ serverId, ...web }, asOperation("op-add"))).toEqual(first);
    await servers.addFirewallRule({ serverId, ...web, dport: "81" });
    await servers.removeFirewallRule({ serverId, pos: 2 }, asOperation("op-remove"));
    await servers.removeFirewallRule({ serverId, pos: 2 }, asOperation("op-remove"));
    expect(dports(rented)).toEqual(["25", "5000", "81"]);
    await servers.addFirewallRule({ serverId, ...web }, asOperation("op-add"));
    expect(dports(rented)).toEqual(["25", "5000", "81"]);

    // A repeat succeeds even if no rule is left at the position.
    for (const _time of [1, 2])
      await servers.removeFirewallRule({ serverId, pos: 2 }, asOperation("op-last"));
    expect(dports(rented)).toEqual(["25", "5000"]);

    await servers.updateHostname({ serverId, hostname: "first" }, asOperation("op-name"));
    await servers.updateHostname({ serverId, hostname: "second" });
    await servers.updateHostname({ serverId, hostname: "first" }, asOperation("op-name"));
    expect((await servers.getServer({ serverId })).server?.hostname).toBe("second");
    const types = await typesOf(`server-${String(serverId)}`);
    expect(types.filter((type) => type === "FirewallToggled")).toHaveLength(2);
  });
});
