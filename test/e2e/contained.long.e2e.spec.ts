import { appendFileSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { monotonicMilliseconds, realTiming } from "@hostledger/runtime";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { startBystanders, type Bystanders } from "../support/bystanders.ts";
import { hostledger } from "../support/command-line.ts";
import { smallDisk, type SmallDisk } from "../support/disks.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { anyText, itemsOf, objectOf } from "../support/matchers.ts";
import { type Customer, openCustomer, sell, staffReadiness } from "../support/staff-client.ts";

/**
 * One instance under load with one failure after another that once stopped everybody. Other customers continue,
 * staff see the fault, and the documented command repairs it. Latencies before and during the failures are printed
 * and never judged.
 */

const metricsToken = "the-token-of-prometheus";
const environment = {
  HOSTLEDGER_ESDB_PORT: "0",
  HOSTLEDGER_ESDB_WRITERS: "anyone",
  HOSTLEDGER_METRICS_TOKEN: metricsToken,
  HOSTLEDGER_PROVIDER_TIMEOUT_MS: "1000",
  // A round over the few thousand events of this test takes about a second.
  HOSTLEDGER_SCRUB_RATE: "20000",
};

/** Maximum time to notice a failure or to recover, on a busy machine. */
const noticeLimitMs = 120_000;

let disk: SmallDisk;
let instance: InstanceProcess;
let victim: Customer;
let buyer: Customer;
let bystanders: Bystanders;

beforeAll(async () => {
  disk = smallDisk(256);
  const { path, ...limits } = disk;
  instance = await startInstanceProcess(path, { environment, ...limits });
  await sell(instance.staff, "com");
  victim = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000_000n });
  buyer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 20_000_000n });
  expect((await victim.post("/tickets", { title: "Of the victim", message: "words" })).status).toBe(201);
  bystanders = startBystanders(instance);
  await bystanders.during("before anything", () => realTiming.sleep(3_000));
});

afterEach(async () => {
  // Whatever went wrong in between: nobody else has noticed, and nothing is left of it.
  expect(bystanders.complaints()).toEqual([]);
  await eventually(async () => {
    expect(await stopped()).toEqual([]);
  });
});

afterAll(async () => {
  try {
    await bystanders.stop();
    process.stdout.write(bystanders.table());
    expect(await instance.stop()).toBe(0);
  } finally {
    await instance.kill();
    disk.remove();
  }
});

async function eventually(check: () => Promise<void>): Promise<void> {
  const until = monotonicMilliseconds() + noticeLimitMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (monotonicMilliseconds() > until) throw error;
      await realTiming.sleep(200);
    }
  }
}

/** A command of staff, as documented. */
async function staffSays(...line: readonly string[]): Promise<unknown> {
  const ended = await hostledger(...line, "--json", "--data", disk.path);
  if (ended.code !== 0) throw new Error(`${line.join(" ")}: ${ended.stderr}`);
  return JSON.parse(ended.stdout);
}

async function stopped(): Promise<{ stream: string; revision: number }[]> {
  const { streams } = await instance.staff.projections.listStoppedStreams({});
  return streams.map(({ stream, revision }) => ({ stream, revision: Number(revision) }));
}

/** Returns the titles in the staff's list of tickets. */
async function ticketTitles(): Promise<string[]> {
  return itemsOf(await staffSays("admin", "ticket", "list")).map(({ title }) => String(title));
}

async function metric(name: string): Promise<number> {
  const adminUrl = new URL("/metrics", instance.adminUrl);
  const answer = await fetch(adminUrl, { headers: { authorization: `Bearer ${metricsToken}` } });
  const line = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "mu").exec(await answer.text());
  return Number(line?.[1]);
}

