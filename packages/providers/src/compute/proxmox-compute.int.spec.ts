import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { describeComputeContract } from "../contract/compute.contract.ts";
import { startFakeProxmox, type FakeProxmox } from "../testing/index.ts";
import { computeOn, layoutWith, openCompute, orderFor } from "./proxmox.fixture.ts";
import type { ProxmoxCompute } from "./proxmox-compute.adapter.ts";

let number = 0;

describeComputeContract("Proxmox VE", async () => {
  const { fake, compute } = await openCompute();
  return {
    compute,
    freshName: () => `server-${String((number += 1))}`,
    offer: {
      plan: { title: "Small", cores: 2, memoryGb: 4, storageGb: 40 },
      region: "fra",
      distro: "Debian 13",
    },
    async close() {
      compute.close();
      await fake[Symbol.asyncDispose]();
      expect(fake.undocumented).toEqual([]);
    },
  };
});

describe("a cluster of Proxmox VE", () => {
  let fake: FakeProxmox;
  let compute: ProxmoxCompute;
  beforeEach(async () => {
    fake = await startFakeProxmox();
    compute = computeOn(fake);
  });
  afterEach(async () => {
    compute.close();
    await fake[Symbol.asyncDispose]();
    expect(fake.undocumented).toEqual([]);
  });

  const done = { outcome: "done" };
  const clone = /^POST .*\/clone$/;
  const notHeld = { outcome: "done", value: { held: false } };

  it("creates the ordered machine from a template", async () => {
    const answer = await compute.provision(orderFor("server-7"));
    expect(answer).toMatchObject({
      outcome: "done",
      value: { node: "pve2", ipAddress: "203.0.113.17", rdns: "203-0-113-17.fra.example.net", running: true },
    });
    const [machine] = fake.cluster.clones;
    expect(machine).toMatchObject({
      vmid: 100_007,
      status: "running",
      pool: "hostledger",
      options: { enable: 1 },
      config: {
        name: "server-7",
        cores: "2",
        memory: "4096",
        onboot: "1",
        ciuser: "root",
        sshkeys: "ssh-ed25519%20AAAAC3NzaC1lZDI1NTE5AAAAI%2B%2F%3D%20me%40host",
        ipconfig0: "ip=203.0.113.17/24,gw=203.0.113.1",
        nameserver: "192.0.2.53",
        net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=1",
        scsi0: "local-zfs:base-9001-disk-0,size=40G",
      },
    });
  });

  it("does not start a suspended server with its node", async () => {
    await compute.provision(orderFor("server-1"));
    await compute.suspend("server-1");
    expect(fake.cluster.clones).toMatchObject([{ status: "stopped", config: { onboot: "0" } }]);
    await compute.resume("server-1");
    expect(fake.cluster.clones).toMatchObject([{ status: "running", config: { onboot: "1" } }]);
  });

  it("assigns a machine and an address each to two orders that race for one vmid", async () => {
    const other = computeOn(fake, {}, layoutWith({ addresses: ["203.0.113.10-203.0.113.11"] }));
    const same = computeOn(fake, {}, layoutWith({ addresses: ["203.0.113.10-203.0.113.11"] }));
    const answers = await Promise.all([
      other.provision(orderFor("server-2")),
      same.provision(orderFor("server-4")),
    ]);
    expect(answers).toMatchObject([done, done]);
    expect(new Set(fake.cluster.clones.map(({ config }) => config.ipconfig0))).toHaveLength(2);
    expect(await other.provision(orderFor("server-6"))).toMatchObject({
      outcome: "refused",
      reason: "rejected",
    });
    expect(await other.inquire("server-4")).toMatchObject({ value: { held: true } });
  });

  it("creates one machine for an order that two processes send at once", async () => {
    const answers = await Promise.all(
      [compute, computeOn(fake)].map((one) => one.provision(orderFor("server-3"))),
    );
    expect(answers.filter(({ outcome }) => outcome === "done").length).toBeGreaterThan(0);
    expect(fake.cluster.clones).toHaveLength(1);
    expect(await compute.provision(orderFor("server-3"))).toMatchObject(done);
  });

  it("finds the machine of a clone whose answer was lost", async () => {
    fake.fail({ request: clone, kind: "cut-after", times: 1 });
    expect(await compute.provision(orderFor("server-1"))).toMatchObject({ outcome: "unknown" });
    expect(await compute.inquire("server-1")).toMatchObject({ outcome: "unknown" });
    expect(await compute.provision(orderFor("server-1"))).toMatchObject(done);
    expect(fake.cluster.clones).toHaveLength(1);
  });

  it("destroys the machine of a clone whose answer was lost", async () => {
    fake.fail({ request: clone, kind: "cut-after", times: 1 });
    await compute.provision(orderFor("server-1"));
    while (fake.cluster.clones.some(({ config }) => config.lock === "clone"))
      await compute.inquire("server-1");
    expect(await compute.destroy("server-1")).toMatchObject(done);
    expect(fake.cluster.clones).toEqual([]);
  });

  it("refuses an order whose clone fails halfway, and frees its address", async () => {
    fake.cluster.nextCloneFailure = "no space left on device";
    expect(await compute.provision(orderFor("server-1"))).toMatchObject({
      outcome: "refused",
      message: expect.stringContaining("no space left"),
    });
    expect(await compute.inquire("server-1")).toEqual(notHeld);
    expect(await compute.provision(orderFor("server-1"))).toMatchObject(done);
  });

  it("removes its partial results if a later step is refused", async () => {
    fake.fail({
      request: /^PUT .*\/config$/,
      kind: { status: 403, message: "Permission check failed (/vms/100001, VM.Config.CPU)" },
      times: 1,
    });
    expect(await compute.provision(orderFor("server-1"))).toMatchObject({
      outcome: "refused",
      message: expect.stringContaining("VM.Config.CPU"),
    });
    expect(fake.cluster.clones).toEqual([]);
  });

  it("continues with a half-created machine, and removes it after the order ended", async () => {
    fake.fail({ request: /^PUT .*\/resize$/, kind: "cut-before", times: 1 });
    expect(await compute.provision(orderFor("server-1"))).toMatchObject({ outcome: "unknown" });
    expect(await compute.inquire("server-1")).toMatchObject({ outcome: "unknown" });
    expect(await compute.suspend("server-1")).toMatchObject({ outcome: "refused", reason: "rejected" });
    const impatient = computeOn(fake, { taskLimitMs: -1 });
    expect(await impatient.inquire("server-1")).toMatchObject({ outcome: "unknown" });
    fake.cluster.taskRequests = 1;
    const later = computeOn(fake, { taskLimitMs: 0 });
    expect(await later.inquire("server-1")).toEqual(notHeld);
    expect(fake.cluster.clones).toEqual([]);
  });

  it("does not refuse an order whose machine exists and cannot be inspected", async () => {
    const order = orderFor("server-1");
    expect(await compute.provision(order)).toMatchObject({ outcome: "done", value: { running: true } });
    // After the machine is running and marked, no further call can fail and undo the order.
    expect(fake.requests.at(-1)).toMatch(/^PUT .*\/config$/);
    fake.fail({
      request: /^GET .*\/status\/current$/,
      kind: { status: 596, message: "no route to node" },
      times: 2,
    });
    expect(await compute.provision(order)).toMatchObject({ outcome: "unknown" });
    expect(await compute.inquire("server-1")).toMatchObject({ outcome: "unknown" });
    expect(await compute.inquire("server-1")).toMatchObject({ outcome: "done", value: { held: true } });
  });

  it('reports "unknown" for a task that never ends', async () => {
    fake.cluster.taskRequests = Number.POSITIVE_INFINITY;
    const hasty = computeOn(fake, { taskLimitMs: 50 });
    expect(await hasty.provision(orderFor("server-1"))).toMatchObject({
      outcome: "unknown",
      message: expect.stringContaining("has not ended"),
    });
  });

  it("does nothing to a machine that another client has locked, and reports it", async () => {
    await compute.provision(orderFor("server-1"));
    const [machine] = fake.cluster.clones;
    if (machine !== undefined) machine.config.lock = "backup";
    for (const call of ["suspend", "destroy"] as const) {
      expect(await compute[call]("server-1")).toMatchObject({
        outcome: "refused",
        reason: "unreachable",
        message: expect.stringContaining("backup"),
      });
    }
  });

  it('chooses another node if one is offline, and reports "unknown" about that one', async () => {
    await compute.provision(orderFor("server-1"));
    const pve2 = fake.cluster.nodes.get("pve2");
    if (pve2 !== undefined) pve2.status = "offline";
    expect((await compute.inquire("server-1")).outcome).not.toBe("done");
    expect(await compute.provision(orderFor("server-2"))).toMatchObject({ value: { node: "pve1" } });
    expect(await compute.suspend("server-1")).toMatchObject({ outcome: "refused", reason: "unreachable" });
  });

  it("reads the rules again after foreign changes, and leaves the operator's rules at the top", async () => {
    await compute.provision(orderFor("server-1"));
    const [machine] = fake.cluster.clones;
    machine?.rules.push({ type: "group", action: "hosting", enable: 1 });
    const stale = {
      status: 500,
      message: "detected modified configuration - file changed by other user? Try again.",
    };
    fake.fail({ request: /^POST .*\/rules$/, kind: stale, times: 3 });
    const web = {
      type: "in",
      action: "ACCEPT",
      proto: "tcp",
      dport: "80",
      sport: "",
      source: "",
      dest: "",
    } as const;
    const rules = ["one", "two", "three"].map((comment) => ({ ...web, comment, enable: true }));
    expect(await compute.replaceFirewall("server-1", { enabled: true, rules })).toMatchObject(done);
    expect(machine?.rules.map(({ comment, action }) => comment ?? action)).toEqual([
      "hosting",
      "one",
      "two",
      "three",
    ]);
    expect(await compute.readFirewall("server-1")).toMatchObject({ value: { rules } });
  });

  it("does not treat a machine with edited notes as free", async () => {
    await compute.provision(orderFor("server-1"));
    const [machine] = fake.cluster.clones;
    if (machine !== undefined) machine.config.description = "Ada's machine";
    expect(await compute.inquire("server-1")).toMatchObject({ outcome: "unknown" });
    expect(await compute.provision(orderFor("server-1"))).toMatchObject({ outcome: "unknown" });
  });

  it.each([
    ["html", "text that is not JSON"],
    ["redirect", "text that is not JSON"],
    ["huge", "is longer than"],
    ["cut-before", "was not answered"],
    [{ status: 596, message: "Broken pipe" }, "596: Broken pipe"],
    [{ status: 500, message: "got a surprise" }, "500: got a surprise"],
  ] as const)('reports "unknown" for %o', async (kind, said) => {
    fake.fail({ request: clone, kind, times: 1 });
    const message = expect.stringContaining(said);
    expect(await compute.provision(orderFor("server-1"))).toMatchObject({ outcome: "unknown", message });
    fake.fail({ request: /^GET \/cluster\/resources/, kind, times: 1 });
    expect(await compute.inquire("server-2")).toMatchObject({ outcome: "unknown", message });
  });

  it("does not wait for ever for an answer", async () => {
    const hasty = computeOn(fake, { writeLimitMs: 50 });
    fake.fail({ request: clone, kind: "hang", times: 1 });
    const message = expect.stringContaining("no answer came");
    expect(await hasty.provision(orderFor("server-1"))).toMatchObject({ outcome: "unknown", message });
  });

  it("refuses a token that is unknown or lacks privileges", async () => {
    const stranger = computeOn(fake, { token: "hostledger@pve!orders=00000000-0000-0000-0000-000000000000" });
    expect(await stranger.provision(orderFor("server-1"))).toMatchObject({
      outcome: "refused",
      reason: "rejected",
    });
    expect(await stranger.inquire("server-1")).toMatchObject({ outcome: "unknown" });
    const forbidden = { status: 403, message: "Permission check failed (/vms/9001, VM.Clone)" };
    fake.fail({ request: clone, kind: forbidden, times: 1 });
    expect(await compute.provision(orderFor("server-1"))).toMatchObject({
      outcome: "refused",
      reason: "rejected",
    });
  });

  it("refuses regions and templates that the cluster lacks", async () => {
    for (const change of [{ region: "nyc" }, { distro: "Plan 9" }]) {
      expect(await compute.provision(orderFor("server-1", change))).toMatchObject({ outcome: "refused" });
    }
    expect(fake.cluster.clones).toEqual([]);
  });

  it("sends its token to no server with another certificate than the pinned one, or an unsigned one", async () => {
    const unreachable = { outcome: "refused", reason: "unreachable" };
    const fingerprint = fake.fingerprint.replace(/^../, (first) => (first === "00" ? "01" : "00"));
    for (const access of [{ fingerprint }, { fingerprint: "" }, { url: "https://127.0.0.1:9" }]) {
      const pinned = computeOn(fake, access);
      const answer = await pinned.provision(orderFor("server-1"));
      expect(answer).toMatchObject(unreachable);
      expect(JSON.stringify(answer)).not.toContain(fake.token);
    }
    expect(fake.authorizations).toEqual([]);
  });
});
