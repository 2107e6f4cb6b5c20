import { readFileSync } from "node:fs";

import { checkProviders } from "@hostledger/host";
import { readConfiguration } from "@hostledger/host/configuration";
import { startFakeProxmox, type FakeProxmox } from "@hostledger/providers/testing";
import { createLogger, systemClock } from "@hostledger/runtime";
import { eventually, temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { clusterRegion, clusterSettings } from "../support/cluster-settings.ts";
import { filesBelow } from "../support/files-below.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, type Shop } from "../support/shop.ts";

/** Servers on Proxmox VE, as customers and staff see them. */

const clock = systemClock();
const secret = (): string => fake.token.split("=")[1] ?? "";

let fake: FakeProxmox;
let shop: Shop;
let environment: Readonly<Record<string, string>>;
let log = "";
const directory = temporaryDirectory();

beforeAll(async () => {
  fake = await startFakeProxmox();
  environment = {
    ...clusterSettings(fake, directory.path),
    HOSTLEDGER_QUIET_MS: "0",
  };
  const logger = createLogger({ level: "trace", sink: { write: (line) => void (log += line) } });
  shop = await openShop({ environment, logger });
});

afterAll(async () => {
  await shop.close();
  await fake[Symbol.asyncDispose]();
  directory.remove();
});

const machineOf = (serverId: number) => fake.cluster.machines.get(clusterRegion.firstVmid + serverId);
const order = () =>
  shop.owner.post("/order", { plan_id: shop.planId, region_id: shop.regionId, distro_id: 1 });

describe("servers on Proxmox VE", () => {
  it("are ordered, protected, suspended and renewed like servers of the sandbox", async () => {
    const ordered = await order();
    expect(ordered.status).toBe(201);
    const serverId = Number(objectOf(ordered.body).server_id);
    const servers = itemsOf((await shop.owner.get("/servers")).body);
    const address = `203.0.113.${String(10 + serverId)}`;
    expect(servers).toContainEqual(
      expect.objectContaining({ id: serverId, ip_address: address, status: "active" }),
    );
    expect(machineOf(serverId)).toMatchObject({
      status: "running",
      config: { memory: "4096" },
      options: { enable: 1 },
    });

    const web = { action: "ACCEPT", type: "in", proto: "tcp", dport: "443", comment: "web" };
    expect(await shop.owner.post(`/servers/${String(serverId)}/firewall`, web)).toMatchObject({
      status: 201,
    });
    expect(machineOf(serverId)?.rules.map(({ dport }) => dport)).toEqual(["25", "5000", "443"]);
    expect(await shop.owner.get(`/servers/${String(serverId)}/firewall`)).toMatchObject({ status: 200 });

    await shop.instance.staff.servers.setServerSuspension({ serverId: BigInt(serverId), suspended: true });
    await eventually(clock, () => {
      expect(machineOf(serverId)?.status).toBe("stopped");
    });
    const renewed = await shop.owner.post(`/servers/${String(serverId)}/renew`, { duration: 1 });
    expect(renewed.status).toBe(200);
    await eventually(clock, () => {
      expect(machineOf(serverId)?.status).toBe("running");
    });
  });

  it("are refunded if their clone fails, and destroyed if its answer was lost", async () => {
    const before = await balanceOf(shop.owner);
    const held = fake.cluster.clones.length;
    fake.cluster.nextCloneFailure = "no space left on device";
    expect((await order()).status).toBe(500);
    fake.fail({ request: /^POST .*\/clone$/, kind: "cut-after", times: 1 });
    expect((await order()).status).toBe(500);
    // The remains need not wait for their deletion age.
    await eventually(clock, () => {
      for (const { config } of fake.cluster.clones)
        config.description = String(config.description ?? "").replace(/"at":"\d{4}/, '"at":"2020');
      expect(fake.cluster.clones).toHaveLength(held);
    });
    expect(await balanceOf(shop.owner)).toEqual(before);
  });

  it("never show the token in events, logs, answers or the configuration", () => {
    for (const path of filesBelow(shop.instance.data))
      expect(readFileSync(path).includes(secret()), path).toBe(false);
    expect(log).not.toContain(secret());
    expect(fake.undocumented).toEqual([]);
  });

  it("are checked before the start, with one sentence for each problem", async () => {
    const check = async (change = {}) => {
      const checked = await checkProviders(readConfiguration({ ...environment, ...change }));
      const findings = checked.find(({ provider }) => provider === "compute")?.findings ?? [];
      return findings.filter(({ isRight }) => !isRight).map(({ sentence }) => sentence);
    };
    expect(await check()).toEqual([]);
    fake.cluster.privileges = ["VM.Audit", "Sys.Audit"];
    fake.cluster.isFirewallOn = false;
    fake.cluster.machines.delete(9_001);
    fake.cluster.bridges.pop();
    fake.cluster.storages.pop();
    fake.cluster.addMachine(100_050, "pve1", { name: "somebody's" });
    const wrong = await check();
    for (const part of [
      "lacks Datastore.AllocateSpace",
      "firewall is off",
      "9001 shall be a template of Debian 13",
      "pve1 has no vmbr0",
      "pve2 has no storage local-zfs",
      "100050 is none of ours",
    ])
      expect(wrong).toContainEqual(expect.stringContaining(part));
    const stranger = await check({ HOSTLEDGER_PROXMOX_FINGERPRINT: Array(32).fill("00").join(":") });
    expect(stranger).toEqual([expect.stringContaining("another fingerprint")]);
    expect(await check({ HOSTLEDGER_PROXMOX_CONFIG: "", HOSTLEDGER_PROXMOX_URL: "" })).toEqual([
      "HOSTLEDGER_PROXMOX_URL must say where the cluster's API is, since HOSTLEDGER_COMPUTE is proxmox.",
      "HOSTLEDGER_PROXMOX_CONFIG must name a JSON file, since HOSTLEDGER_COMPUTE is proxmox.",
    ]);
  });
});
