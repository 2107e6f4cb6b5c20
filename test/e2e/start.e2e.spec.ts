import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { listen, temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { auditBooks, hear, property, readEventsOf } from "../support/books.ts";
import { listed, number, text } from "../support/books/books-event.ts";
import { hostledger, shell } from "../support/command-line.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { commandLine } from "../support/programs.ts";
import { restClient, type RestAnswer } from "../support/rest-client.ts";
import { customerAt, openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** `hostledger start` as a new user and an operator meet it: a real process, from its first line to its exit code. */

let directory: ReturnType<typeof temporaryDirectory>;
let instance: InstanceProcess | undefined;

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(async () => {
  await instance?.kill();
  instance = undefined;
  directory.remove();
});

async function start(...flags: string[]): Promise<InstanceProcess> {
  instance = await startInstanceProcess(directory.path, { flags });
  return instance;
}

it("start with too low a limit of open files reports the limit, not a database error", async () => {
  const flags = `start --data ${directory.path} --port 0 --admin-port 0`;
  const { code, stderr } = await shell(`ulimit -n 48 && exec ${process.execPath} ${commandLine} ${flags}`);
  expect(code).toBe(1);
  expect(stderr).toContain(
    "This process may open 48 files only, which are too few: raise the limit (ulimit -n) to 1024 or more.",
  );
});

/** The holder of the demo's account. */
function demoCustomer({ baseUrl }: InstanceProcess): Customer {
  const demo: unknown = JSON.parse(readFileSync(join(directory.path, "demo.json"), "utf8"));
  expect(demo).toMatchObject({ base_url: baseUrl, server_ids: expect.any(Array) });
  return customerAt(baseUrl, { accountId: number(demo, "account_id"), apiKey: text(demo, "api_key") });
}

describe("start --demo", () => {
  /** The curl lines of the greeting, in order. */
  async function printedLines({ stdout }: InstanceProcess): Promise<readonly string[]> {
    const lines = (): string[] =>
      stdout()
        .split("\n")
        .filter((line) => line.startsWith("curl "));
    await expect.poll(() => lines().length, { timeout: 10_000 }).toBe(3);
    return lines();
  }

  /** Returns the output of a pasted line, one body per line; without curl, its request is made directly. */
  async function pasted(line: string): Promise<readonly unknown[]> {
    const { code, stdout } = await shell(line);
    if (code === 0) return stdout.trimEnd().split("\n").map(parse);
    expect(code).toBe(127);
    const client = restClient("", /Authorization: ([^']+)/.exec(line)?.[1]);
    const body = /-d '([^']+)'/.exec(line)?.[1];
    const urls = line.split(" ").filter((word) => word.startsWith("http"));
    return Promise.all(
      urls.map(
        async (url) => (await (body === undefined ? client.get(url) : client.post(url, parse(body)))).body,
      ),
    );
  }

  const parse = (json: string): unknown => JSON.parse(json);

  it("prints three commands that register a domain, which is paid, invoiced and has its records", async () => {
    const running = await start("--demo");
    const [registering = "", listing = "", billing = ""] = await printedLines(running);
    const customer = demoCustomer(running);
    const balanceCents = async (): Promise<number> =>
      Math.round(Number(property((await customer.get("/billing/balance")).body, "balance")) * 100);
    const { body: prices } = await customer.get("/domains/pricing");
    const com = listed(prices).find((price) => property(price, "tld") === "com");
    // 1.19 times the price; in cents that is 119 times the euros.
    const grossCents = Math.round(number(com, "registration_price") * 119);
    const before = await balanceCents();

    const [registered] = await pasted(registering);
    expect(registered).toMatchObject({ status: true, amount_charged: grossCents / 100, years: 1 });
    expect(await balanceCents()).toBe(before - grossCents);
    const domain = property(registered, "domain");
    expect(await pasted(listing)).toEqual([[domain]]);
    const [balance, invoices] = await pasted(billing);
    expect(balance).toEqual({ balance: ((before - grossCents) / 100).toFixed(2) });
    expect(listed(invoices).at(-1)).toMatchObject({
      id: property(registered, "invoice_id"),
      action: "purchase",
      brutto: grossCents / 100,
    });
    const { body: detail } = await customer.get(`/domains/${String(number(domain, "id"))}`);
    expect(detail).toMatchObject({
      dns_records: [
        { type: "A", name: "@" },
        { type: "A", name: "www" },
      ],
    });
    // No error was logged, and no task was restarted.
    expect(running.stderr()).not.toContain('"level":"error"');
  });

  it("accepts simulated payments of its customer; an instance without a demo accepts none", async () => {
    const demo = await start("--demo");
    const customer = demoCustomer(demo);
    const pay = () => customer.post("/billing/topups", { amount: 50, method: "card" });
    expect(await pay()).toMatchObject({ status: 201, body: { topup: { amount: 50, state: "pending" } } });
    await expect
      .poll(async () => (await customer.get("/billing/balance")).body, { timeout: 30_000 })
      .toEqual({ balance: "550.00" });
    expect(await demo.stop()).toBe(0);
    const { baseUrl } = await start();
    expect(
      await customerAt(baseUrl, customer).post("/billing/topups", { amount: 50, method: "card" }),
    ).toMatchObject({
      status: 422,
      body: { errors: { method: [expect.stringContaining("takes no payments")] } },
    });
  });

  it("finds all files that it reads at run time: pages, scripts, and the invoice printer", async () => {
    const running = await start("--demo");
    const customer = demoCustomer(running);
    expect(await customer.post("/domains", { domain: "printed.com" })).toMatchObject({ status: 201 });
    const [invoice] = listed((await customer.get("/billing/invoices")).body);
    const pdf = await customer.get(`/billing/invoices/${String(number(invoice, "id"))}.pdf`);
    expect(pdf).toMatchObject({ status: 200, body: expect.stringMatching(/^%PDF-/) });
    for (const page of ["/docs", "/audit"]) {
      const found = await fetch(new URL(page, running.baseUrl));
      const scripts = [...(await found.text()).matchAll(/<script[^>]* src="([^"]+)"/g)].map(
        ([, path]) => path,
      );
      expect([page, found.status, scripts.length > 0]).toEqual([page, 200, true]);
      for (const script of scripts)
        expect([script, (await fetch(new URL(script ?? "", found.url))).status]).toEqual([script, 200]);
    }
  });

  it("has all data after a restart, and creates no second demo", async () => {
    const first = await start("--demo");
    const customer = demoCustomer(first);
    expect(await customer.post("/domains", { domain: "kept.com" })).toMatchObject({ status: 201 });
    const before = await hear(first.staff, [customer]);
    expect(await first.stop()).toBe(0);
    const events = withoutArchive(await readEventsOf(directory.path));

    const second = await start("--demo");
    await expect.poll(second.stdout, { timeout: 10_000 }).toContain("The API key of the demo account is in");
    expect(await hear(second.staff, [demoCustomer(second)])).toEqual(before);
    expect(await second.stop()).toBe(0);
    expect(withoutArchive(await readEventsOf(directory.path))).toEqual(events);
    expect(auditBooks({ events, ...before })).toEqual([]);
  });
});

/** Leaves out events of the document archive, which come at any time after a sale. */
function withoutArchive(events: Awaited<ReturnType<typeof readEventsOf>>): typeof events {
  return events.filter(({ type }) => type !== "DocumentArchived");
}

describe("start exits with 1 and a sentence", () => {
  const startLine = (...flags: string[]): string[] => ["start", "--data", directory.path, ...flags];

  it("if another process uses the same data", async () => {
    const running = await start();
    const refused = await hostledger(...startLine("--port", "0", "--admin-port", "0"));
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^The data directory .* is in use by another running Hostledger: .*\.\n$/);
    expect((await fetch(running.baseUrl.replace("/api/v1", "/readyz"))).status).toBe(200);
  });

  it.each([
    ["--port", "--admin-port"],
    ["--admin-port", "--port"],
  ])("if the port of %s is in use", async (taken, free) => {
    const other = createServer();
    const port = await listen(other);
    const refused = await hostledger(...startLine(taken, String(port), free, "0"));
    other.close();
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      new RegExp(`^[^\\n]*${String(port)}[^\\n]* taken: choose another [^\\n]*\\n$`),
    );
  });
});

