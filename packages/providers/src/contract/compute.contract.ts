import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Compute, ComputeServer, FirewallRule, ServerOrder } from "../compute/compute.port.ts";

export interface ComputeUnderTest {
  readonly compute: Compute;
  /** Returns a new unused name at each call. */
  freshName(): string;
  /** A region, distribution and plan with room at the provider. */
  readonly offer: Pick<ServerOrder, "plan" | "region" | "distro">;
  close(): Promise<void> | void;
}

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const done = { outcome: "done", value: undefined };
const nothingHeld = { outcome: "done", value: { held: false } };
const rejected = { outcome: "refused", reason: "rejected" };

const rule = (change: Partial<FirewallRule> = {}): FirewallRule => ({
  type: "in",
  action: "ACCEPT",
  proto: "tcp",
  dport: "22",
  sport: "",
  source: "",
  dest: "",
  comment: "ssh",
  enable: true,
  ...change,
});

type Ask = () => Compute;
type Order = () => ServerOrder;

/** Tests the behaviour required of every compute adapter, simulated or real. */
export function describeComputeContract(
  name: string,
  make: () => Promise<ComputeUnderTest> | ComputeUnderTest,
): void {
  describe(`compute contract: ${name}`, () => {
    let underTest: ComputeUnderTest;
    let order: ServerOrder;
    const orderFor = (fresh: string): ServerOrder => ({
      name: fresh,
      ...underTest.offer,
      sshKey: null,
      firewall: { enabled: true, rules: [rule(), rule({ dport: "80", comment: "ü 'web'" })] },
    });
    beforeEach(async () => {
      underTest = await make();
      order = orderFor(underTest.freshName());
    });
    afterEach(async () => {
      await underTest.close();
    });
    const compute: Ask = () => underTest.compute;

    describeOrders(
      compute,
      () => order,
      () => orderFor(underTest.freshName()),
    );
    describeSuspension(compute, () => order);
    describeFirewalls(compute, () => order);
  });
}

async function provisioned(compute: Compute, order: ServerOrder): Promise<ComputeServer> {
  const answer = await compute.provision(order);
  if (answer.outcome !== "done") throw new Error(`not provisioned: ${answer.message}`);
  return answer.value;
}

async function namesOf(compute: Compute): Promise<readonly string[]> {
  const answer = await compute.list?.();
  if (answer?.outcome !== "done") throw new Error("not listed");
  return answer.value;
}

function describeOrders(compute: Ask, order: Order, another: Order): void {
  it("holds only ordered servers", async () => {
    expect(await compute().inquire(order().name)).toEqual(nothingHeld);
  });

  it("lists the servers that it holds", async () => {
    const { name } = order();
    expect(await namesOf(compute())).not.toContain(name);
    await provisioned(compute(), order());
    await provisioned(compute(), another());
    await compute().suspend(name);
    const names = await namesOf(compute());
    expect(names.filter((each) => each === name)).toEqual([name]);
    await compute().destroy(name);
    expect([...(await namesOf(compute())), name].sort()).toEqual([...names].sort());
  });

  it("provisions a running server with a node, an address and its reverse name", async () => {
    const server = await provisioned(compute(), order());
    expect(server).toMatchObject({ name: order().name, running: true });
    expect(server.node).toMatch(/\S/);
    expect(server.rdns).toMatch(/\S/);
    expect(server.ipAddress).toMatch(ipv4);
    expect(server.provisionedAt).toMatch(instant);
    expect(await compute().inquire(order().name)).toEqual({ outcome: "done", value: { held: true, server } });
  });

  it("answers a repeated order with the same server, also when its firewall has changed", async () => {
    const first = await provisioned(compute(), order());
    await compute().replaceFirewall(order().name, { enabled: false, rules: [] });
    expect(await provisioned(compute(), order())).toEqual(first);
    expect(await compute().readFirewall(order().name)).toMatchObject({ value: { rules: [] } });
  });

  it("provisions once when an order comes many times at once", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => provisioned(compute(), order())));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toHaveLength(1);
  });

  it("refuses another order under a name that is held", async () => {
    await provisioned(compute(), order());
    const plan = { ...order().plan, cores: order().plan.cores + 1 };
    expect(await compute().provision({ ...order(), plan })).toMatchObject(rejected);
  });

  it("assigns no address twice at a time", async () => {
    const orders = Array.from({ length: 12 }, another);
    const servers = await Promise.all(orders.map((each) => provisioned(compute(), each)));
    expect(new Set(servers.map(({ ipAddress }) => ipAddress))).toHaveLength(servers.length);
    await compute().destroy(servers[3]?.name ?? "");
    const later = await provisioned(compute(), another());
    const others = servers.filter((_, index) => index !== 3);
    expect(others.map(({ ipAddress }) => ipAddress)).not.toContain(later.ipAddress);
  });

  it("destroys a server, safely repeated; then the name can be ordered again", async () => {
    await provisioned(compute(), order());
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await compute().destroy(order().name)).toEqual(done);
    }
    expect(await compute().inquire(order().name)).toEqual(nothingHeld);
    expect(await compute().readFirewall(order().name)).toMatchObject(rejected);
    await provisioned(compute(), { ...order(), firewall: { enabled: false, rules: [] } });
    expect(await compute().readFirewall(order().name)).toMatchObject({ value: { rules: [] } });
  });
}

