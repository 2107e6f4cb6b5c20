import { ownCategories, sequenceNames } from "@hostledger/core";
import type { EventStore } from "@hostledger/store";
import { randomIds, realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, describe, expect, it } from "vitest";

import { textInProcess } from "../support/command-in-process.ts";
import { keyedOperations, openThings, sendOperation } from "../support/keyed-operations.ts";
import { objectOf } from "../support/matchers.ts";
import { openShop, type Shop } from "../support/shop.ts";
import { customerAt, type Customer } from "../support/staff-client.ts";
import { startInstance, type Instance, type InstanceOptions } from "../support/instance.ts";

/** Other software writes into every stream that the product has: everything goes on (ADR 0026). */

/** Streams that this test must prepare, or that contain no events of an aggregate. */
const preparedStreams = [
  "approval-all",
  "auditlog-all",
  "bank-DE89370400440532013000",
  "clock-all",
  "comparison-domains",
  "comparison-servers",
  "mending-account-1",
  "registrymessage-sandbox/1",
  "retention-all",
  "rewind-all",
  "seller-all",
  "taxrules-all",
  "ticketcause-none",
  "transfer-times",
];

/** An instance's store, by which the other software writes. */
function storeTaker(): { readonly decorate: InstanceOptions["decorate"]; readonly store: () => EventStore } {
  const stores: EventStore[] = [];
  return {
    decorate: {
      store(store) {
        stores.push(store);
        return store;
      },
    },
    store: () => stores.at(-1) ?? expect.fail("an instance opens its event store"),
  };
}

async function takeNote(store: EventStore, stream: string): Promise<void> {
  const note = { id: randomIds.uuid(), type: "CrmNoteTaken", data: '{"note":"likes tea"}', metadata: "{}" };
  await store.append(stream, "any", [note]);
}

/** Every stream that holds something, but those of an engine. */
async function streamsOf(store: EventStore): Promise<readonly string[]> {
  const streams = new Set<string>();
  for await (const { events, caughtUp } of store.subscribe({ from: "start" })) {
    for (const { stream } of events) if (!stream.startsWith("$")) streams.add(stream);
    if (caughtUp) break;
  }
  return [...streams];
}

const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf("-"));

/** Does everything that customers and staff can do, once. */
async function live(
  { instance, owner, planId, regionId }: Pick<Shop, "instance" | "owner" | "planId" | "regionId">,
  round: number,
): Promise<void> {
  const { staff } = instance;
  const accountId = BigInt(owner.accountId);
  const named = String(round);
  const { serverId } = await staff.servers.provisionServer({
    accountId,
    planId: BigInt(planId),
    regionId: BigInt(regionId),
    months: 1,
    whitelisted: true,
  });
  const things = await openThings(owner, { round, server: Number(serverId), planId, regionId });
  for (const operation of keyedOperations(things)) {
    const [name] = operation;
    const { status, body } = await sendOperation(owner, operation, {
      "idempotency-key": `${name.replaceAll(" ", "-")}-${named}`,
    });
    expect({ name, status, body }).toMatchObject({ status: expect.toBeOneOf([200, 201, 202]) as number });
  }
  await staff.accounts.topUpAccount({ accountId, amountCents: 10_000n, reference: `top-up-${named}` });
  await staff.accounts.adjustBalance({
    accountId,
    amountCents: 5n,
    reference: `credit-${named}`,
    reason: "r",
  });
  await staff.accounts.setQuota({ accountId, quota: "open_tickets", value: BigInt(50 + round), reason: "r" });
  await staff.servers.addRegion({ code: `r${named}`, location: "Somewhere" });
  await staff.servers.setStock({ planId: BigInt(planId), regionId: BigInt(regionId), units: 1_000 + round });
  await staff.domains.setPrice({
    tld: "com",
    registrationCents: 1_000n,
    renewalCents: BigInt(1_200 + round),
    transferCents: 1_000n,
    active: true,
  });
  await staff.auditors.issueAuditorCredential({ name: `Auditor ${named}`, days: 1 });
  await staff.auditors.addStoreReader({ name: `reader-${named}`, categories: ["account"] });
  await staff.members.addStaffMember({ name: `ada-${named}`, role: "support" });
  await staff.teams.issueServiceCredential({ name: `team-${named}`, scopes: ["accounts:read"] });
  await eventually(
    realTiming,
    async () => {
      expect((await staff.domains.listRuns({})).runs).toEqual([]);
      expect((await staff.servers.listServerRuns({})).runs).toEqual([]);
    },
    { limitMs: 60_000 },
  );
}

/** The books are whole, and the notes are named. */
async function expectRightBooks(instance: Instance): Promise<void> {
  // The last checkpoint may be some seconds old.
  await eventually(
    realTiming,
    async () => {
      const verified = await textInProcess(instance, realTiming, "audit", "verify", "--live");
      expect(verified.stdout).toContain("nothing is wrong");
      expect(verified.stdout).toMatch(/foreign events passed over: .*\(CrmNoteTaken\)/u);
    },
    { limitMs: 60_000 },
  );
  await eventually(
    realTiming,
    async () => {
      const reconciled = await textInProcess(instance, realTiming, "audit", "reconcile");
      expect(reconciled.stdout || reconciled.stderr).toContain("nothing differs");
    },
    { limitMs: 60_000 },
  );
  expect((await textInProcess(instance, realTiming, "reconcile")).stdout).toContain("Nothing differs.");
}

describe("a foreign event in every stream of the product", () => {
  const directory = temporaryDirectory();
  afterAll(() => {
    directory.remove();
  });

  it("blocks nothing, neither at once nor after a restart", async () => {
    const { decorate, store } = storeTaker();
    const shop = await openShop({ data: directory.path, decorate: decorate ?? {} });
    await live(shop, 1);
    for (const stream of preparedStreams) await takeNote(store(), stream);
    for (const name of sequenceNames) await takeNote(store(), `sequence-${name}`);
    const streams = await streamsOf(store());
    expect(new Set(streams.map(categoryOf))).toEqual(new Set(ownCategories));
    for (const stream of streams) await takeNote(store(), stream);
    // Streams that the next rounds begin.
    for (const name of ["thing-2.com", "claimed-2.com", "claimed-elsewhere-2.com", "thing-3.com"])
      await takeNote(store(), `domain-${name}`);
    for (let id = 1; id < 12; id += 1)
      for (const category of ["account", "quota", "server", "webhook", "ticket", "noticechoice"])
        await takeNote(store(), `${category}-${String(id)}`);

    await live(shop, 2);
    await expectRightBooks(shop.instance);
    await shop.instance.close();

    const taken = storeTaker();
    const again = await startInstance({ data: directory.path, decorate: taken.decorate ?? {} });
    const owner: Customer = customerAt(again.baseUrl, shop.owner);
    for (const stream of await streamsOf(taken.store())) await takeNote(taken.store(), stream);
    await live({ ...shop, instance: again, owner }, 3);
    await expectRightBooks(again);
    const { accountId } = await again.staff.accounts.openAccount({ name: "New" });
    expect(objectOf(await again.staff.accounts.showAccount({ accountId }))).toMatchObject({ accountId });
    await again.close();
  });
});