/** Records an event as another program could that may write to the store. */
async function recordForeign(
  stream: string,
  type: string,
  data: Record<string, unknown> | string,
): Promise<void> {
  const address = /event store (esdb:\/\/\S+)/.exec(instance.stdout())?.[1];
  if (address === undefined) throw new Error("the instance does not say where its event store is");
  const client = EventStoreDBClient.connectionString(address);
  try {
    await client.appendToStream(
      stream,
      jsonEvent({ type, data: typeof data === "string" ? { data } : data }),
    );
  } finally {
    await client.dispose();
  }
}

/** Changes the event store's file as an intruder on the machine could. */
function withStore(work: (store: DatabaseSync) => void): void {
  const store = new DatabaseSync(join(disk.path, "events.sqlite"));
  try {
    store.exec("PRAGMA busy_timeout = 10000");
    work(store);
  } finally {
    store.close();
  }
}

function withKey(apiKey: string): RequestInit {
  return { headers: { authorization: apiKey } };
}

/** Has every event passed over that stopped a stream, as the runbook says. */
async function mendAll(): Promise<void> {
  for (const { stream, revision } of await stopped())
    await staffSays("projections", "mend", stream, String(revision), "--reason", "a foreign event");
}

describe("a foreign event", () => {
  it.each<[string, string, Record<string, unknown> | string, boolean]>([
    ["of an unknown type", "SomethingElse.v1", { any: "thing" }, false],
    ["of our type with wrong fields", "BalanceCredited.v1", { amountCents: "many" }, true],
    ["with 1 MB of data", "SomethingLarge.v1", "x".repeat(1_000_000), false],
  ])("%s in one account's stream affects no other account", async (what, type, data, stops) => {
    const accountId = BigInt(victim.accountId);
    const old = await instance.staff.accounts.issueApiKey({ accountId });
    const before = await metric("hostledger_foreign_events");
    await bystanders.during(`a foreign event ${what}`, async () => {
      await recordForeign(`account-999${String(what.length)}`, type, data);
      await eventually(async () => {
        if (stops) expect(await stopped()).not.toEqual([]);
        else expect(await metric("hostledger_foreign_events")).toBeGreaterThan(before);
      });
      // Keys are decided on the accounts' own streams: one that is revoked now opens nothing, a new one does.
      expect(await victim.send("/billing/balance", withKey(old.apiKey))).toMatchObject({ status: 200 });
      await instance.staff.accounts.revokeApiKey({ keyId: old.keyId });
      expect(await victim.send("/billing/balance", withKey(old.apiKey))).toMatchObject({ status: 401 });
      const { apiKey } = await instance.staff.accounts.issueApiKey({ accountId });
      expect(await victim.send("/billing/balance", withKey(apiKey))).toMatchObject({ status: 200 });
      if (stops)
        await eventually(async () => {
          expect((await ticketTitles()).join("\n")).toMatch(/account-999\d+ cannot be read/);
        });
      await mendAll();
    });
  });
});

describe("a stopped stream", () => {
  it("does not change orders or other lists", async () => {
    await bystanders.during("a ticket's stream stopped", async () => {
      await recordForeign("ticket-999999", "TicketOpened.v1", { nonsense: true });
      await eventually(async () => {
        expect(await stopped()).not.toEqual([]);
      });
      expect(await victim.post("/domains", { domain: "while-stopped.com" })).toMatchObject({ status: 201 });
      expect(await victim.get("/tickets")).toMatchObject({ status: 200 });
      await mendAll();
    });
  });
});

describe("the key of one customer's personal data", () => {
  it("affects only that customer if it is lost", async () => {
    const accountId = String(victim.accountId);
    await bystanders.during("a lost key", async () => {
      const keys = new DatabaseSync(join(disk.path, "subject-keys.sqlite"), { timeout: 10_000 });
      keys.prepare("DELETE FROM subject_keys WHERE subject = ?").run(`account-${accountId}`);
      keys.close();
      await eventually(async () => {
        expect(await victim.get("/tickets")).toMatchObject({ body: [{ title: "[not available]" }] });
      });
      expect(await metric("hostledger_subject_keys_missing")).toBe(1);
      expect(JSON.stringify((await staffReadiness(instance.adminUrl, instance.data)).parts)).toMatch(/key/i);
      await eventually(async () => {
        expect((await ticketTitles()).join("\n")).toMatch(/personal data/i);
      });
      await staffSays("admin", "account", "key-lost", accountId);
      await eventually(async () => {
        expect(await metric("hostledger_subject_keys_missing")).toBe(0);
      });
    });
  });
});

