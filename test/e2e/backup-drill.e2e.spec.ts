import { readdirSync, renameSync, rmSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { hostledger } from "../support/command-line.ts";
import { startInstanceProcess } from "../support/instance-process.ts";
import { objectOf } from "../support/matchers.ts";
import { settled } from "../support/settled.ts";
import { customerAt, openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** The drill of `docs/backup.md`, under load: back up twice, lose the machine, restore, and check later changes. */

let directory: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(() => {
  directory.remove();
});

const at = (...names: string[]): string => join(directory.path, ...names);

it("a restore has every event acknowledged before the backup, and names the loss of later ones", async () => {
  const machine = await startInstanceProcess(at("machine"));
  await sell(machine.staff, "com");
  const customer = await openCustomer(machine.staff, machine.baseUrl, {
    balanceCents: 10_000_000n,
    name: "Ada of the drill",
  });
  const acknowledged: string[] = [];
  const load = Promise.all(
    ["a", "b", "c"].map((worker) => registerUntilTheEnd(customer, worker, acknowledged)),
  );

  await untilAcknowledged(acknowledged, 15);
  const first = await backup();
  await untilAcknowledged(acknowledged, acknowledged.length + 15);
  const before = [...acknowledged];
  const second = await backup();
  await untilAcknowledged(acknowledged, acknowledged.length + 15);
  await machine.kill();
  await load;

  expect(second.position).toBeGreaterThan(first.position);
  expect(second.events).toBe(second.position);
  expect(eventsIn(at("set", "000001"))).toBe(first.events);
  expect(eventsIn(at("set", "000002"))).toBe(second.events - first.events);

  // The machine is lost. The registrar is another company's and keeps its data.
  mkdirSync(at("new"), { mode: 0o700 });
  for (const name of readdirSync(at("machine")))
    if (name.startsWith("sandbox.sqlite")) renameSync(at("machine", name), at("new", name));
  rmSync(at("machine"), { recursive: true });

  const restored = await hostledger("restore", at("set"), "--data", at("new"), "--json");
  expect(restored.code).toBe(0);
  expect(JSON.parse(restored.stdout)).toEqual(second);
  const named = /that the events do not know: (.*)\.\n$/.exec(restored.stderr)?.[1]?.split(", ") ?? [];
  expect(named.filter((name) => before.includes(name))).toEqual([]);

  const instance = await startInstanceProcess(at("new"));
  await settled(instance.staff);
  const there = await namesOf(customerAt(instance.baseUrl, customer));
  expect(before.filter((name) => !there.has(name))).toEqual([]);
  expect(acknowledged.filter((name) => !there.has(name) && !named.includes(name))).toEqual([]);
  expect(named.filter((name) => there.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(0);
  const shown = await hostledger("admin", "account", "show", String(customer.accountId), "--data", at("new"));
  expect(shown.stdout).toContain("Ada of the drill");
  for (const check of [["verify", "--live"], ["reconcile"]]) {
    const checked = await hostledger("audit", ...check, "--data", at("new"));
    expect(checked, checked.stdout + checked.stderr).toMatchObject({ code: 0, stderr: "" });
  }
  expect(await instance.stop()).toBe(0);
});

async function backup(): Promise<{ position: number; events: number; files: number }> {
  const { code, stdout, stderr } = await hostledger("backup", at("set"), "--data", at("machine"), "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { position, events, files } = objectOf(JSON.parse(stdout));
  return { position: Number(position), events: Number(events), files: Number(files) };
}

/** Registers one name after the other until nobody answers any more. */
async function registerUntilTheEnd(
  customer: Customer,
  worker: string,
  acknowledged: string[],
): Promise<void> {
  for (let count = 1; ; count += 1) {
    const name = `drill-${worker}-${String(count)}.com`;
    try {
      const { status } = await customer.post("/domains", { domain: name });
      if (status === 201) acknowledged.push(name);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function untilAcknowledged(acknowledged: readonly string[], count: number): Promise<void> {
  await expect.poll(() => acknowledged.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(count);
}

async function namesOf(customer: Customer): Promise<ReadonlySet<string>> {
  const { status, body } = await customer.get("/domains");
  expect(status).toBe(200);
  if (!Array.isArray(body)) throw new Error(`GET /domains answers ${JSON.stringify(body)}`);
  return new Set(body.map((domain) => String(objectOf(domain).domain_name)));
}

function eventsIn(run: string): number {
  const database = new DatabaseSync(join(run, "events.sqlite"), { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS events FROM events").get()?.events);
  } finally {
    database.close();
  }
}
