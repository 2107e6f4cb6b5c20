import { stockAggregate, stockId } from "@hostledger/core";
import { createCommandHandler, type EventStore } from "@hostledger/event-store";
import { unknown, type Compute, type Dns, type Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** `hostledger reconcile` (operator.md, second part) with everything that can differ planted at the providers. */

const clock = virtualClock();
const planted: { store?: EventStore; registrar?: Registrar; dns?: Dns; compute?: Compute } = {};
const ids = new Map<string, number>();
let shop: Shop;
let serverIds: readonly number[];

/** The registrar answers nothing to a change of `busy.com`, which therefore goes on. */
function neverChanging(registrar: Registrar): Registrar {
  const plain = plainRegistrar(registrar);
  return {
    ...plain,
    updateSettings: (name, settings) =>
      name === "busy.com" ? Promise.resolve(unknown("Nobody knows.")) : plain.updateSettings(name, settings),
  };
}

function of<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error("the instance is not there yet");
  return part;
}

const domains = ["missing", "longer", "hosts-1", "hosts-2", "lock-1", "lock-2", "privacy-1", "privacy-2"]
  .concat(["zone-1", "zone-2", "records-1", "records-2", "records-3", "busy", "fine"])
  .map((label) => `${label}.com`);

beforeAll(async () => {
  shop = await openShop({
    clock,
    environment: { HOSTLEDGER_REGISTRAR_CHECKS: "0" },
    decorate: {
      store: (store) => (planted.store = store),
      registrar: (registrar) => neverChanging((planted.registrar = registrar)),
      dns: (dns) => (planted.dns = dns),
      compute: (compute) => (planted.compute = compute),
    },
  });
  for (const name of domains) ids.set(name, await registerName(shop.owner, name));
  serverIds = [
    await shop.provision(),
    await shop.provision(),
    await shop.provision(),
    await shop.provision(),
  ];
  // The nodes' own reconciler looks at new servers once: what is planted before that, it would mend.
  await clock.sleep(20_000);
});

afterAll(() => shop.close());

async function reconcile(...flags: readonly string[]) {
  const { code, document, stderr } = await commandInProcess(shop.instance, clock, "reconcile", ...flags);
  const { differences, not_compared: notCompared } = objectOf(document);
  const kinds = itemsOf(differences).map(({ kind, resource }) => `${String(kind)} ${String(resource)}`);
  return { code, stderr, differences: itemsOf(differences), kinds: kinds.sort(), notCompared };
}

