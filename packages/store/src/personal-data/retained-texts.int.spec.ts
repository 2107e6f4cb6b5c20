import { join } from "node:path";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { openEmbeddedEventStore, type EventStore, type EventToAppend } from "../index.ts";
import { openPersonalData, openSqliteSubjectKeys, sealPersonalData } from "./index.ts";
import { isOnDisk } from "./is-on-disk.fixture.ts";

/** Texts that the law keeps for years: the buyer of a document. */

async function openHarness() {
  const directory = directoryOfTest();
  const raw = await openEmbeddedEventStore({
    path: join(directory, "events.sqlite"),
    now: () => "2026-03-01T10:00:00.000000Z",
    onFailure(error) {
      throw error;
    },
  });
  const keys = openSqliteSubjectKeys({ path: join(directory, "subject-keys.sqlite") });
  onTestFinished(async () => {
    await raw.close();
    await keys.close();
  });
  return { directory, raw, keys, store: sealPersonalData(raw, keys) };
}

const buyer = '{"name":"Augusta Ada King-Noel"}';
const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

function event(n: number, type: string, data: object): EventToAppend {
  return { id: id(n), type, data: JSON.stringify(data), metadata: "{}" };
}
const opened = event(1, "AccountOpened.v1", {
  accountId: 1,
  name: "Ada",
  vatExempt: false,
  openedAt: "2026-03-01T10:00:00.000000Z",
});
function invoice(n: number, keptUntilYear: number): EventToAppend {
  return event(n, "InvoiceIssued.v3", { invoiceId: n, accountId: 1, terms: null, buyer, keptUntilYear });
}

async function buyersOf(store: EventStore): Promise<unknown[]> {
  const buyers: unknown[] = [];
  for await (const { type, data } of store.read("account-1"))
    if (type === "InvoiceIssued.v3") buyers.push((JSON.parse(data) as { buyer: unknown }).buyer);
  return buyers;
}

it("seals texts with a key for the account and the year in which the term ends", async () => {
  const { directory, raw, store } = await openHarness();
  await store.append("account-1", "no-stream", [opened, invoice(2, 2034), invoice(3, 2035)]);
  expect(await buyersOf(raw)).toEqual([
    expect.stringMatching(/^sealed:v2:retention-1-2034:/u),
    expect.stringMatching(/^sealed:v2:retention-1-2035:/u),
  ]);
  expect(await buyersOf(store)).toEqual([buyer, buyer]);
  expect(isOnDisk(directory, "King-Noel")).toBe(false);
});

it("remain when the person's key is destroyed, but readers of events do not see them", async () => {
  const { raw, keys, store } = await openHarness();
  await store.append("account-1", "no-stream", [opened, invoice(2, 2034)]);
  await keys.destroy("account-1");
  expect(await buyersOf(store)).toEqual(["[erased]"]);
  expect((await keys.find(["retention-1-2034"])).get("retention-1-2034")).toBeInstanceOf(Uint8Array);
  await store.append("account-1", 1n, [invoice(3, 2034)]);
  expect((await buyersOf(raw))[1]).toMatch(/^sealed:v2:retention-1-2034:/u);
});

it("can be read for an erased person by tax exports only, until the key of their year is destroyed", async () => {
  const { raw, keys, store } = await openHarness();
  await store.append("account-1", "no-stream", [opened, invoice(2, 2034)]);
  await keys.destroy("account-1");
  const dataOf = async (opens: "personal-data" | "retained-too"): Promise<string> => {
    const texts: string[] = [];
    for await (const stored of raw.read("account-1"))
      texts.push((await openPersonalData(stored, keys, opens)).data);
    return texts.join("\n");
  };
  expect(await dataOf("personal-data")).not.toContain("King-Noel");
  const forTaxes = await dataOf("retained-too");
  expect(forTaxes).toContain("King-Noel");
  expect(forTaxes).toContain('"name":"[erased]"');
  await keys.destroy("retention-1-2034");
  expect(await dataOf("retained-too")).not.toContain("King-Noel");
});

it("are destroyed with the key of their year, and remain in other years", async () => {
  const { keys, store } = await openHarness();
  await store.append("account-1", "no-stream", [opened, invoice(2, 2034), invoice(3, 2035)]);
  await keys.destroy("retention-1-2034");
  expect(await buyersOf(store)).toEqual(["[erased]", buyer]);
});
