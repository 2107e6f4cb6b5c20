import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import {
  AccessDeniedError,
  binaryEvent,
  jsonEvent,
  START,
  type EventStoreDBClient,
} from "@eventstore/db-client";
import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { commandInProcess, hostledgerInProcess } from "../support/command-in-process.ts";
import { openServedShop, type ServedShop } from "./event-store-port.fixture.ts";

/** EventStoreDB's port: no client can delete events, and readers must authenticate. */

let served: ServedShop;

/** Lets a user read these categories. @returns a client as that user. */
async function reader(name: string, ...categories: string[]): Promise<EventStoreDBClient> {
  const { password } = await served.shop.instance.staff.auditors.addStoreReader({ name, categories });
  return served.clientAs(`${name}:${password}`);
}

async function collected<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The streams of all that the client is shown of the log. */
async function streamsShownTo(client: EventStoreDBClient): Promise<readonly string[]> {
  const events = await collected(client.readAll());
  return [...new Set(events.map(({ event }) => event?.streamId ?? "none"))];
}
beforeAll(async () => {
  served = await openServedShop();
});
afterAll(() => served.close());

describe("a reader of all, before others write here what no service would", () => {
  it("copies the log and proves it, with the command line", async () => {
    const { shop, addressAs } = served;
    const directory = temporaryDirectory();
    onTestFinished(directory.remove);
    const { password } = await shop.instance.staff.auditors.addStoreReader({
      name: "emmy",
      categories: ["all"],
    });
    const [events, bundle] = [join(directory.path, "facts.ndjson"), join(directory.path, "bundle")];
    const exportAs = (user: string) =>
      hostledgerInProcess({}, "store", "export", events, "--event-store", addressAs(user));
    expect(await exportAs("emmy:guessed")).toMatchObject({ code: 1 });
    expect(await exportAs(`emmy:${password}`)).toMatchObject({ code: 0 });
    expect(readFileSync(events, "utf8")).toContain("StoreReaderAdded");
    // The audit itself reads the store through the same port.
    expect(await commandInProcess(shop.instance, realTiming, "audit", "export", bundle)).toMatchObject({
      code: 0,
    });
    expect(await hostledgerInProcess({}, "audit", "verify", bundle)).toMatchObject({ code: 0 });
    const live = await commandInProcess(shop.instance, realTiming, "audit", "verify", "--live");
    expect(live).toMatchObject({ code: 0 });
  });
});

describe("a writer with the node's own credential", () => {
  /** Every way in which EventStoreDB's clients make events go away. */
  const deletions: [string, (client: EventStoreDBClient, stream: string) => Promise<unknown>][] = [
    ["a tombstone", (client, stream) => client.tombstoneStream(stream)],
    ["a deletion", (client, stream) => client.deleteStream(stream)],
    ["$maxCount", (client, stream) => client.setStreamMetadata(stream, { maxCount: 1 })],
    ["$maxAge", (client, stream) => client.setStreamMetadata(stream, { maxAge: 1 })],
    ["$tb", (client, stream) => client.setStreamMetadata(stream, { truncateBefore: 9 })],
    ["$acl", (client, stream) => client.setStreamMetadata(stream, { acl: { readRoles: ["$admins"] } })],
    [
      "an event of the stream of metadata",
      (client, stream) =>
        client.appendToStream(`$$${stream}`, jsonEvent({ type: "$metadata", data: { $tb: 9 } })),
    ],
    ["a tombstone of the metadata", (client, stream) => client.tombstoneStream(`$$${stream}`)],
  ];

  it.each(deletions)("does not stop an account with %s", async (_what, remove) => {
    const writer = served.clientAs(served.service);
    const customer = await served.shop.customer(10_000n);
    const stream = `account-${String(customer.accountId)}`;
    await expect(remove(writer, stream)).rejects.toBeInstanceOf(AccessDeniedError);
    const { status } = await customer.post("/domains", { domain: `kept-${String(customer.accountId)}.com` });
    expect(status).toBe(201);
  });

  it("deletes nothing of any kind that is ours, and streams of others as before", async () => {
    const writer = served.clientAs(served.service);
    const ours = [
      "domain-kept.com",
      "server-1",
      "ticket-1",
      "registration-1",
      "sequence-invoice",
      "auditor-1",
    ];
    for (const stream of ours)
      await expect(writer.tombstoneStream(stream), stream).rejects.toBeInstanceOf(AccessDeniedError);
    await writer.appendToStream("visitor-1", jsonEvent({ type: "Seen", data: {} }));
    await writer.setStreamMetadata("visitor-1", { maxCount: 1 });
    await expect(writer.tombstoneStream("visitor-1")).resolves.toHaveProperty("position");
  });
});

