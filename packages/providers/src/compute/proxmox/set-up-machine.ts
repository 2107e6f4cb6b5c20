import type { Clock } from "@hostledger/runtime";

import type { ServerOrder } from "../compute.port.ts";
import { descriptionOf, digestOf, type MachineNotes } from "./machine-notes.ts";
import type { Machine, Machines, Occupied } from "./machines.ts";
import { machinesAnswer, nodesAnswer, statusAnswer } from "./proxmox-answers.ts";
import type { ProxmoxClient } from "./proxmox-client.ts";
import { ProxmoxError } from "./proxmox-error.ts";
import { replaceMachineFirewall } from "./proxmox-firewall.ts";
import { placesFor, type ProxmoxLayout, type ProxmoxRegion } from "./proxmox-layout.ts";

export interface MachineParts {
  readonly client: ProxmoxClient;
  readonly machines: Machines;
  readonly layout: ProxmoxLayout;
  readonly clock: Clock;
}

/**
 * Clones the order's template to the first free place of its region. The vmid decides the place and its address,
 * because Proxmox VE assigns a vmid only once, even to concurrent orders.
 * @returns undefined if another clone took the place first, perhaps of a repeat of the order.
 * @throws ProxmoxError `rejected` if nothing was created.
 */
export async function cloneFor(
  parts: MachineParts,
  order: ServerOrder,
  { isFree }: Occupied,
): Promise<Machine | undefined> {
  const { machines, clock } = parts;
  const { name } = order;
  const region = regionOf(parts.layout, order);
  const target = await chooseNode(parts.client, order.region, region);
  const template = await chooseTemplate(parts, order, target);
  const place = placesFor(region, name).find(({ vmid }) => isFree(vmid));
  if (place === undefined) throw new ProxmoxError("rejected", `Region ${order.region} has no free address.`);
  const { vmid, address } = place;
  const rdns = region.reverseName.replaceAll("{address}", address.replaceAll(".", "-"));
  const notes = { order: name, digest: digestOf(order), address, rdns, at: clock.now(), ready: false };
  const isMade = await machines.whileCloning(vmid, name, () =>
    clone(parts, { vmid, notes, template, target }),
  );
  if (!isMade) return undefined;
  const machine = await machines.at(name, vmid);
  if (machine !== undefined) return machine;
  throw new ProxmoxError("unknown", `Machine ${String(vmid)} was cloned but cannot be found.`);
}

function regionOf({ regions }: ProxmoxLayout, { region: code }: ServerOrder): ProxmoxRegion {
  const region = regions[code];
  if (region !== undefined) return region;
  throw new ProxmoxError("rejected", `The cluster has no region ${code}.`);
}

interface Clone {
  readonly vmid: number;
  readonly notes: MachineNotes;
  readonly template: { readonly vmid: number; readonly node: string };
  /** Node for the machine. */
  readonly target: string;
}

/** @returns false if another clone took the vmid first. */
async function clone(
  { client, machines, layout }: MachineParts,
  { vmid, notes, template, target }: Clone,
): Promise<boolean> {
  try {
    await client.change("POST", `/nodes/${template.node}/qemu/${String(template.vmid)}/clone`, {
      newid: vmid,
      name: notes.order,
      description: descriptionOf(notes),
      full: 1,
      storage: layout.storage,
      pool: layout.resourcePool,
      target: template.node === target ? undefined : target,
    });
    return true;
  } catch (error) {
    if (!(error instanceof ProxmoxError) || error.certainty === "unknown") throw error;
    // The task reports "File exists" if the other machine is on another node.
    if (/already exists|File exists/i.test(error.message)) return false;
    // A failed clone removes its files, unless its node crashed.
    if ((await machines.at(notes.order, vmid).catch(() => "unread")) !== undefined)
      throw error.afterChanges();
    throw error;
  }
}

async function chooseNode(client: ProxmoxClient, code: string, { nodes }: ProxmoxRegion): Promise<string> {
  const online = (await client.get("/nodes", nodesAnswer))
    .filter(({ node, status }) => nodes.includes(node) && status === "online")
    .map(({ node, maxmem = 0, mem = 0 }) => ({ node, free: maxmem - mem }))
    .sort((one, other) => other.free - one.free);
  const [first] = online;
  if (first === undefined) throw new ProxmoxError("unreachable", `No node of region ${code} is online.`);
  return first.node;
}

async function chooseTemplate({ client, layout }: MachineParts, { distro }: ServerOrder, target: string) {
  const vmids = layout.templates[distro];
  if (vmids === undefined) throw new ProxmoxError("rejected", `There is no template of ${distro}.`);
  const there = (await client.get("/cluster/resources", machinesAnswer, { type: "vm" })).filter(({ vmid }) =>
    vmids.includes(vmid),
  );
  const template = there.find(({ node }) => node === target) ?? there[0];
  if (template === undefined)
    throw new ProxmoxError(
      "rejected",
      `The template of ${distro} is not in the cluster, or the token may not read it.`,
    );
  return template;
}

/** Configures and starts a clone. Every step is safe to repeat. */
export async function setUp(parts: MachineParts, machine: Machine, order: ServerOrder): Promise<void> {
  const { client, layout } = parts;
  const { path, notes } = machine;
  const region = regionOf(layout, order);
  const { plan, sshKey } = order;
  await client.change("PUT", `${path}/config`, {
    cores: plan.cores,
    sockets: 1,
    memory: plan.memoryGb * 1_024,
    onboot: 1,
    ciuser: layout.user,
    // Proxmox VE requires the keys URL-encoded twice: alone, and in the form.
    sshkeys: sshKey === null ? undefined : encodeURIComponent(sshKey),
    ipconfig0: `ip=${notes.address}/${String(region.prefix)},gw=${region.gateway}`,
    nameserver: layout.nameservers.join(" "),
    net0: networkOf(machine, layout.bridge),
  });
  await growDisk(parts, machine, plan.storageGb);
  await replaceMachineFirewall(client, path, order.firewall);
  const { status } = await client.get(`${path}/status/current`, statusAnswer);
  if (status !== "running") await client.change("POST", `${path}/status/start`);
  await client.change("PUT", `${path}/config`, { description: descriptionOf({ ...notes, ready: true }) });
}

/** Returns the network card with our bridge, the firewall and the existing MAC address. */
function networkOf({ config }: Machine, bridge: string): string {
  const mac = /(?:^|,)virtio=([0-9A-Fa-f:]{17})(?:,|$)/.exec(textOf(config.net0))?.[1];
  return `virtio${mac === undefined ? "" : `=${mac}`},bridge=${bridge},firewall=1`;
}

/** Enlarges the disk; disks are never made smaller. */
async function growDisk(
  { client, layout }: MachineParts,
  { path, config }: Machine,
  gb: number,
): Promise<void> {
  const { disk } = layout;
  if (sizeGb(textOf(config[disk])) === gb) return;
  await client.change("PUT", `${path}/resize`, { disk, size: `${String(gb)}G` });
}

function sizeGb(drive: string): number | undefined {
  const [, digits = "", unit = ""] = /(?:^|,)size=(\d+)([MGT])(?:,|$)/.exec(drive) ?? [];
  const factors: Readonly<Record<string, number>> = { M: 1 / 1_024, G: 1, T: 1_024 };
  const factor = factors[unit];
  return factor === undefined ? undefined : Number(digits) * factor;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
