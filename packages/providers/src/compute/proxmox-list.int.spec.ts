import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startFakeProxmox, type FakeProxmox } from "../testing/index.ts";
import { computeOn, orderFor } from "./proxmox.fixture.ts";
import type { ProxmoxCompute } from "./proxmox-compute.adapter.ts";

describe("the list of servers on a cluster of Proxmox VE", () => {
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

  const listOf = (...names: readonly string[]) => ({ outcome: "done", value: names });
  const configOfOne = /^GET .*\/qemu\/100001\/config$/;

  it("has the ordered servers, and nothing of others in the same cluster", async () => {
    expect(await compute.list()).toEqual(listOf());
    await compute.provision(orderFor("server-1"));
    await compute.provision(orderFor("server-2"));
    const notes = String(fake.cluster.machines.get(100_001)?.config.description);
    // Another instance's machine with its own vmids.
    fake.cluster.addMachine(700, "pve1", { name: "server-3", description: notes });
    fake.cluster.addMachine(100_050, "pve1", { name: "server-50", description: "Ada's machine" });
    fake.cluster.addMachine(100_051, "pve1", { name: "mail" });
    expect(await compute.list()).toEqual(listOf("server-1", "server-2"));
  });

  it("has a machine that was renamed or moved to another node by the name of its order", async () => {
    await compute.provision(orderFor("server-1"));
    const machine = fake.cluster.machines.get(100_001);
    if (machine === undefined) throw new Error("no machine");
    machine.config.name = "renamed";
    machine.node = "pve1";
    expect(await compute.list()).toEqual(listOf("server-1"));
  });

  it("has no machine that is still being made", async () => {
    fake.fail({ request: /^PUT .*\/resize$/, kind: "cut-before", times: 1 });
    expect(await compute.provision(orderFor("server-1"))).toMatchObject({ outcome: "unknown" });
    expect(fake.cluster.clones).toHaveLength(1);
    expect(await compute.list()).toEqual(listOf());
  });

  it("has no machine that is removed while the list is made", async () => {
    await compute.provision(orderFor("server-1"));
    const message = "Configuration file 'nodes/pve2/qemu-server/100001.conf' does not exist";
    fake.fail({ request: configOfOne, kind: { status: 500, message }, times: 1 });
    expect(await compute.list()).toEqual(listOf());
  });

  it.each([
    ["html", "text that is not JSON"],
    ["redirect", "text that is not JSON"],
    ["huge", "is longer than"],
    ["cut-before", "was not answered"],
    [{ status: 500, message: "got a surprise" }, "500: got a surprise"],
    [{ status: 403, message: "Permission check failed" }, "403: Permission check failed"],
  ] as const)("is unknown if the cluster answers with %o, in all or for one machine", async (kind, said) => {
    await compute.provision(orderFor("server-1"));
    await compute.provision(orderFor("server-2"));
    const unknown = { outcome: "unknown", message: expect.stringContaining(said) };
    for (const request of [/^GET \/cluster\/resources/, configOfOne]) {
      fake.fail({ request, kind, times: 1 });
      expect(await compute.list()).toMatchObject(unknown);
    }
    expect(await compute.list()).toEqual(listOf("server-1", "server-2"));
  });
});
