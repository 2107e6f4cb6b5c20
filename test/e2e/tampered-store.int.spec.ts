import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { startParts, type StartedParts } from "@hostledger/host";
import { readConfiguration } from "@hostledger/host/configuration";
import { createStaffClient } from "@hostledger/rpc";
import { realTiming, silentLogger, type Timing } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { partNames } from "@hostledger/rpc";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";

import { commandInProcess, textInProcess, type Answered } from "../support/command-in-process.ts";
import { restClient } from "../support/rest-client.ts";

const statusSchema = z.object({ size: z.int(), signed_size: z.int() });

const directory = temporaryDirectory();
const right = join(directory.path, "right");
let credential = "";
let charged = 0;
let invoice = "";

interface Running extends Pick<StartedParts, "adminUrl" | "baseUrl"> {
  readonly data: string;
  readonly close: () => Promise<void>;
}

/** Starts on the embedded store, whatever engine the suite uses, because the test changes the file. */
async function start(data: string): Promise<Running & StartedParts> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const standalone = await startParts(partNames, {
    configuration: readConfiguration({
      HOSTLEDGER_PORT: "0",
      HOSTLEDGER_ADMIN_PORT: "0",
      HOSTLEDGER_DATA: data,
    }),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
  });
  return { ...standalone, data };
}

/** A command that waits for the log to be signed need not take its time: it has stopped. */
const hurried: Timing = {
  ...realTiming,
  sleep: (milliseconds, signal) => realTiming.sleep(milliseconds / 20, signal),
};

const ask = (instance: Running, ...line: readonly string[]): Promise<Answered> =>
  commandInProcess(instance, realTiming, "audit", ...line);

const askText = (instance: Running, ...line: readonly string[]) =>
  textInProcess(instance, hurried, "audit", ...line);

function onFile<T>(data: string, act: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(data, "events.sqlite"));
  try {
    return act(database);
  } finally {
    database.close();
  }
}

beforeAll(async () => {
  const instance = await start(right);
  const demo = await instance.openDemo();
  const issued = await commandInProcess(
    instance,
    realTiming,
    "admin",
    "auditor",
    "issue",
    "--name",
    "Ada",
    "--days",
    "7",
  );
  ({ credential } = z.object({ credential: z.string() }).parse(issued.document));
  const rest = restClient(instance.baseUrl, demo?.apiKey ?? "");
  expect((await rest.post("/domains", { domain: "example.com" })).status).toBe(201);
  // A download archives its document at once, so that no event of the archive comes while a command waits for the signature.
  for (const { id } of z.array(z.object({ id: z.int() })).parse((await rest.get("/billing/invoices")).body))
    expect((await rest.get(`/billing/invoices/${String(id)}.pdf`)).status).toBe(200);
  // The log follows the newest events, and closing signs them.
  await signed(instance, 21);
  await instance.close();
  onFile(right, (database) => {
    const last = (type: string) =>
      database
        .prepare(
          `SELECT position, json_extract(data, '$.number') AS number FROM events JOIN streams s ON s.id = stream_id
           WHERE s.name = 'account-1' AND type LIKE ? ORDER BY position DESC LIMIT 1`,
        )
        .get(`${type}.%`);
    charged = Number(last("BalanceCharged")?.position);
    invoice = String(last("InvoiceIssued")?.number);
  });
}, 60_000);
afterAll(() => {
  directory.remove();
});

/** The nine ways in which a stopped store was changed by SQL; $ is the position of the charge. */
const ways: readonly (readonly [string, string])[] = [
  ["an amount", `UPDATE events SET data = replace(data, '"1190"', '"0190"') WHERE position = $`],
  ["a type", "UPDATE events SET type = 'BalanceChanged.v1' WHERE position = $"],
  ["a time", "UPDATE events SET time = '2020-01-01T00:00:00.000000Z' WHERE position = $"],
  ["an actor", "UPDATE events SET metadata = '{}' WHERE position = $"],
  ["an event that is gone", "DELETE FROM events WHERE position = $"],
  ["an end that is gone", "DELETE FROM events WHERE position > $ + 1"],
  [
    "two that changed places",
    `UPDATE events SET position = -position WHERE position IN ($, $ + 1);
     UPDATE events SET position = 2 * $ + 1 + position WHERE position < 0`,
  ],
  [
    "an event that was put in",
    `INSERT INTO streams (name) VALUES ('registration-forged');
     UPDATE events SET position = -position WHERE position >= $;
     UPDATE events SET position = 1 - position WHERE position < 0;
     INSERT INTO events (position, stream_id, revision, id, type, time, data, metadata)
     SELECT $, (SELECT id FROM streams WHERE name = 'registration-forged'), 0,
       '00000000-0000-4000-8000-000000000001', type, time, data, metadata FROM events WHERE position = $ + 1`,
  ],
  ["a stream's name", "UPDATE streams SET name = 'account-8' WHERE name = 'account-1'"],
];

/** Commands of auditors; the sums of journal and reconciliation depend on every event. */
const commands: readonly (readonly [string, (folder: string) => readonly string[]])[] = [
  ["verify --live", () => ["verify", "--live"]],
  ["export", (folder) => ["export", join(folder, "bundle")]],
  ["events", () => ["events", "--as-stored", "--json"]],
  ["journal", () => ["journal", "--format", "csv"]],
  ["reconcile", () => ["reconcile"]],
  ["statement", () => ["statement", "1"]],
  ["balance", () => ["balance", "1", "--as-of", new Date().toISOString()]],
  ["explain", () => ["explain", invoice]],
  ["status", () => ["status"]],
];

/** Words that every finding has: the event with its stream, or which one is not there any more. */
const named = /[a-z]+-[\w.-]+@\d+|event \d+: is missing|lacks some of its past/u;

