import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { openSqliteSubjectKeys } from "@hostledger/store/personal-data";
import { audit } from "@hostledger/protocol";
import type { StaffClient } from "@hostledger/rpc";
import { createLogger } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { startPostgresServer } from "@hostledger/runtime/testing/postgres";
import pg from "pg";
import { afterEach, expect, it } from "vitest";

import { objectOf } from "../support/matchers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { openShop, registerName } from "../support/shop.ts";
import { customerAt, openCustomer, type Customer } from "../support/staff-client.ts";
import { filesWith, readModelsOf } from "../support/stored-rows.ts";

/** After an erasure only the money remains, and no text of the person. */

const secrets = {
  name: "Wilhelmina Quastenberg",
  title: "Umzugskarton verschwunden",
  message: "Meine Papageien heissen Lorchen",
  reply: "Das Kellerfenster in Buxtehude",
  answer: "Wir gruessen den Schornsteinfeger",
  key: "ticket-of-an-idempotent-request",
} as const;
const words = ["Quastenberg", "Umzugskarton", "Papageien", "Kellerfenster", "Schornsteinfeger"];

const directories: ReturnType<typeof temporaryDirectory>[] = [];
const lines: string[] = [];
const logger = createLogger({ level: "trace", sink: { write: (line) => void lines.push(line) } });

afterEach(() => {
  lines.length = 0;
  for (const directory of directories.splice(0)) directory.remove();
});

it("erasing a person leaves no text of the person in any file or answer, and all amounts in the books", async () => {
  const data = newDirectory();
  const { shop, customer, ticketId } = await talkedShop(data);
  const accountId = BigInt(customer.accountId);
  const { staff } = shop.instance;
  const before = await booksOf(staff, accountId);
  const invoices = invoicesOf(data);
  expect(before.movements.length).toBeGreaterThanOrEqual(2);
  expect(filesWith(data, words)).toEqual([]);
  // Finding impersonal text proves that the search works.
  expect(filesWith(data, ["quastenberg-test.com"])).toContain("events.sqlite-wal: quastenberg-test.com");

  const erased = await staff.accounts.eraseAccount({ accountId, force: true });
  expect(erased).toMatchObject({ accountId, keyDestroyed: true, apiKeysRevoked: 1 });
  await expectNothingShown(shop.instance, customer, ticketId);
  expect(await booksOf(staff, accountId)).toEqual(before);
  const others = await staff.accounts.showAccount({ accountId: BigInt(shop.owner.accountId) });
  expect(others.name).toBe("Owner");
  await shop.close();
  expect(filesWith(data, words)).toEqual([]);
  expect(invoicesOf(data)).toEqual(invoices);

  const again = await startInstance({ data, logger });
  await expectNothingShown(again, customer, ticketId);
  expect(await booksOf(again.staff, accountId)).toEqual(before);
  await again.close();
  const live = readModelsOf(data);

  const rebuilt = await startInstance({ data, logger });
  await rebuilt.staff.projections.rebuildProjections({});
  await expectNothingShown(rebuilt, customer, ticketId);
  await rebuilt.close();
  expect(readModelsOf(data)).toEqual(live);
  expect(filesWith(data, words)).toEqual([]);
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.filter((line) => words.some((word) => line.includes(word)))).toEqual([]);
});

it("the next start finishes an erasure whose process died between the event and the end of the key", async () => {
  const data = newDirectory();
  const { shop, customer, ticketId } = await talkedShop(data);
  await shop.close();
  const subject = `account-${String(customer.accountId)}`;
  const program = fileURLToPath(new URL("../support/dying-erasure.fixture.ts", import.meta.url));
  const dying = spawn(process.execPath, [program, data, String(customer.accountId)], { stdio: "inherit" });
  expect(await once(dying, "exit")).toEqual([null, "SIGKILL"]);
  expect(await keyOf(data, subject)).toBeInstanceOf(Uint8Array);

  const again = await startInstance({ data, logger });
  await expect.poll(() => keyOf(data, subject)).toBe("destroyed");
  // A key is in the memory of the process for a second at most.
  await expect
    .poll(async () => (await again.staff.support.showTicket({ ticketId })).message, { timeout: 5_000 })
    .toBe("[erased]");
  await expectNothingShown(again, customer, ticketId);
  const erased = await again.staff.accounts.eraseAccount({ accountId: BigInt(customer.accountId) });
  expect(erased).toMatchObject({ keyDestroyed: false, apiKeysRevoked: 0 });
  await again.close();
  expect(filesWith(data, words)).toEqual([]);
});

it("erasure works the same with keys and read models in PostgreSQL, for every process", async () => {
  const postgres = await startPostgresServer();
  try {
    const environment = { HOSTLEDGER_DATABASE: postgres.url };
    const data = newDirectory();
    const { shop, customer, ticketId } = await talkedShop(data, environment);
    const accountId = BigInt(customer.accountId);
    await expect(
      shop.instance.staff.accounts.eraseAccount({ accountId, force: true }),
    ).resolves.toMatchObject({
      keyDestroyed: true,
    });
    await expectNothingShown(shop.instance, customer, ticketId);
    await shop.close();
    expect(filesWith(data, [...words, "subject_keys"])).toEqual([]);

    const again = await startInstance({ data, environment, logger });
    await expectNothingShown(again, customer, ticketId);
    await again.close();
    expect(await tablesWith(postgres.url, words)).toEqual([]);
    expect(await tablesWith(postgres.url, ["quastenberg-test.com"])).not.toEqual([]);
  } finally {
    await postgres.stop();
  }
});