function describeSuspension(compute: Ask, order: Order): void {
  it("suspends and resumes, each again without harm", async () => {
    const server = await provisioned(compute(), order());
    for (const [call, running] of [
      ["suspend", false],
      ["suspend", false],
      ["resume", true],
      ["resume", true],
    ] as const) {
      expect(await compute()[call](order().name)).toEqual(done);
      const held = { held: true, server: { ...server, running } };
      expect(await compute().inquire(order().name)).toEqual({ outcome: "done", value: held });
    }
  });

  it("leaves a suspended server suspended when its order is repeated", async () => {
    await provisioned(compute(), order());
    await compute().suspend(order().name);
    expect(await provisioned(compute(), order())).toMatchObject({ running: false });
  });

  it("refuses to suspend or resume a missing server", async () => {
    expect(await compute().suspend(order().name)).toMatchObject(rejected);
    expect(await compute().resume(order().name)).toMatchObject(rejected);
  });
}

function describeFirewalls(compute: Ask, order: Order): void {
  it("sets the firewall up as ordered, and reads it with Proxmox VE's options", async () => {
    await provisioned(compute(), order());
    const read = await compute().readFirewall(order().name);
    if (read.outcome !== "done") throw new Error("not read");
    expect(read.value.rules).toEqual(order().firewall.rules);
    expect(read.value.options).toMatchObject({ enable: true });
    expect(Object.keys(read.value.options).sort()).toEqual([
      "dhcp",
      "enable",
      "ipfilter",
      "logLevelIn",
      "logLevelOut",
      "macfilter",
      "ndp",
      "policyIn",
      "policyOut",
      "radv",
    ]);
  });

  it("replaces the whole firewall, the order of its rules too, and again without harm", async () => {
    await provisioned(compute(), order());
    const rules = [
      rule({ type: "out", action: "REJECT", dport: "25", comment: "" }),
      rule({ proto: "", dport: "", source: "192.0.2.0/24", enable: false }),
      ...order().firewall.rules.toReversed(),
    ];
    for (const enabled of [false, false, true]) {
      expect(await compute().replaceFirewall(order().name, { enabled, rules })).toEqual(done);
      const firewall = await compute().readFirewall(order().name);
      expect(firewall).toMatchObject({ value: { options: { enable: enabled } } });
      expect(firewall.outcome === "done" ? firewall.value.rules : undefined).toEqual(rules);
    }
  });

  it("accepts a firewall without rules", async () => {
    await provisioned(compute(), order());
    expect(await compute().replaceFirewall(order().name, { enabled: true, rules: [] })).toEqual(done);
    expect(await compute().readFirewall(order().name)).toMatchObject({ value: { rules: [] } });
  });

  it("refuses a firewall of a missing server", async () => {
    expect(await compute().replaceFirewall(order().name, order().firewall)).toMatchObject(rejected);
    expect(await compute().readFirewall(order().name)).toMatchObject(rejected);
  });
}