describe("a reader without a credential", () => {
  it("is shown nothing: no stream, not the log, no subscription, no group", async () => {
    const stranger = served.clientAs();
    const account = `account-${String(served.shop.owner.accountId)}`;
    for (const reading of [
      () => collected(stranger.readStream(account)),
      () => collected(stranger.readStream("$ce-account")),
      () => collected(stranger.readAll()),
      () => collected(stranger.subscribeToAll()),
      () => collected(stranger.subscribeToStream(account)),
      () => stranger.getStreamMetadata(account),
      () => stranger.listAllPersistentSubscriptions(),
    ])
      await expect(reading()).rejects.toBeInstanceOf(AccessDeniedError);
  });

  it.each([
    ["a wrong password", "services:wrong"],
    ["nobody known", "ada:wrong"],
    ["a name of 2,000 characters", `${"x".repeat(2_000)}:y`],
  ])("nor with %s", async (_what, user) => {
    const liar = served.clientAs(user);
    await expect(collected(liar.readAll())).rejects.toBeInstanceOf(AccessDeniedError);
  });
});

describe("an auditor of some categories", () => {
  it("is shown these and no other, of the log, of streams and of links; never a personal text", async () => {
    const { shop } = served;
    const { accountId } = await shop.instance.staff.accounts.openAccount({ name: "Ada Lovelace" });
    const ada = await reader("ada", "account");
    expect(await streamsShownTo(ada)).toContain(`account-${String(accountId)}`);
    expect((await streamsShownTo(ada)).filter((stream) => !stream.startsWith("account-"))).toEqual([]);
    const own = await collected(ada.readStream(`account-${String(accountId)}`));
    expect(own.length).toBeGreaterThan(0);
    const shown = [...own, ...(await collected(ada.readStream("$ce-account", { resolveLinkTos: true })))];
    expect(shown.length).toBeGreaterThan(own.length);
    const text = JSON.stringify(shown, (_key, value: unknown) => (typeof value === "bigint" ? "" : value));
    expect(text).toContain("AccountOpened");
    expect(text).not.toContain("Lovelace");

    const writer = served.clientAs(served.service);
    const link = binaryEvent({ type: "$>", data: Buffer.from("0@pricelist-com") });
    await writer.appendToStream("account-links", link);
    const links = await collected(ada.readStream("account-links", { resolveLinkTos: true }));
    expect(links.map(({ event }) => event)).toEqual([undefined]);
    for (const stream of [
      "pricelist-com",
      "$ce-pricelist",
      "$et-BalanceCharged",
      "$$pricelist-com",
      "storereader-all",
    ])
      await expect(collected(ada.readStream(stream)), stream).rejects.toBeInstanceOf(AccessDeniedError);
    await expect(ada.listAllPersistentSubscriptions()).rejects.toBeInstanceOf(AccessDeniedError);
  });

  it("writes nothing", async () => {
    const eve = await reader("eve", "all");
    const event = jsonEvent({ type: "T", data: {} });
    await expect(eve.appendToStream("visitor-9", event)).rejects.toBeInstanceOf(AccessDeniedError);
    await expect(eve.tombstoneStream("account-1")).rejects.toBeInstanceOf(AccessDeniedError);
  });

  it("is shown nothing more once revoked, on an open subscription either", async () => {
    const { staff } = served.shop.instance;
    const bob = await reader("bob", "pricelist");
    const following = bob.subscribeToAll({ fromPosition: START });
    const ended = Promise.withResolvers<Error>();
    following.on("error", ended.resolve);
    await once(following, "data");
    await staff.auditors.revokeStoreReader({ name: "bob" });
    await staff.domains.setPrice({ tld: "net", registrationCents: 900n });
    expect(await ended.promise).toBeInstanceOf(AccessDeniedError);
    await expect(collected(bob.readAll())).rejects.toBeInstanceOf(AccessDeniedError);
    const { readers } = await staff.auditors.listStoreReaders({});
    expect(readers.find(({ name }) => name === "bob")).toMatchObject({
      categories: ["pricelist"],
      revokedAt: expect.stringMatching(/Z$/u) as string,
    });
  });

  it("of all is shown the whole log, as the services are", async () => {
    const streams = await streamsShownTo(await reader("grace", "all"));
    expect(streams).toEqual(await streamsShownTo(served.clientAs(served.service)));
    expect(streams).toContain("storereader-all");
  });

  it.each([
    ["Ada", ["account"], "must be 1 to 63 lower-case letters"],
    ["7", ["account"], "must be 1 to 63 lower-case letters"],
    [`a${"b".repeat(63)}`, ["account"], "must be 1 to 63 lower-case letters"],
    ["carol", [], "must be 1 to 64 categories, or all"],
    ["carol", ["accounts"], "must be all, or some of account, "],
    ["carol", ["all", "account"], "must be all, or categories without all"],
  ])("is not added as %s for %j", async (name, categories, clause) => {
    await expect(served.shop.instance.staff.auditors.addStoreReader({ name, categories })).rejects.toThrow(
      clause,
    );
  });
});