/** The files of a PostgreSQL server, its log of writes too, that hold one of the texts. */
async function tablesWith(url: string, texts: readonly string[]): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("checkpoint");
  const { rows } = await client.query<{ data_directory: string }>("show data_directory");
  await client.end();
  return filesWith(rows[0]?.data_directory ?? "", texts);
}

/** Creates a shop with a customer who has bought something and entered personal data in every possible place. */
async function talkedShop(data: string, environment: Readonly<Record<string, string>> = {}) {
  const shop = await openShop({ data, environment, logger });
  const { staff, baseUrl } = shop.instance;
  const customer = await openCustomer(staff, baseUrl, { balanceCents: 10_000n, name: secrets.name });
  await registerName(customer, "quastenberg-test.com");
  const body = { title: secrets.title, message: secrets.message };
  const opened = await customer.post("/tickets", body, { "idempotency-key": secrets.key });
  expect(opened.status).toBe(201);
  // The stored answer is repeated.
  const repeated = await customer.post("/tickets", body, { "idempotency-key": secrets.key });
  expect(repeated.body).toEqual(opened.body);
  const ticketId = BigInt(idOf(opened.body));
  const path = `/tickets/${String(ticketId)}`;
  expect((await customer.post(`${path}/reply`, { message: secrets.reply })).status).toBeLessThan(300);
  await staff.support.answerTicket({ ticketId, message: secrets.answer });
  await searchAsAuditor(shop.instance, secrets.name);
  // A refused request is neither stored nor logged.
  const broken = `{"title":"${secrets.title}","message":${secrets.message}}`;
  const headers = { "content-type": "application/json" };
  expect((await customer.send("/tickets", { method: "POST", headers, body: broken })).status).toBe(400);
  expect((await customer.post("/tickets", { ...body, priority: "high" })).status).toBe(422);
  expect((await customer.post("/tickets", { title: secrets.title.repeat(20) })).status).toBe(422);
  await expect(staff.accounts.openAccount({ name: secrets.name.repeat(20) })).rejects.toThrow();
  const shown = await staff.support.showTicket({ ticketId });
  expect(shown.message).toBe(secrets.message);
  expect(shown.comments.map(({ comment }) => comment)).toEqual([secrets.reply, secrets.answer]);
  expect((await customer.get("/tickets")).body).toMatchObject([{ title: secrets.title }]);
  return { shop, customer, ticketId };
}

/** Uses by auditors are recorded for good, and a search term may be a name. */
async function searchAsAuditor({ staff, baseUrl }: Instance, name: string): Promise<void> {
  const { credential } = await staff.auditors.issueAuditorCredential({ name: "An auditor", days: 30 });
  const transport = createConnectTransport({
    baseUrl: new URL("/audit/rpc", baseUrl).href,
    httpVersion: "1.1",
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${credential}`);
        return next(request);
      },
    ],
  });
  const { accounts } = await createClient(audit.AuditService, transport).listAuditedAccounts({
    search: name,
  });
  expect(accounts).toMatchObject([{ name }]);
}

async function expectNothingShown(
  { staff, baseUrl }: Pick<Instance, "staff" | "baseUrl">,
  customer: Customer,
  ticketId: bigint,
): Promise<void> {
  const accountId = BigInt(customer.accountId);
  for (const path of ["/tickets", "/domains", "/billing/balance"])
    expect((await customerAt(baseUrl, customer).get(path)).status).toBe(401);
  expect((await staff.accounts.showAccount({ accountId })).name).toBe("[erased]");
  const { message, ticket, comments } = await staff.support.showTicket({ ticketId });
  expect([message, ticket?.ticket?.title, ...comments.map(({ comment }) => comment)]).toEqual(
    Array.from({ length: 4 }, () => "[erased]"),
  );
  expect(comments.map(({ userName }) => userName)).not.toContain(secrets.name);
  const statement = await staff.audits.getStatement({ accountId });
  expect(statement.name).toBe("[erased]");
  const { accounts } = await staff.audits.listAuditedAccounts({});
  expect(accounts.find((account) => account.accountId === accountId)?.name).toBe("[erased]");
  const stored: string[] = [];
  for await (const { events } of staff.audits.readEvents({})) stored.push(...events.map(({ data }) => data));
  expect(stored.length).toBeGreaterThan(10);
  expect(stored.filter((text) => words.some((word) => text.includes(word)))).toEqual([]);
}

/** Returns the account's books as an auditor recomputes them. */
async function booksOf(staff: StaffClient, accountId: bigint) {
  const { movements, openingBalanceCents, closingBalanceCents } = await staff.audits.getStatement({
    accountId,
  });
  const { balanceCents } = await staff.accounts.showAccount({ accountId });
  return { movements, openingBalanceCents, closingBalanceCents, balanceCents };
}

async function keyOf(data: string, subject: string): Promise<unknown> {
  const keys = openSqliteSubjectKeys({ path: join(data, "subject-keys.sqlite") });
  const found = (await keys.find([subject])).get(subject);
  await keys.close();
  return found;
}

/** Every document as the account service shows it, its lines too. */
function invoicesOf(data: string): unknown {
  const tables = objectOf(readModelsOf(data)["account.sqlite"]);
  const documents = Object.entries(tables).filter(([name]) => name.startsWith("invoice"));
  expect(documents.flatMap(([, rows]) => rows)).not.toEqual([]);
  return documents;
}

function idOf(body: unknown): number {
  const opened = objectOf(body);
  return Number(opened.id ?? objectOf(opened.ticket).id);
}

function newDirectory(): string {
  const directory = temporaryDirectory();
  directories.push(directory);
  return directory.path;
}
