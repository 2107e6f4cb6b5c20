import { createServer } from "node:http";

import type { EventStore } from "@hostledger/store";
import type { Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { randomIds, realTiming } from "@hostledger/runtime";
import { eventually as eventuallyBy, listening, temporaryDirectory } from "@hostledger/runtime/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import { textInProcess } from "../support/command-in-process.ts";
import { type Instance, type InstanceOptions, startInstance } from "../support/instance.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import type { RestClient } from "../support/rest-client.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";
import { customerAt, staffReadiness } from "../support/staff-client.ts";

/** An event in one stream that nobody can read: everything else goes on, and staff see and mend it (ADR 0026). */

const metadata = JSON.stringify({
  commandId: "a-script",
  correlationId: "a-script",
  causationId: "a-script",
  actor: "staff:script",
  recordedBy: "script",
});
const metricsToken = "the-token-of-prometheus";

/** Waits as long as a busy machine needs. */
const eventually = (check: () => unknown): Promise<unknown> =>
  eventuallyBy(realTiming, check, { limitMs: 30_000 });

/** Opens a shop whose other customer is notified of every domain, and its store, in which another program writes. */
async function openWatchedShop(options: InstanceOptions = {}) {
  const stores: EventStore[] = [];
  let delivered = 0;
  const hooks = createServer((_request, response) => {
    delivered += 1;
    response.end();
  });
  const url = await listening(hooks);
  const shop = await openShop({
    ...options,
    environment: {
      HOSTLEDGER_WEBHOOK_ALLOW: "127.0.0.0/8",
      HOSTLEDGER_METRICS_TOKEN: metricsToken,
      ...options.environment,
    },
    decorate: {
      ...options.decorate,
      store(store) {
        stores.push(store);
        return store;
      },
    },
  });
  onTestFinished(() => shop.close());
  const [store] = stores;
  if (store === undefined) throw new Error("an instance opens its event store");
  const hook = await shop.stranger.post("/webhooks", { url, events: ["domain.registered"] });
  expect(hook.status).toBe(201);
  return { shop, store, delivered: () => delivered };
}

type Watched = Awaited<ReturnType<typeof openWatchedShop>>;

/** Stores an event as a script does that knows nothing of our rules. */
async function storeEvent(store: EventStore, stream: string, type: string, data: string, by = metadata) {
  await store.append(stream, "any", [{ id: randomIds.uuid(), type, data, metadata: by }]);
}

async function namesOf(client: RestClient): Promise<readonly unknown[]> {
  return itemsOf((await client.get("/domains")).body).map((domain) => domain.domain_name);
}

async function metric(instance: Instance, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const text = await (await fetch(new URL("/metrics", instance.adminUrl), { headers })).text();
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gmu"));
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
}

/** Whatever other customers do goes on, and shows at once. */
async function expectOthersGoOn({ stranger }: Shop, name: string, delivered: () => number): Promise<void> {
  const before = delivered();
  await registerName(stranger, name);
  const listed = await stranger.get("/domains");
  expect(listed.headers.get("hostledger-stale")).toBeNull();
  expect(await namesOf(stranger)).toContain(name);
  expect((await stranger.post("/tickets", { title: `About ${name}`, message: "words" })).status).toBe(201);
  await eventually(() => {
    expect(delivered()).toBeGreaterThan(before);
  });
}

async function readyParts({ adminUrl, data }: Instance) {
  const { status, parts } = await staffReadiness(adminUrl, data);
  expect(status).toBe(200);
  return objectOf(parts);
}

async function staffSays({ instance }: Pick<Shop, "instance">, ...line: readonly string[]) {
  return textInProcess(instance, realTiming, ...line);
}

/** Expects that the stream stops until staff mend it, and that everything else continues. */
async function expectStopsUntilMended(
  { shop, delivered }: Watched,
  stream: string,
  eventType: string,
): Promise<void> {
  const { instance, owner } = shop;
  await expectOthersGoOn(shop, "after.com", delivered);
  await eventually(async () => {
    const { streams } = await instance.staff.projections.listStoppedStreams({});
    expect(streams).toMatchObject([{ stream, kind: "damaged", eventType }]);
  });
  const [stop] = (await instance.staff.projections.listStoppedStreams({})).streams;
  const revision = String(stop?.revision);
  expect((await readyParts(instance))["stopped-streams"]).toBe(stream);
  const title = `An event of ${stream} cannot be read`;
  const openTickets = async () =>
    (await instance.staff.support.listAllTickets({ openOnly: true })).tickets.map(
      ({ ticket }) => ticket?.title,
    );
  await eventually(async () => expect(await openTickets()).toContain(title));
  const runs = await staffSays(shop, "admin", "runs", "list");
  expect(runs.code).toBe(0);
  const reconciled = await staffSays(shop, "reconcile");
  expect(reconciled.stdout).toContain(`critical stream-stopped ${stream}: expected events that can be read`);
  expect(reconciled.code).toBe(1);

  const mended = await staffSays(
    shop,
    "projections",
    "mend",
    stream,
    revision,
    "--reason",
    "A script wrote it.",
  );
  expect(mended.stderr + mended.stdout).toContain(`${stream} goes on without event ${revision}`);
  expect(mended.code).toBe(0);
  await eventually(async () => {
    expect((await instance.staff.projections.listStoppedStreams({})).streams).toEqual([]);
    expect(await readyParts(instance)).not.toHaveProperty("stopped-streams");
    expect(await openTickets()).not.toContain(title);
  });
  expect((await staffSays(shop, "reconcile")).stdout).toContain("Nothing differs.");
  await registerName(owner, "mended.com");
  expect(await namesOf(owner)).toContain("mended.com");
  await expectOthersGoOn(shop, "second.com", delivered);
  expect((await owner.get("/domains")).headers.get("hostledger-stale")).toBeNull();
  const { code } = await staffSays(shop, "projections", "mend", stream, revision, "--reason", "Again.");
  expect(code).toBe(0);
}

/** Returns the last stream with this prefix. */
async function lastStreamOf(store: EventStore, prefix: string): Promise<string> {
  let last = "";
  for await (const { events, caughtUp } of store.subscribe({ from: "start", streamPrefixes: [prefix] })) {
    last = events.at(-1)?.stream ?? last;
    if (caughtUp) break;
  }
  return last;
}

/** Stores the first event of a stream in it once more, as a script does. @returns its type */
async function repeatFirst(store: EventStore, stream: string): Promise<string> {
  for await (const { type, data } of store.read(stream, { limit: 1 })) {
    await storeEvent(store, stream, type, data);
    return type;
  }
  throw new Error(`${stream} is empty`);
}

describe("one foreign event in domain-zzz.com", () => {
  it("stops nothing, is counted, and the name can be sold", async () => {
    const { shop, store, delivered } = await openWatchedShop();
    await storeEvent(store, "domain-zzz.com", "CrmNoteTaken", '{"note":"likes tea"}', "{}");
    await expectOthersGoOn(shop, "after.com", delivered);
    await registerName(shop.owner, "zzz.com");
    await storeEvent(store, "domain-zzz.com", "CrmNoteTaken", '{"note":"likes tea"}', "none");
    expect(await namesOf(shop.owner)).toEqual(["zzz.com"]);
    expect((await shop.instance.staff.projections.listStoppedStreams({})).streams).toEqual([]);
    expect(await readyParts(shop.instance)).not.toHaveProperty("stopped-streams");
    await eventually(async () => {
      expect(await metric(shop.instance, "hostledger_foreign_events")).toBeGreaterThan(0);
    });
    expect((await staffSays(shop, "reconcile")).stdout).toContain("Nothing differs.");
  });
});

describe("an own event that cannot be read", () => {
  it.each([
    [
      "the domain",
      async ({ owner }: Shop) => {
        await registerName(owner, "zzz.com");
        return "domain-zzz.com";
      },
      "none",
    ],
    ["the account", ({ owner }: Shop) => `account-${String(owner.accountId)}`, "none"],
    ["a server", async ({ provision }: Shop) => `server-${String(await provision())}`, "none"],
    [
      "a ticket",
      async ({ owner }: Shop) => {
        const { body } = await owner.post("/tickets", { title: "Of the owner", message: "words" });
        return `ticket-${String(objectOf(objectOf(body).ticket).id)}`;
      },
      "none",
    ],
    ["a run", () => "registration-0b0d1c3e-5f5c-4d5f-9a3e-6f3f0a9d1c11", "none"],
    ["keys", () => "sequence-apikey", "none"],
    ["a name that nobody has", () => "domain-nobody.com", "none"],
    ["answers of staff about another stream", () => "mending-domain-nobody.com", "none"],
  ])("in the stream of %s stops that stream until staff have it skipped", async (_what, streamOf, data) => {
    const watched = await openWatchedShop();
    const stream = await streamOf(watched.shop);
    await storeEvent(watched.store, stream, "BalanceCharged.v1", data);
    await expectStopsUntilMended(watched, stream, "BalanceCharged.v1");
  });

  it.each([
    [
      "domain",
      async ({ owner }: Shop) => {
        await registerName(owner, "zzz.com");
        return "domain-zzz.com";
      },
    ],
    ["account", ({ owner }: Shop) => `account-${String(owner.accountId)}`],
    ["server", async ({ provision }: Shop) => `server-${String(await provision())}`],
    [
      "ticket",
      async ({ owner }: Shop) => {
        const { body } = await owner.post("/tickets", { title: "Of the owner", message: "words" });
        return `ticket-${String(objectOf(objectOf(body).ticket).id)}`;
      },
    ],
    [
      "run",
      async ({ owner }: Shop, store: EventStore) => {
        await registerName(owner, "zzz.com");
        return lastStreamOf(store, "registration-");
      },
    ],
    ["sequence", () => "sequence-apikey"],
    ["plan", () => "plan-1"],
    ["region", () => "region-1"],
    [
      "ticket's cause",
      async ({ owner }: Shop, store: EventStore) => {
        await owner.post("/tickets", { title: "Of the owner", message: "words" });
        return lastStreamOf(store, "ticketcause-");
      },
    ],
  ])(
    "that repeats the first event of a %s stream stops that stream until staff have it skipped",
    async (_what, streamOf) => {
      const watched = await openWatchedShop();
      const { shop, store } = watched;
      const stream = await streamOf(shop, store);
      const type = await repeatFirst(store, stream);
      await expectStopsUntilMended(watched, stream, type);
    },
  );
  it("marks the answers to the account of its stream", async () => {
    const { shop, store } = await openWatchedShop();
    const { owner, stranger } = shop;
    await registerName(owner, "zzz.com");
    await registerName(stranger, "other.com");
    await storeEvent(store, "domain-zzz.com", "DomainRenewed.v1", "{}");
    await eventually(async () => {
      const stale = (await owner.get("/domains")).headers.get("hostledger-stale");
      expect(stale).toContain("domain.domains");
    });
    expect((await stranger.get("/domains")).headers.get("hostledger-stale")).toBeNull();
    expect(await namesOf(owner)).toEqual(["zzz.com"]);
    const runs = await staffSays(shop, "admin", "runs", "list");
    expect(runs.stderr).toContain("domain.process_runs");
    // The mark goes with the rows that stand still.
    expect((await owner.get("/servers")).headers.get("hostledger-stale")).toBeNull();
  });

  it("does not prevent other runs from ending after a restart", async () => {
    const directory = temporaryDirectory();
    onTestFinished(() => {
      directory.remove();
    });
    // The registrar takes the order and never answers, as one does that is frozen.
    const frozen = {
      registrar: (registrar: Registrar): Registrar => ({
        ...plainRegistrar(registrar),
        register: () => Promise.reject(new Error("the registrar is away")),
        inquire: () => Promise.reject(new Error("the registrar is away")),
      }),
    };
    const options = { data: directory.path, environment: { HOSTLEDGER_WEBHOOK_ALLOW: "127.0.0.0/8" } };
    const stores: EventStore[] = [];
    const first = await openShop({
      ...options,
      decorate: {
        ...frozen,
        store: (store) => {
          stores.push(store);
          return store;
        },
      },
    });
    const { owner } = first;
    const ordered = owner.post("/domains", { domain: "charged.com" }).catch(() => undefined);
    const [store] = stores;
    if (store === undefined) throw new Error("an instance opens its event store");
    await eventually(async () => {
      const { runs } = await first.instance.staff.domains.listRuns({});
      expect(runs.map(({ subject }) => subject)).toContain("charged.com");
    });
    await storeEvent(store, "domain-zzz.com", "CrmNoteTaken", "{}", "{}");
    await storeEvent(store, "domain-zzz.com", "DomainRenewed.v1", "{}");
    await storeEvent(store, "registration-of-nobody", "RegistrationStarted.v1", "{}");
    await first.close();
    await ordered;

    const again = await startInstance(options);
    onTestFinished(() => again.close());
    const customer = customerAt(again.baseUrl, owner);
    await eventually(async () => {
      const { runs } = await again.staff.domains.listRuns({});
      expect(runs.map(({ subject }) => subject)).not.toContain("charged.com");
      // Sold, or given back: the registrar said that it holds nothing.
      const [names, balance] = [await namesOf(customer), await balanceOf(customer)];
      expect([
        [["charged.com"], "988.10"],
        [[], "1000.00"],
      ]).toContainEqual([names, String(balance)]);
    });
  });
});
