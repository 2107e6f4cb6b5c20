import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { defined, systemClock } from "@hostledger/runtime";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";

import { describeLeasesContract } from "./contract/leases.contract.ts";
import { openLeaseConnection, type ServerTime } from "./lease-connection.ts";
import type { Lease, Leases } from "./leases.port.ts";
import { openPostgresLeases } from "./postgres-leases.adapter.ts";

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgresServer();
});
afterAll(async () => {
  await postgres.stop();
});

async function open(namespace = "spec", heldLimit = 100): Promise<Leases> {
  const leases = await openPostgresLeases({ url: postgres.url, namespace, heldLimit });
  onTestFinished(() => leases.close());
  return leases;
}

/** Ends every session of this application, as an operator would. */
async function endSessions(application: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
    application,
  ]);
  await client.end();
}

/** Asks until the lease is free. */
function acquired(leases: Leases, name: string): Promise<Lease> {
  return vi.waitFor(
    async () => {
      const lease = await leases.tryAcquire(name);
      if (lease === undefined) throw new Error(`${name} is held`);
      return lease;
    },
    { timeout: 20_000, interval: 50 },
  );
}

describeLeasesContract("in PostgreSQL", (heldLimit) =>
  openPostgresLeases({ url: postgres.url, ...defined({ heldLimit }) }),
);

it("separates systems that share a database", async () => {
  const one = await open("one");
  const two = await open("two");

  expect(await one.tryAcquire("run-1")).toBeDefined();
  expect(await two.tryAcquire("run-1")).toBeDefined();
});

it("reports PostgreSQL's time before it is open, and regularly afterwards", async () => {
  const times: ServerTime[] = [];
  const leases = await openPostgresLeases({ url: postgres.url, onServerTime: (time) => times.push(time) });
  onTestFinished(() => leases.close());
  expect(times).toHaveLength(1);
  // Both run on this machine.
  expect(Math.abs((times[0]?.epochMs ?? 0) - systemClock().epochMilliseconds())).toBeLessThan(3_600_000);
  await vi.waitFor(
    () => {
      expect(times.length).toBeGreaterThan(1);
    },
    { timeout: 20_000 },
  );
});

it("asks for several things at once, a heartbeat beside locks, without a warning of the driver", async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  const connection = await openLeaseConnection(postgres.url);
  onTestFinished(() => connection.end());
  const keys = ["11", "12", "13"];
  for (const kind of ["lock", "unlock"] as const) {
    const changed = await Promise.all(keys.map((key) => connection.change([{ kind, key }])));
    expect(changed).toEqual([[true], [true], [true]]);
  }
  expect(warnings).toEqual([]);
});

it("releases and takes leases in one statement, in the requested order", async () => {
  const [one, other] = [await openLeaseConnection(postgres.url), await openLeaseConnection(postgres.url)];
  onTestFinished(async () => {
    await Promise.all([one.end(), other.end()]);
  });
  const [lock, unlock] = [{ kind: "lock", key: "21" } as const, { kind: "unlock", key: "21" } as const];

  expect(await one.change([lock, unlock, lock])).toEqual([true, true, true]);
  expect(await other.change([lock])).toEqual([false]);
  expect(await one.change([unlock, { kind: "lock", key: "22" }])).toEqual([true, true]);
  expect(await other.change([lock, { kind: "lock", key: "22" }])).toEqual([true, false]);
});

it("releases a lease even if no other statement follows", async () => {
  const [one, other] = [await open("letting go"), await open("letting go")];
  const lease = await one.tryAcquire("a");
  void lease?.release();
  expect((await acquired(other, "a")).name).toBe("a");
});

it("loses every lease with its session, is refused meanwhile, and then takes leases again automatically", async () => {
  const first = await open();
  const lease = await first.tryAcquire("session-1");
  const other = await first.tryAcquire("session-2");
  if (lease === undefined || other === undefined) throw new Error("no lease");
  const lost = Promise.all([once(lease.lost, "abort"), once(other.lost, "abort")]);

  await endSessions("hostledger-leases");
  await lost;
  await lease.release();

  expect(await first.tryAcquire("session-1")).toBeUndefined();
  expect((await acquired(first, "session-1")).lost.aborted).toBe(false);
});

it("has no room while PostgreSQL has none, and retains its leases", async () => {
  const small = await startPostgresServer({ hasItsDefaults: true });
  onTestFinished(() => small.stop());
  const client = new pg.Client({ connectionString: small.url });
  await client.connect();
  await client.query("alter system set max_locks_per_transaction = 10");
  await client.end();
  await small.crash();
  await small.start();
  const leases = await openPostgresLeases({ url: small.url, heldLimit: 100_000 });
  onTestFinished(() => leases.close());

  const held: Lease[] = [];
  while (leases.hasRoom) {
    const names = Array.from({ length: 500 }, (_, index) => `run-${String(held.length)}-${String(index)}`);
    const taken = await Promise.all(names.map((name) => leases.tryAcquire(name)));
    held.push(...taken.filter((lease) => lease !== undefined));
  }

  expect(held.length).toBeGreaterThan(500);
  expect(held.filter(({ lost }) => lost.aborted)).toEqual([]);
  await Promise.all(held.slice(0, 600).map((lease) => lease.release()));
  await vi.waitFor(
    () => {
      expect(leases.hasRoom).toBe(true);
    },
    { timeout: 20_000 },
  );
  expect(await leases.tryAcquire("run-next")).toBeDefined();
});

it("takes many at once, each for one of two holders", async () => {
  const holders = [await open("many", 5_000), await open("many", 5_000)];
  const names = Array.from({ length: 1_200 }, (_, index) => `run-${String(index)}`);

  const asked = await Promise.all(names.flatMap((name) => holders.map((leases) => leases.tryAcquire(name))));

  const won = asked.flatMap((lease) => lease?.name ?? []);
  expect(won.toSorted()).toEqual(names.toSorted());
});

it("frees the lease of a holder that was killed", async () => {
  const fixture = fileURLToPath(new URL("holder.fixture.ts", import.meta.url));
  const child = spawn(process.execPath, [fixture, postgres.url, "killed-1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout, "data");
  const leases = await openPostgresLeases({ url: postgres.url });
  onTestFinished(() => leases.close());
  expect(String(said)).toBe("held\n");
  expect(await leases.tryAcquire("killed-1")).toBeUndefined();

  const died = once(child, "exit");
  child.kill("SIGKILL");
  await died;

  expect((await acquired(leases, "killed-1")).name).toBe("killed-1");
});

it("reports at once that PostgreSQL cannot be reached", async () => {
  await expect(openPostgresLeases({ url: "postgres://a:b@127.0.0.1:1/none" })).rejects.toThrow();
});