async function plantAtRegistrar(): Promise<readonly string[]> {
  const registrar = of(planted.registrar);
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

async function plantAtDns(): Promise<readonly string[]> {
  const dns = of(planted.dns);
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

/** What the open tickets of differences are about, and how much was said on each. */
async function ticketsOfDifferences(): Promise<[string, number][]> {
  const { support } = shop.instance.staff;
  const { tickets } = await support.listAllTickets({ openOnly: true });
  const read = tickets.map(async ({ ticket }): Promise<[string, number]> => {
    const { comments } = await support.showTicket({ ticketId: ticket?.id ?? 0n });
    return [(ticket?.title ?? "").replace("Books and provider differ: ", ""), comments.length];
  });
  return (await Promise.all(read)).sort();
}

/** A unit that an order took of which nobody knows. Of a plan of its own: the service has its stock not in memory yet. */
async function plantUnit(): Promise<void> {
  const terms = { title: "Rare", cores: 1, memoryGb: 1, storageGb: 10, priceCents: 499n };
  const { planId } = await shop.instance.staff.servers.addPlan(terms);
  const key = { planId: Number(planId), regionId: shop.regionId, at: clock.now() };
  const commands = createCommandHandler({ store: of(planted.store), recordedBy: "spec" });
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

async function plantAtNodes(): Promise<readonly string[]> {
  const compute = of(planted.compute);
  const [gone = 0, stopped = 0, open = 0] = serverIds;
  await compute.destroy(`server-${String(gone)}`);
  await compute.suspend(`server-${String(stopped)}`);
  await compute.replaceFirewall(`server-${String(open)}`, { enabled: false, rules: [] });
  const plan = { title: "Small", cores: 2, memoryGb: 4, storageGb: 80 };
  const firewall = { enabled: true, rules: [] };
  const order = { name: "server-9000", plan, region: "fra", distro: "debian-13", sshKey: null, firewall };
  await compute.provision(order);
  await plantUnit();
  return [
    `server-missing server-${String(gone)}`,
    `server-power server-${String(stopped)}`,
    `server-firewall server-${String(open)}`,
    "server-unpaid server-9000",
    "stock-unit Rare fra",
  ];
}

describe("reconcile", () => {
  let all: readonly string[];

  it("finds nothing where nothing differs", async () => {
    expect(await reconcile()).toMatchObject({ code: 0, kinds: [], notCompared: [] });
  });

  it("finds each of 20 planted differences and nothing else, and nothing of what is being changed", async () => {
    const id = ids.get("busy.com");
    const change = await shop.owner.put(`/domains/${String(id)}/settings`, { lock_status: false });
    expect(change.status).toBe(502);
    await of(planted.registrar).updateNameservers("busy.com", ["ns1.other.example"]);
    all = [...(await plantAtRegistrar()), ...(await plantAtDns()), ...(await plantAtNodes())].sort();
    expect(all).toHaveLength(20);
    const found = await reconcile();
    expect(found).toMatchObject({ code: 1, stderr: "20 things differ.\n", kinds: all, notCompared: [] });
    expect(found.differences[0]).toEqual({
      kind: "domain-expiry",
      resource: "longer.com",
      severity: "critical",
      expected: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      found: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      action: expect.stringMatching(/\.$/),
    });
  });

  it("mends with --fix what costs neither money nor a name, and finds the rest again", async () => {
    const left = all.filter((each) => /^\w+-(?:missing|unpaid|expiry|unit) (?!zone-)/.test(each));
    expect(left).toHaveLength(7);
    const fixed = await reconcile("--fix");
    expect(fixed).toMatchObject({ code: 1, stderr: "7 things differ.\n", kinds: all });
    expect(fixed.differences.filter(({ action }) => action === "Mended.")).toHaveLength(13);
    expect(await reconcile()).toMatchObject({ code: 1, kinds: left });
  });

  it("has asked for one ticket of each on which money or a name hangs", async () => {
    await eventually(clock, async () => {
      const { tickets } = await shop.instance.staff.support.listAllTickets({ openOnly: true });
      const titles = tickets.map(({ ticket }) => ticket?.title).sort();
      expect(titles).toEqual(
        all
          .filter((each) => /^(?:domain|server)-(?:missing|unpaid|expiry) /.test(each))
          .map((each) => `Books and provider differ: ${each}`),
      );
    });
  });

  it("is made by itself ten minutes after a start, mends nothing, and what it came to is a fact", async () => {
    const facts: unknown[] = [];
    await clock.sleep(600_000);
    await eventually(clock, async () => {
      facts.length = 0;
      for (const part of ["domains", "servers"])
        for await (const { type, data } of of(planted.store).read(`comparison-${part}`))
          if (type.startsWith("BooksCompared")) facts.push(JSON.parse(data));
      expect(facts).toMatchObject([
        { part: "domains", critical: 3, major: 0, minor: 1, unanswered: 0 },
        { part: "servers", critical: 2, major: 0, minor: 1, unanswered: 0 },
      ]);
    });
    const { tickets } = await shop.instance.staff.support.listAllTickets({ openOnly: true });
    expect(tickets).toHaveLength(5);
  });

  it("says on their tickets that differences are mended, once, and opens others when they come back", async () => {
    const registrar = of(planted.registrar);
    const compute = of(planted.compute);
    await registrar.cancel("unpaid.com");
    await compute.destroy("server-9000");
    const others = ["domain-expiry longer.com", "domain-missing missing.com", "server-missing"];
    const expectSaid = (...more: readonly [string, number][]) =>
      eventually(clock, async () => {
        const said = (await ticketsOfDifferences()).filter(
          ([title]) => !others.some((other) => title.startsWith(other)),
        );
        const expected = [["domain-unpaid unpaid.com", 1], ["server-unpaid server-9000", 1], ...more];
        expect(said).toEqual(expected.sort());
      });
    for (let round = 0; round < 2; round += 1) {
      expect((await reconcile()).kinds).toHaveLength(5);
      await expectSaid();
    }
    const order = { clientTransactionId: "planted-4", name: "unpaid.com", years: 1, nameservers: [] };
    await registrar.register(order);
    for (let round = 0; round < 2; round += 1) {
      expect((await reconcile()).kinds).toContain("domain-unpaid unpaid.com");
      await expectSaid(["domain-unpaid unpaid.com", 0]);
    }
    await registrar.cancel("unpaid.com");
    await reconcile();
    await expectSaid(["domain-unpaid unpaid.com", 1]);
    // Those that are still there have one ticket, of which nothing was said.
    expect((await ticketsOfDifferences()).filter(([, comments]) => comments === 0)).toHaveLength(3);
  });
});