describe("a changed byte", () => {
  it("in a stored event is found and named by the scrub, and stops nothing", async () => {
    const change = (from: string, to: string): void => {
      withStore((store) => {
        store
          .prepare(
            "UPDATE events SET data = replace(data, ?, ?) WHERE type = 'BalanceCredited.v1' AND position < 40",
          )
          .run(from, to);
      });
    };
    await bystanders.during("a changed byte", async () => {
      change("10000000", "10000001");
      await eventually(async () => {
        const status = await hostledger("audit", "status", "--data", disk.path);
        expect([status.code, status.stderr]).toEqual([
          1,
          expect.stringMatching(/BalanceCredited|account-\d+/),
        ]);
      });
      const verified = await hostledger("audit", "verify", "--live", "--data", disk.path);
      expect(verified.code).toBe(1);
      expect(verified.stdout + verified.stderr).toMatch(/account-\d+/);
      expect(await ticketTitles()).toContain("The event store is not as it was recorded");
      change("10000001", "10000000");
    });
  });
});

describe("a missing tile", () => {
  it("of the audit log stops nothing, and the events are verified without it", async () => {
    const tiles = join(disk.path, "audit", "tile");
    const first = readdirSync(tiles, { recursive: true, withFileTypes: true }).find((file) => file.isFile());
    if (first === undefined) throw new Error("the log has no tile yet");
    await bystanders.during("a missing tile", async () => {
      rmSync(join(first.parentPath, first.name));
      const verified = await hostledger("audit", "verify", "--live", "--data", disk.path);
      expect([verified.code, verified.stdout]).toEqual([
        0,
        expect.stringMatching(/^Verified [\d,]+ events of .*: nothing is wrong/),
      ]);
    });
  });
});

describe("a full disk", () => {
  it("for 10 s stops writes with a clear error, and nothing needs a restart", async () => {
    const filler = join(disk.path, "filler");
    let orders = 0;
    const order = () => buyer.post("/domains", { domain: `while-full-${String((orders += 1))}.com` });
    const fill = (): void => {
      const { bavail, bsize } = statfsSync(disk.path);
      appendFileSync(filler, Buffer.alloc(bavail * bsize));
    };
    await bystanders.during(
      "a full disk",
      async () => {
        // The room that the write-ahead log has had would do for minutes.
        withStore((store) => {
          store.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        });
        await eventually(async () => {
          // Fills freed space again.
          fill();
          expect(await order()).toMatchObject({ status: 503, body: { code: "temporarily_unavailable" } });
        });
        expect(await buyer.get("/domains")).toMatchObject({ status: 200 });
        await realTiming.sleep(10_000);
        rmSync(filler);
        await eventually(async () => {
          expect(await order()).toMatchObject({ status: 201 });
        });
      },
      // The sandbox keeps its registrar on that disk, too, which then is one that takes no orders.
      { mayRefuse: ["503 temporarily_unavailable", "504 deadline_exceeded", "500 registrar_failed"] },
    );
  });
});

describe("a provider that hangs", () => {
  it("delays only its own orders", async () => {
    await bystanders.during("a provider that hangs", async () => {
      const orders = Array.from({ length: 20 }, (_, at) =>
        buyer.post("/domains", { domain: `slow-limbo-${String(at)}.com` }),
      );
      const statuses = new Set((await Promise.all(orders)).map(({ status }) => status));
      expect(statuses).toEqual(new Set([500]));
    });
    expect(objectOf((await buyer.get("/billing/balance")).body)).toMatchObject({ balance: anyText });
  });
});
