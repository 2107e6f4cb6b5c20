import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { processIo, run } from "@hostledger/cli";
import { readConfiguration } from "@hostledger/host/configuration";
import { silentLogger } from "@hostledger/runtime";
import { startStandaloneNode } from "@hostledger/host";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, expect, it } from "vitest";

import { startInstance } from "../support/instance.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import type { RestClient } from "../support/rest-client.ts";
import { openShop, registerName } from "../support/shop.ts";
import { customerAt, type Customer } from "../support/staff-client.ts";
import { readModelsOf } from "../support/stored-rows.ts";

/** A provider's store that was moved with `hostledger store export` and `import` shows customers the same as before. */

const directories: ReturnType<typeof temporaryDirectory>[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) directory.remove();
});

it("the instance shows the same answers and read models after a move to another embedded store", async () => {
  const origin = await tradedShop();
  const file = join(newDirectory(), "store.ndjson");
  await hostledger("store", "export", file, "--data", origin.data);
  const data = newDirectory();
  await hostledger("store", "import", file, "--data", data);
  takeKeys(origin.data, data);

  const moved = await startInstance({ data });
  expect(await shownTo(customerAt(moved.baseUrl, origin.owner))).toEqual(origin.shown);
  await moved.close();
  expect(readModelsOf(data)).toEqual(origin.readModels);
});

it("the instance shows the same after a move to a server of EventStoreDB's protocol, and exports the same file", async () => {
  const origin = await tradedShop();
  const file = join(newDirectory(), "store.ndjson");
  await hostledger("store", "export", file, "--data", origin.data);
  const node = await startStandaloneNode({
    configuration: readConfiguration({
      HOSTLEDGER_DATA: newDirectory(),
      HOSTLEDGER_ESDB_PORT: "0",
      HOSTLEDGER_ESDB_WRITERS: "anyone",
    }),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
  });
  try {
    const url = node.connectionString;
    await hostledger("store", "import", file, "--event-store", url);
    const data = newDirectory();
    takeKeys(origin.data, data);
    const moved = await startInstance({ data, environment: { HOSTLEDGER_EVENT_STORE: url } });
    expect(await shownTo(customerAt(moved.baseUrl, origin.owner))).toEqual(origin.shown);
    await moved.close();
    // The audit read model has storage times, which EventStoreDB sets itself, so it is left out.
    const { "audit.sqlite": _audit, ...readModels } = readModelsOf(data);
    const { "audit.sqlite": _before, ...expected } = origin.readModels;
    expect(readModels).toEqual(expected);

    const again = join(newDirectory(), "again.ndjson");
    await hostledger("store", "export", again, "--event-store", url);
    expect(eventLinesOf(again)).toEqual(eventLinesOf(file));
  } finally {
    await node.close();
  }
});

/** A shop with some of everything in its books, closed. */
async function tradedShop() {
  const data = newDirectory();
  const shop = await openShop({ data });
  const { owner, planId, regionId } = shop;
  for (const name of ["first.com", "second.com", "nozone.com"]) await registerName(owner, name);
  expect((await owner.post("/domains", { domain: "refused.com" })).status).toBe(500);
  const order = { plan_id: planId, region_id: regionId, distro_id: 1, duration: 1 };
  expect((await owner.post("/order", order)).status).toBe(201);
  expect((await owner.post("/tickets", { title: "Hello", message: "Is it moved?" })).status).toBe(201);
  await settledRuns(shop.instance.staff);
  await createdZone(owner);
  const shown = await shownTo(owner);
  await shop.close();
  return { data, owner, shown, readModels: readModelsOf(data) };
}

/** Waits until no process has anything left to do. */
async function settledRuns(staff: Awaited<ReturnType<typeof startInstance>>["staff"]): Promise<void> {
  await expect.poll(async () => (await staff.domains.listRuns({})).runs.length, { timeout: 60_000 }).toBe(0);
}

/** Waits until the zone that was missing is there, and its ticket says so. */
async function createdZone(owner: RestClient): Promise<void> {
  const commented = async (): Promise<unknown> => {
    const tickets = itemsOf(await bodyOf(owner, "/tickets"));
    const ticket = tickets.find(({ title }) => String(title).includes("nozone.com"));
    if (ticket === undefined) return 0;
    return itemsOf(objectOf(await bodyOf(owner, `/tickets/${String(ticket.id)}`)).comments).length;
  };
  await expect.poll(commented, { timeout: 60_000 }).toBe(1);
}

async function shownTo(customer: Customer): Promise<Readonly<Record<string, unknown>>> {
  const paths = ["/domains", "/servers", "/billing/invoices", "/billing/balance", "/tickets"];
  const entries = paths.map(async (path) => [path, await bodyOf(customer, path)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function bodyOf(customer: RestClient, path: string): Promise<unknown> {
  const { status, body } = await customer.get(path);
  expect(status).toBe(200);
  return body;
}

async function hostledger(...line: readonly string[]): Promise<void> {
  const stderr: string[] = [];
  const io = { ...processIo(), out: () => undefined, err: (text: string) => void stderr.push(text) };
  const status = await run(line, io, { loadSystem: () => import("@hostledger/host") });
  if (status !== 0)
    throw new Error(`hostledger ${line.join(" ")} ends with ${String(status)}: ${stderr.join("")}`);
}

/** Leaves out the first line (time and source of the file) and the last (checksum). */
function eventLinesOf(file: string): readonly string[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").slice(1, -1);
  expect(lines.length).toBeGreaterThan(50);
  return lines;
}

/** Keys of names and ticket texts are copied separately, because an erasure destroys them there. */
function takeKeys(from: string, to: string): void {
  copyFileSync(join(from, "subject-keys.sqlite"), join(to, "subject-keys.sqlite"));
}

function newDirectory(): string {
  const directory = temporaryDirectory();
  directories.push(directory);
  return directory.path;
}