describe("a running instance", () => {
  it("finishes a slow registration after SIGTERM, then exits with 0", async () => {
    const running = await start();
    await sell(running.staff, "com");
    const customer = await openCustomer(running.staff, running.baseUrl, { balanceCents: 10_000n });
    const answering = customer.post("/domains", { domain: "slow.com" });
    await expect
      .poll(async () => (await running.staff.domains.listRuns({})).runs.length, { timeout: 30_000 })
      .toBe(1);
    expect(await running.stop()).toBe(0);
    expect(await answering).toMatchObject({ status: 201, body: { domain: { dns_records_count: 2 } } });

    const again = await start();
    const testimony = await hear(again.staff, [customerAt(again.baseUrl, customer)]);
    expect(await again.stop()).toBe(0);
    expect(auditBooks({ events: await readEventsOf(directory.path), ...testimony })).toEqual([]);
  });

  it("rebuilds equal read models, and answers reads meanwhile", async () => {
    const running = await start();
    await sell(running.staff, "com");
    const customer = await openCustomer(running.staff, running.baseUrl, { balanceCents: 1_000_000n });
    const names = Array.from({ length: 200 }, (_, index) => `name-${String(index)}.com`);
    await Promise.all(names.map((domain) => customer.post("/domains", { domain })));
    const before = await customer.get("/domains");
    expect(before.body).toHaveLength(names.length);

    const rebuilding = new AbortController();
    const reading = readUntil(rebuilding.signal, customer);
    const rebuilt = await hostledger("projections", "rebuild", "--json", "--data", directory.path);
    rebuilding.abort();
    const answers = await reading;
    expect(rebuilt).toMatchObject({ code: 0, stderr: "" });
    const reports = listed(JSON.parse(rebuilt.stdout));
    expect(reports.map((report) => property(report, "name"))).toEqual([
      "api_keys",
      "invoices",
      "profiles",
      "holdings",
      "payments",
      "work",
      "domains",
      "prices",
      "process_runs",
      "work",
      "servers",
      "plans",
      "regions",
      "stock",
      "process_runs",
      "work",
      "tickets",
      "customers",
      "ticket_causes",
      "notices",
      "all_streams",
      "audited_accounts",
      "audited_documents",
      "audited_references",
      "auditor_credentials",
    ]);
    expect(reports.filter((report) => property(report, "equal") !== true)).toEqual([]);
    expect(answers.length).toBeGreaterThan(0);
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: 200, body: before.body });
    expect((await customer.get("/domains")).body).toEqual(before.body);
  });

  async function readUntil(end: AbortSignal, customer: Customer): Promise<readonly RestAnswer[]> {
    const answers: RestAnswer[] = [];
    while (!end.aborted) answers.push(await customer.get("/domains"));
    return answers;
  }
});
