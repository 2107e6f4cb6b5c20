import { stockAggregate, stockId } from "@hostledger/core";
import { createCommandHandler, type EventStore } from "@hostledger/store";
import { unknown, type Compute, type Dns, type Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { eventually, type VirtualClock } from "@hostledger/runtime/testing";
import { expect } from "vitest";

import { commandInProcess } from "./command-in-process.ts";
import { itemsOf, objectOf } from "./matchers.ts";
import { openShop, registerName, type Shop } from "./shop.ts";

/** A shop whose providers the test can change directly. */
export interface DifferingShop {
  readonly shop: Shop;
  readonly clock: VirtualClock;
  readonly store: EventStore;
  readonly registrar: Registrar;
  readonly dns: Dns;
  readonly compute: Compute;
  /** Ids of the domains, by name. */
  readonly ids: ReadonlyMap<string, number>;
  readonly serverIds: readonly number[];
}

const domains = ["missing", "longer", "hosts-1", "hosts-2", "lock-1", "lock-2", "privacy-1", "privacy-2"]
  .concat(["zone-1", "zone-2", "records-1", "records-2", "records-3", "busy", "fine"])
  .map((label) => `${label}.com`);

/** Opens it with 15 domains and 4 servers. Of `busy.com` the registrar answers nothing to a change, which therefore goes on. */
export async function openDifferingShop(
  clock: VirtualClock,
  environment: Readonly<Record<string, string>> = {},
): Promise<DifferingShop> {
  const opened: { store?: EventStore; registrar?: Registrar; dns?: Dns; compute?: Compute } = {};
  const shop = await openShop({
    clock,
    environment: { HOSTLEDGER_REGISTRAR_CHECKS: "0", ...environment },
    decorate: {
      store: (store) => (opened.store = store),
      registrar: (registrar) => neverChanging((opened.registrar = registrar)),
      dns: (dns) => (opened.dns = dns),
      compute: (compute) => (opened.compute = compute),
    },
  });
  const ids = new Map<string, number>();
  for (const name of domains) ids.set(name, await registerName(shop.owner, name));
  const serverIds: number[] = [];
  for (let index = 0; index < 4; index += 1) serverIds.push(await shop.provision());
  // The work engine checks new servers once and would repair differences planted before that.
  await clock.sleep(20_000);
  const { store, registrar, dns, compute } = opened;
  if (store === undefined || registrar === undefined || dns === undefined || compute === undefined)
    throw new Error("the instance opened no providers");
  return { shop, clock, store, registrar, dns, compute, ids, serverIds };
}

/** Runs `hostledger reconcile`. */
export async function reconcile({ shop, clock }: DifferingShop, ...flags: readonly string[]) {
  const { code, document, stderr } = await commandInProcess(shop.instance, clock, "reconcile", ...flags);
  const { differences, not_compared: notCompared } = objectOf(document);
  const kinds = itemsOf(differences).map(({ kind, resource }) => `${String(kind)} ${String(resource)}`);
  return { code, stderr, differences: itemsOf(differences), kinds: kinds.sort(), notCompared };
}

/** Plants 20 differences, and another one of a name that is being changed. @returns the 20, sorted. */
export async function plantDifferences(differing: DifferingShop): Promise<readonly string[]> {
  const { ids, registrar, shop } = differing;
  const change = await shop.owner.put(`/domains/${String(ids.get("busy.com"))}/settings`, {
    lock_status: false,
  });
  expect(change.status).toBe(502);
  await registrar.updateNameservers("busy.com", ["ns1.other.example"]);
  const all = [
    ...(await plantAtRegistrar(registrar)),
    ...(await plantAtDns(differing.dns)),
    ...(await plantAtNodes(differing)),
  ];
  expect(all).toHaveLength(20);
  return all.sort();
}

/** Returns the planted differences that cost money or a name, or that the operator must decide. */
export function leftByFix(all: readonly string[]): readonly string[] {
  return all.filter((each) => /^\w+-(?:missing|unpaid|expiry|unit) (?!zone-)/.test(each));
}

/** The registrar answers nothing to a change of `busy.com`. */
function neverChanging(registrar: Registrar): Registrar {
  const plain = plainRegistrar(registrar);
  return {
    ...plain,
    updateSettings: (name, settings) =>
      name === "busy.com" ? Promise.resolve(unknown("Nobody knows.")) : plain.updateSettings(name, settings),
  };
}

async function plantAtRegistrar(registrar: Registrar): Promise<readonly string[]> {
  await registrar.cancel("missing.com");
  const held = await registrar.inquire("longer.com");
  if (held.outcome !== "done" || !held.value.held) throw new Error("longer.com is not held");
  const { expiresAt: currentExpiresAt } = held.value.domain;
  const renewal = { clientTransactionId: "planted-1", name: "longer.com", currentExpiresAt, years: 1 };
  await registrar.renew(renewal);
  const order = { clientTransactionId: "planted-2", name: "unpaid.com", years: 1, nameservers: [] };
  await registrar.register(order);
  for (const name of ["hosts-1.com", "hosts-2.com"])
    await registrar.updateNameservers(name, ["ns1.thief.example", "ns2.thief.example"]);
  for (const name of ["lock-1.com", "lock-2.com"])
    await registrar.updateSettings(name, { transferLock: false });
  for (const name of ["privacy-1.com", "privacy-2.com"])
    await registrar.updateSettings(name, { whoisPrivacy: false });
  return [
    "domain-missing missing.com",
    "domain-expiry longer.com",
    "domain-unpaid unpaid.com",
    "domain-nameservers hosts-1.com",
    "domain-nameservers hosts-2.com",
    "domain-lock lock-1.com",
    "domain-lock lock-2.com",
    "domain-privacy privacy-1.com",
    "domain-privacy privacy-2.com",
  ];
}

async function plantAtDns(dns: Dns): Promise<readonly string[]> {
  await dns.deleteZone("zone-1.com");
  await dns.deleteZone("zone-2.com");
  const address = { type: "A", ttlSeconds: 3_600 };
  await dns.replaceRecordSets("records-1.com", [
    { ...address, name: "@", records: [{ value: "203.0.113.9" }] },
  ]);
  await dns.replaceRecordSets("records-2.com", [{ ...address, name: "www", records: [] }]);
  await dns.replaceRecordSets("records-3.com", [
    { ...address, name: "new", records: [{ value: "203.0.113.9" }] },
  ]);
  await dns.createZone({ name: "unknown.com", records: [] });
  return [
    "zone-missing zone-1.com",
    "zone-missing zone-2.com",
    "zone-records records-1.com @ A",
    "zone-records records-2.com www A",
    "zone-records records-3.com new A",
    "zone-unpaid unknown.com",
  ];
}

/** A unit that an order took of which nobody knows. Of a plan of its own: the service has its stock not in memory yet. */
async function plantUnit({ shop, clock, store }: DifferingShop): Promise<void> {
  const terms = { title: "Rare", cores: 1, memoryGb: 1, storageGb: 10, priceCents: 499n };
  const { planId } = await shop.instance.staff.servers.addPlan(terms);
  const key = { planId: Number(planId), regionId: shop.regionId, at: clock.now() };
  const commands = createCommandHandler({ store, recordedBy: "spec" });
  for (const command of [
    { type: "SetStock", data: { ...key, units: 5 } },
    { type: "ReserveStockUnit", data: { ...key, orderId: "planted-3" } },
  ] as const)
    await commands.execute(stockAggregate, stockId(key), command, {
      commandId: `planted/${command.type}`,
      correlationId: "planted",
      actor: "spec",
    });
  await eventually(clock, async () => {
    const { body } = await shop.owner.get("/stock");
    expect(itemsOf(body)).toHaveLength(2);
  });
}

async function plantAtNodes(differing: DifferingShop): Promise<readonly string[]> {
  const { compute, serverIds } = differing;
  const [gone = 0, stopped = 0, open = 0] = serverIds;
  const held = await compute.list?.();
  const machineOf = (id: number): string => {
    const names = held?.outcome === "done" ? held.value : [];
    return names.find((name) => name.endsWith(`-${String(id)}`)) ?? `no machine of server ${String(id)}`;
  };
  await compute.destroy(machineOf(gone));
  await compute.suspend(machineOf(stopped));
  await compute.replaceFirewall(machineOf(open), { enabled: false, rules: [] });
  const plan = { title: "Small", cores: 2, memoryGb: 4, storageGb: 80 };
  const firewall = { enabled: true, rules: [] };
  const order = { name: "server-9000", plan, region: "fra", distro: "Debian 13", sshKey: null, firewall };
  await compute.provision(order);
  await plantUnit(differing);
  return [
    `server-missing ${machineOf(gone)}`,
    `server-power ${machineOf(stopped)}`,
    `server-firewall ${machineOf(open)}`,
    "server-unpaid server-9000",
    "stock-unit Rare fra",
  ];
}
