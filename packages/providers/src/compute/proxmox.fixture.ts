import { systemClock, type Clock } from "@hostledger/runtime";
import { yieldToOthers } from "@hostledger/runtime/async";

import { startFakeProxmox, type FakeProxmox } from "../testing/index.ts";
import type { ServerOrder } from "./compute.port.ts";
import type { ProxmoxAccess } from "./proxmox/proxmox-client.ts";
import { proxmoxLayout, type ProxmoxLayout } from "./proxmox/proxmox-layout.ts";
import { ProxmoxCompute } from "./proxmox-compute.adapter.ts";

/** Returns a clock whose pauses end at once, because the fake cluster counts time in requests. */
export function impatientClock(): Clock {
  return { ...systemClock(), sleep: () => yieldToOthers() };
}

export const layoutFile = {
  resourcePool: "hostledger",
  storage: "local-zfs",
  bridge: "vmbr0",
  nameservers: ["192.0.2.53"],
  templates: { "Debian 13": [9_000, 9_001] },
  regions: {
    fra: {
      nodes: ["pve1", "pve2"],
      firstVmid: 100_000,
      addresses: ["203.0.113.10-203.0.113.99"],
      prefix: 24,
      gateway: "203.0.113.1",
      reverseName: "{address}.fra.example.net",
    },
  },
};

export function layoutWith(region: object = {}): ProxmoxLayout {
  const regions = { fra: { ...layoutFile.regions.fra, ...region } };
  return proxmoxLayout.parse({ ...layoutFile, regions });
}

export function computeOn(
  fake: FakeProxmox,
  access: Partial<ProxmoxAccess> = {},
  layout: ProxmoxLayout = layoutWith(),
): ProxmoxCompute {
  const { url, token, fingerprint } = fake;
  const limits = { readLimitMs: 30_000, writeLimitMs: 30_000, taskLimitMs: 60_000 };
  return new ProxmoxCompute({
    access: { url, token, fingerprint, ...limits, ...access },
    layout,
    clock: impatientClock(),
  });
}

export async function openCompute() {
  const fake = await startFakeProxmox();
  return { fake, compute: computeOn(fake) };
}

export const orderFor = (name: string, change: Partial<ServerOrder> = {}): ServerOrder => ({
  name,
  plan: { title: "Small", cores: 2, memoryGb: 4, storageGb: 40 },
  region: "fra",
  distro: "Debian 13",
  sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI+/= me@host",
  firewall: { enabled: true, rules: [] },
  ...change,
});
