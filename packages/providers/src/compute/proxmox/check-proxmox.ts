import { right, wrong, type ProviderFinding } from "../../check/provider-check.ts";
import { notesIn } from "./machine-notes.ts";
import {
  clusterFirewallAnswer,
  configAnswer,
  machinesAnswer,
  networksAnswer,
  nodesAnswer,
  permissionsAnswer,
  storagesAnswer,
  versionAnswer,
} from "./proxmox-answers.ts";
import type { ProxmoxClient } from "./proxmox-client.ts";
import { ProxmoxError } from "./proxmox-error.ts";
import { placesFor, type ProxmoxLayout, type ProxmoxRegion } from "./proxmox-layout.ts";

/** Privileges that the token needs on some path. */
export const neededPrivileges: readonly string[] = [
  "Datastore.AllocateSpace",
  "SDN.Use",
  "Sys.Audit",
  "VM.Allocate",
  "VM.Audit",
  "VM.Clone",
  "VM.Config.CPU",
  "VM.Config.Cloudinit",
  "VM.Config.Disk",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.Options",
  "VM.PowerMgmt",
];

/** Maximum machines whose notes a check reads. */
const machineLimit = 1_000;

interface Asked {
  readonly client: ProxmoxClient;
  readonly layout: ProxmoxLayout;
}

/** Checks everything that the layout requires of the cluster. */
export async function checkCluster(asked: Asked): Promise<readonly ProviderFinding[]> {
  try {
    const { version } = await asked.client.get("/version", versionAnswer);
    const found = right(`Proxmox VE ${version} takes the token.`);
    const more = await Promise.all([
      checkPrivileges(asked),
      checkFirewall(asked),
      checkTemplates(asked),
      ...Object.entries(asked.layout.regions).map((region) => checkRegion(asked, region)),
    ]);
    return [found, ...more.flat()];
  } catch (error) {
    if (!(error instanceof ProxmoxError)) throw error;
    return [wrong(error.message)];
  }
}

async function checkPrivileges({ client }: Asked): Promise<readonly ProviderFinding[]> {
  const byPath = await client.get("/access/permissions", permissionsAnswer);
  const given = new Set(Object.values(byPath).flatMap((privileges) => Object.keys(privileges)));
  const missing = neededPrivileges.filter((privilege) => !given.has(privilege));
  if (missing.length === 0) return [right("The token has every privilege that is needed.")];
  return [wrong(`The token lacks ${missing.join(", ")}: give them to its role.`)];
}

/** Checks the cluster's firewall, without which machines' firewalls have no effect. */
async function checkFirewall({ client }: Asked): Promise<readonly ProviderFinding[]> {
  const { enable = false } = await client.get("/cluster/firewall/options", clusterFirewallAnswer);
  if (enable) return [right("The cluster's firewall is on.")];
  return [
    wrong("The cluster's firewall is off, so that no server's firewall works: turn it on at Datacenter."),
  ];
}

async function checkTemplates({ client, layout }: Asked): Promise<readonly ProviderFinding[]> {
  const machines = await client.get("/cluster/resources", machinesAnswer, { type: "vm" });
  const templates = new Set(machines.filter(({ template }) => template === true).map(({ vmid }) => vmid));
  return Object.entries(layout.templates).flatMap(([distro, vmids]) =>
    vmids.map((vmid) =>
      templates.has(vmid)
        ? right(`${String(vmid)} is a template of ${distro}.`)
        : wrong(
            `${String(vmid)} shall be a template of ${distro}, and is no template that the token may see.`,
          ),
    ),
  );
}

async function checkRegion(
  asked: Asked,
  [code, region]: readonly [string, ProxmoxRegion],
): Promise<readonly ProviderFinding[]> {
  const online = (await asked.client.get("/nodes", nodesAnswer))
    .filter(({ status }) => status === "online")
    .map(({ node }) => node);
  const findings = await Promise.all(
    region.nodes.map((node) =>
      online.includes(node)
        ? checkNode(asked, node)
        : Promise.resolve([wrong(`Node ${node} of region ${code} is not online.`)]),
    ),
  );
  return [...findings.flat(), ...(await checkPlaces(asked, code, region))];
}

async function checkNode({ client, layout }: Asked, node: string): Promise<readonly ProviderFinding[]> {
  const { storage, bridge } = layout;
  const bridges = await client.get(`/nodes/${node}/network`, networksAnswer);
  const storages = await client.get(`/nodes/${node}/storage`, storagesAnswer);
  const usable = storages.find((one) => one.storage === storage && one.content.split(",").includes("images"));
  return [
    bridges.some(({ iface }) => iface === bridge)
      ? right(`Node ${node} is online and has ${bridge}.`)
      : wrong(`Node ${node} has no ${bridge}.`),
    ...(storage === undefined || usable !== undefined
      ? []
      : [wrong(`Node ${node} has no storage ${storage} for disk images that the token may see.`)]),
  ];
}

/** Checks that the vmids of a region are ours and have the right addresses. */
async function checkPlaces(
  { client }: Asked,
  code: string,
  region: ProxmoxRegion,
): Promise<readonly ProviderFinding[]> {
  const addresses = new Map(placesFor(region, "").map(({ vmid, address }) => [vmid, address]));
  const machines = await client.get("/cluster/resources", machinesAnswer, { type: "vm" });
  const ours = machines.filter(({ vmid }) => addresses.has(vmid));
  const findings: ProviderFinding[] = [];
  for (const { vmid, node } of ours.slice(0, machineLimit)) {
    const { description } = await client.get(`/nodes/${node}/qemu/${String(vmid)}/config`, configAnswer);
    const notes = notesIn(description);
    if (notes === undefined)
      findings.push(wrong(`Machine ${String(vmid)} is none of ours and takes a place of region ${code}.`));
    else if (notes.address !== addresses.get(vmid))
      findings.push(
        wrong(`Machine ${String(vmid)} has ${notes.address}, which is not the address of its place.`),
      );
  }
  if (findings.length > 0) return findings;
  return [
    right(
      `Region ${code} has ${String(addresses.size - ours.length)} of ${String(addresses.size)} addresses left.`,
    ),
  ];
}
