import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { createCommandHandler, ownEvents } from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { createKeyLosses } from "@hostledger/store/personal-data";
import { silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { reportKeyLosses } from "./subject-keys.ts";
import { readinessOf, request, staffOf, start } from "./standalone.fixture.ts";
import type { StartedParts } from "./start-parts.ts";

const metricsToken = "the-token-of-prometheus";
const environment = { HOSTLEDGER_METRICS_TOKEN: metricsToken };
const words = "My parrot is called Lorchen";
const openedSchema = z.object({ ticket: z.object({ id: z.int() }) });
const keySchema = z.object({ key: z.instanceof(Uint8Array) });
const poll = { timeout: 15_000 };

interface Customer {
  readonly id: bigint;
  readonly key: string;
  readonly ticket: number;
}

async function openCustomer(instance: StartedParts, data: string, name: string): Promise<Customer> {
  const { accounts } = staffOf(instance, data);
  const { accountId: id } = await accounts.openAccount({ name });
  await accounts.topUpAccount({ accountId: id, amountCents: 10_000n, reference: `first ${name}` });
  const { apiKey: key } = await accounts.issueApiKey({ accountId: id });
  const opened = await openTicket(instance, key);
  expect(opened.status).toBe(201);
  return { id, key, ticket: openedSchema.parse(opened.body).ticket.id };
}

function openTicket(instance: StartedParts, key: string) {
  return request(instance, key, "/tickets", { title: "About my parrot", message: words });
}

/** Two customers, the first of whom loses the key while nothing runs. */
async function withLostKey(): Promise<{
  readonly data: string;
  readonly instance: StartedParts;
  readonly lost: Customer;
  readonly other: Customer;
  readonly putBack: () => void;
}> {
  const data = directoryOfTest();
  const first = await start(data);
  await first.openDemo();
  const lost = await openCustomer(first, data, "Ada");
  const other = await openCustomer(first, data, "Ben");
  await first.close();
  const subject = `account-${String(lost.id)}`;
  const withKeys = <Result>(work: (keys: DatabaseSync) => Result): Result => {
    const keys = new DatabaseSync(join(data, "subject-keys.sqlite"));
    try {
      return work(keys);
    } finally {
      keys.close();
    }
  };
  const row = keySchema.parse(
    withKeys((keys) => keys.prepare("SELECT key FROM subject_keys WHERE subject = ?").get(subject)),
  );
  withKeys((keys) => keys.prepare("DELETE FROM subject_keys WHERE subject = ?").run(subject));
  // As after an upgrade: every read model is rebuilt, past the unreadable texts of this customer.
  rmSync(join(data, "read-models"), { recursive: true });
  const putBack = (): void => {
    const known = withKeys((keys) =>
      keys.prepare("SELECT key FROM subject_keys WHERE subject = ?").get(subject),
    );
    // No process has created a second key.
    expect(known).toBeUndefined();
    withKeys((keys) => keys.prepare("INSERT INTO subject_keys VALUES (?, ?)").run(subject, row.key));
  };
  return { data, instance: await start(data, environment), lost, other, putBack };
}

async function missingIn({ adminUrl }: StartedParts): Promise<string | undefined> {
  const answer = await fetch(`${adminUrl}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
  return /^hostledger_subject_keys_missing (\d+)$/mu.exec(await answer.text())?.[1];
}

describe("the missing key of one customer", () => {
  it("prevents no start, and affects no other customer", async () => {
    const { instance, other } = await withLostKey();
    expect(await request(instance, other.key, `/tickets/${String(other.ticket)}`)).toMatchObject({
      status: 200,
      body: { message: words },
    });
    expect((await openTicket(instance, other.key)).status).toBe(201);
    expect(await request(instance, other.key, "/domains", { domain: "example.com" })).toMatchObject({
      status: 201,
    });
  });

  it("shows that customer's texts as not available, records none, and allows orders", async () => {
    const { data, instance, lost } = await withLostKey();
    expect(await request(instance, lost.key, `/tickets/${String(lost.ticket)}`)).toMatchObject({
      status: 200,
      body: { title: "[not available]", message: "[not available]" },
    });
    expect(await openTicket(instance, lost.key)).toMatchObject({
      status: 503,
      body: { code: "temporarily_unavailable" },
    });
    const { accounts, support } = staffOf(instance, data);
    expect(await accounts.showAccount({ accountId: lost.id })).toMatchObject({ name: "[not available]" });
    const listed = (await support.listAllTickets({})).tickets.map(({ ticket }) => ticket?.title);
    expect(listed).toEqual(expect.arrayContaining(["[not available]", "About my parrot"]));
    const order = (at: StartedParts) =>
      request(at, lost.key, "/domains", { domain: "example.com" }, { "idempotency-key": "one" });
    expect(await order(instance)).toMatchObject({ status: 201 });
    await instance.close();
    // An answered request is not repeated, although its stored answer cannot be read.
    const again = await start(data);
    expect(await order(again)).toMatchObject({ status: 503, body: { code: "temporarily_unavailable" } });
    expect((await request(again, lost.key, "/billing/balance")).body).toEqual({ balance: "88.10" });
  });

  it("is shown at /readyz, in a metric and by a ticket for staff, until it is restored", async () => {
    const { data, instance, lost, putBack } = await withLostKey();
    const { support } = staffOf(instance, data);
    await expect.poll(() => missingIn(instance), poll).toBe("1");
    expect(await readinessOf(instance, data)).toMatchObject({
      status: 200,
      body: { ready: true, parts: { "personal-data": "key-missing" } },
    });
    const titles = async () =>
      (await support.listAllTickets({})).tickets
        .filter(({ accountId }) => accountId === 0n)
        .map(({ ticket }) => ticket?.title ?? "");
    await expect
      .poll(titles, poll)
      .toEqual([
        expect.stringMatching(
          `^The key of personal data of account-${String(lost.id)} \\(key [A-Za-z0-9_-]{8}\\) is missing$`,
        ),
      ]);
    putBack();
    await expect.poll(() => missingIn(instance), poll).toBe("0");
    expect(await readinessOf(instance, data)).toMatchObject({
      body: { parts: { "personal-data": "available" } },
    });
    expect(await request(instance, lost.key, `/tickets/${String(lost.ticket)}`)).toMatchObject({
      body: { title: "About my parrot", message: words },
    });
    expect((await openTicket(instance, lost.key)).status).toBe(201);
    expect(await titles()).toHaveLength(1);
  });

  it("is declared by staff as an event, like an erasure, and only while it is missing", async () => {
    const { data, instance, lost, other } = await withLostKey();
    const { accounts, support } = staffOf(instance, data);
    await expect.poll(() => missingIn(instance), poll).toBe("1");
    await expect(accounts.declareKeyLost({ accountId: other.id })).rejects.toThrow("nothing is lost");
    await expect(accounts.declareKeyLost({ accountId: 99n })).rejects.toThrow("no such account");
    const declared = await accounts.declareKeyLost({ accountId: lost.id });
    expect(declared).toMatchObject({ accountId: lost.id, apiKeysRevoked: 1 });
    await expect(accounts.declareKeyLost({ accountId: lost.id })).resolves.toMatchObject({
      erasedAt: declared.erasedAt,
      apiKeysRevoked: 0,
    });
    expect(await support.showTicket({ ticketId: BigInt(lost.ticket) })).toMatchObject({
      message: "[erased]",
    });
    await expect.poll(() => missingIn(instance), poll).toBe("0");
    expect((await request(instance, lost.key, "/tickets")).status).toBe(401);
    expect((await request(instance, other.key, "/tickets")).status).toBe(200);
  });
});

describe("telling staff of missing keys", () => {
  /** Finds these losses one round after the other, and answers the titles of the tickets that were asked for. */
  async function titlesOf(...rounds: readonly (readonly string[])[]): Promise<readonly string[]> {
    const store = await openTestStore(join(directoryOfTest(), "events.sqlite"));
    onTestFinished(() => store.close());
    const commands = createCommandHandler({ store, recordedBy: "spec" });
    const losses = createKeyLosses();
    const waiting = [...rounds];
    const find = (): void => {
      for (const subject of waiting.shift() ?? [])
        losses.onLoss({ subject, keyId: "AAAAAAAA", reason: "missing" });
    };
    const stop = new AbortController();
    find();
    await reportKeyLosses({
      commands,
      keys: { find: () => Promise.resolve(new Map()) },
      losses,
      logger: silentLogger(),
      signal: stop.signal,
      clock: {
        now: () => "2026-03-01T10:00:00.000000Z",
        sleep() {
          if (waiting.length === 0) stop.abort();
          find();
          return Promise.resolve();
        },
      },
    });
    const titles: string[] = [];
    for await (const batch of ownEvents(store))
      for (const { data } of batch)
        titles.push(z.object({ title: z.string() }).parse(JSON.parse(data)).title);
    return titles;
  }

  it("opens one ticket for each, however often it is found", async () => {
    expect(await titlesOf(["account-1"], ["account-1", "account-2"], ["account-1"])).toEqual([
      "The key of personal data of account-1 (key AAAAAAAA) is missing",
      "The key of personal data of account-2 (key AAAAAAAA) is missing",
    ]);
  });

  it("opens one ticket for all if a whole file is missing", async () => {
    const everybody = Array.from({ length: 300 }, (_, n) => `account-${String(n + 1)}`);
    expect(await titlesOf(everybody, everybody)).toEqual(["300 keys of personal data are missing"]);
  });
});