/** Returns the message of an answer, as the page at /audit shows it. */
async function askAsConsole({ baseUrl }: Running, method: string, request: object): Promise<string> {
  const response = await fetch(
    `${new URL(baseUrl).origin}/audit/rpc/hosting.audit.v1.AuditService/${method}`,
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${credential}`,
        "content-type": "application/json",
        "connect-protocol-version": "1",
      },
      body: JSON.stringify(request),
    },
  );
  expect(response.ok).toBe(false);
  return z.object({ message: z.string() }).parse(await response.json()).message;
}

describe("a store that was changed by SQL while it was stopped", () => {
  it.each(ways)("is reported by every command and on the console: %s", async (_what, sql) => {
    const data = mkdtempSync(join(directory.path, "changed-"));
    cpSync(right, data, { recursive: true });
    onTestFinished(() => {
      rmSync(data, { recursive: true, force: true, maxRetries: 5 });
    });
    onFile(data, (database) => {
      database.exec(sql.replaceAll("$", String(charged)));
    });
    const instance = await start(data);
    onTestFinished(() => instance.close());
    const said: Record<string, string> = {};
    for (const [name, line] of commands) {
      const { code, stdout, stderr } = await askText(instance, ...line(data));
      // Events before the first wrong one are listed as usual.
      const findings = name === "verify --live" ? stdout : "";
      said[name] = `${String(code)} ${stderr}${findings}`;
    }
    for (const [method, asked] of [
      ["GetStatement", { accountId: 1 }],
      ["ExplainInvoice", { invoice: invoice }],
    ] as const)
      said[`console, ${method}`] = `1 ${await askAsConsole(instance, method, asked)}`;
    const wrong = Object.entries(said).filter(
      ([, text]) => !text.startsWith("1 ") || !named.test(text) || /internal error/iu.test(text),
    );
    expect(wrong).toEqual([]);
  });

  it("is not reported if nothing was changed", async () => {
    const instance = await start(right);
    onTestFinished(() => instance.close());
    for (const [name, line] of commands) {
      const { code, stderr } = await askText(instance, ...line(mkdtempSync(join(directory.path, "whole-"))));
      expect({ name, code, stderr }).toMatchObject({ code: 0 });
    }
  });
});

describe("a store that is changed while it runs", () => {
  it("is found by the scrub: a ticket for staff, a metric and the status name it", async () => {
    const data = mkdtempSync(join(directory.path, "running-"));
    cpSync(right, data, { recursive: true });
    onFile(data, (database) => {
      database.exec(`UPDATE events SET data = replace(data, '1', '2') WHERE position = 3`);
    });
    const instance = await start(data);
    onTestFinished(() => instance.close());
    const token = readFileSync(join(data, "admin.token"), "utf8").trim();
    const metric = async (): Promise<string> =>
      (await fetch(`${instance.adminUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
    await expect.poll(metric, { timeout: 20_000 }).toMatch(/^hostledger_scrub_differences 1$/mu);
    expect(await ask(instance, "status")).toMatchObject({
      code: 1,
      document: {
        scrub: {
          differences: 1,
          first_difference: expect.stringMatching(/^Event 2 of the audit log, /u) as string,
        },
      },
    });
    const tickets = async () =>
      (await commandInProcess(instance, realTiming, "admin", "ticket", "list")).document;
    await expect
      .poll(async () => JSON.stringify(await tickets()), { timeout: 20_000 })
      .toContain("The event store is not as it was recorded");
  });
});

describe("a tile of the audit log that is lost behind the growing ones", () => {
  it("is found by the scrub: the log fails, staff get one ticket, and a restart of the log rebuilds it", async () => {
    const data = mkdtempSync(join(directory.path, "tile-"));
    cpSync(right, data, { recursive: true });
    const before = await start(data);
    const token = readFileSync(join(data, "admin.token"), "utf8").trim();
    const staff = createStaffClient({ baseUrl: before.adminUrl, credential: token });
    for (let payment = 1; payment <= 70; payment += 1) {
      const reference = `payment-${String(payment)}`;
      await staff.accounts.topUpAccount({ accountId: 1n, amountCents: 100n, reference });
    }
    await signed(before, 257);
    await before.close();
    rmSync(join(data, "audit", "tile", "0", "000"));

    const instance = await start(data);
    onTestFinished(() => instance.close());
    const word = /^The file tile\/0\/000 of the audit log is missing: .*audit log restart --reason/;
    await expect
      .poll(async () => (await ask(instance, "status")).document, { timeout: 20_000 })
      .toMatchObject({ state: "failing", sentence: expect.stringMatching(word) as string });
    const title = "A file of the audit log was lost or changed";
    const tickets = async () =>
      (await commandInProcess(instance, realTiming, "admin", "ticket", "list")).document;
    await expect.poll(async () => JSON.stringify(await tickets()), { timeout: 20_000 }).toContain(title);
    // Events are still being signed.
    await signed(instance, 260);
    const restarted = await ask(instance, "log", "restart", "--reason", "a file was lost");
    expect(restarted).toMatchObject({ code: 0 });
    await signed(instance, 260);
    expect(await ask(instance, "status")).toMatchObject({ code: 0, document: { state: "following" } });
    expect(await ask(instance, "verify", "--live")).toMatchObject({ code: 0 });
  });
});

async function signed(instance: Running, atLeast: number): Promise<void> {
  await vi.waitFor(async () => {
    const { size, signed_size: covered } = statusSchema.parse((await ask(instance, "status")).document);
    expect(covered).toBe(size);
    expect(size).toBeGreaterThanOrEqual(atLeast);
  }, 20_000);
}
