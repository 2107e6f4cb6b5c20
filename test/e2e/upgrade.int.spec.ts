import { cpSync } from "node:fs";

import type { EventStore } from "@hostledger/store";
import { temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { auditBooks, hear, readEvents } from "../support/books.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import type { Customer } from "../support/staff-client.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { readModelsOf } from "../support/stored-rows.ts";
import {
  changeOutcomes,
  customerOf,
  endAllRuns,
  endingsOf,
  holdingsOf,
  unfinishedRuns,
  until,
} from "../support/upgrade/endings.ts";
import {
  readAuditRoot,
  readExpectation,
  readRows,
  readStoredEvents,
  restoreFixture,
} from "../support/upgrade/fixture.ts";
import { steps } from "../support/upgrade/steps.ts";

/**
 * A store that an earlier version left with every kind of run stopped at every step (test/fixtures/upgrade): this version
 * builds the same read models from it and the same audit log, and brings every run to the end that it should have.
 */

const expected = readExpectation();
const stored = readStoredEvents();
const restored = temporaryDirectory();

/** A copy of the restored data directory, removed at the end. */
const copies: ReturnType<typeof temporaryDirectory>[] = [];
function copyOfRestored(): string {
  const copy = temporaryDirectory();
  copies.push(copy);
  cpSync(restored.path, copy.path, { recursive: true });
  return copy.path;
}

/** Tables that it had, and that went with their read models. */
const goneTables: readonly string[] = ["life_cycles", "pending_changes"];

/** Tables that the earlier version did not have. */
const newTables: Readonly<Record<string, readonly string[]>> = {
  account: ["document_events", "holdings", "payments", "payments_taken_back", "profiles", "work"],
  audit: ["audited_owners", "audited_profiles", "audited_references"],
  domain: ["announced_prices", "extension_life_cycles", "stopped_runs", "work"],
  server: ["announced_plan_prices", "work"],
  support: [
    "erased_accounts",
    "followed_causes",
    "notice_deliveries",
    "notice_domains",
    "notice_mail_kinds",
    "notice_mailboxes",
    "notice_server_terms",
    "notice_servers",
    "notice_thresholds",
    "notices",
    "webhooks",
    "work",
  ],
};

/**
 * Columns that the old version lacked, with their values for its rows: emergencies are the system's, other tickets
 * were requested.
 */
const newColumns: Readonly<Record<string, (row: Readonly<Record<string, unknown>>) => object>> = {
  "support.tickets": ({ priority }) => ({ requested: priority === "normal" ? 1 : 0 }),
  "domain.prices": () => ({ registrar: null }),
  "account.invoices": ({ vat_rate_percent: percent, created_at: issuedAt }) => ({
    business_date: String(issuedAt).slice(0, 10),
    tax_reason: null,
    cancels_receipt: 0,
    vat_rate_basis_points: Number(percent) * 100,
    vat_rate_percent: undefined,
  }),
  "server.servers": ({ id, status, node_changed_at }) => ({
    cancelled: 0,
    auto_renew: 0,
    suspended_at: status === "suspended" ? node_changed_at : null,
    held: 0,
    hold_reason: null,
    staff_reason: null,
    // The last change of a server that staff released is its start.
    released_at: stored.some(
      ({ stream, type }) => stream === `server-${String(id)}` && type === "ServerUnsuspended",
    )
      ? node_changed_at
      : null,
  }),
  "support.run_accounts": ({ run, log_position }) => {
    // Positions in the log begin with 1, revisions of a stream with 0.
    const events = stored.flatMap(({ stream, type }, index) =>
      stream === run ? [{ type, position: index + 1 }] : [],
    );
    const isOf = (ending: string) => (event: { readonly type: string }) =>
      new RegExp(`^(Registration|Renewal|Transfer|ServerOrder|ServerRenewal)${ending}$`).test(event.type);
    const resumed = events.findLastIndex(isOf("Unparked"));
    const completed = events.find(isOf("Completed"));
    return {
      resumed_revision: resumed === -1 ? null : resumed,
      is_over: completed === undefined ? 0 : 1,
      log_position: completed?.position ?? events[resumed]?.position ?? log_position,
    };
  },
  "domain.process_runs": reasonOfRun,
  "server.process_runs": reasonOfRun,
  "server.plans": () => ({ retired: 0 }),
  "domain.domains": () => ({ suspension_reason: null, offline: 0 }),
};

/** The list shows the reason of a run's last step; a run whose question failed waits. */
function reasonOfRun({ run, status }: Readonly<Record<string, unknown>>): object {
  const last = stored.findLastIndex(
    ({ stream, type }) =>
      stream === run && !/^RegistrationChargeReturned$|^Delegation|^ZoneFailureRecorded$/.test(type),
  );
  const { type = "", data } = stored[last] ?? {};
  if (typeof data !== "object" || data === null || !("reason" in data)) return {};
  if (type.endsWith("Abandoned")) return {};
  return {
    reason: data.reason,
    log_position: last + 1,
    status: type.endsWith("InquiryFailed") ? "waiting" : status,
  };
}

const isRun = /^(registration|serverorder|renewal|serverrenewal)-/;

beforeAll(() => restoreFixture(restored.path));

afterAll(() => {
  for (const directory of [restored, ...copies]) directory.remove();
});

/** A minute after the fixture was made, on a clock by which the runs' pauses cost nothing. */
function openOn(data: string, decorate: (store: EventStore) => EventStore): Promise<Instance> {
  const clock = virtualClock(new Date(Date.parse(expected.madeAt) + 60_000).toISOString());
  return startInstance({ data, clock, decorate: { store: decorate } });
}

/** A read-only store, so that results depend on the fixture's events alone. */
function readOnly(store: EventStore): EventStore {
  return {
    append: () => Promise.reject(new Error("this store is only read")),
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

describe("the store of an earlier version", () => {
  it("has runs of every kind, stopped at every step", () => {
    const streams = Map.groupBy(stored, ({ stream }) => stream);
    const typesOf = (stream: string) => (streams.get(stream) ?? []).map(({ type }) => type);
    for (const { run, course, facts: events } of expected.runs) expect(typesOf(run), course).toEqual(events);
    const seen = expected.runs.map(({ process, step }) => `${process} ${step.replace(/:.*/, "")}`);
    for (const [process, names] of Object.entries(steps))
      for (const name of names) expect(seen).toContain(`${process} ${name}`);
    const listed = new Set(expected.runs.map(({ run }) => run));
    const others = [...streams.keys()].filter((stream) => isRun.test(stream) && !listed.has(stream));
    expect(others.filter((stream) => typesOf(stream).at(-1)?.endsWith("Completed") !== true)).toEqual([]);
  });

  it("has changes and requests that began and did not end", () => {
    const begun = [...changeOutcomes(stored)].filter(([, outcome]) => outcome === "pending");
    expect(begun.map(([changeId]) => changeId).sort()).toEqual(
      expected.changes.map(({ changeId }) => changeId).sort(),
    );
    const kinds = ["nameservers", "settings", "add-record", "update-record", "delete-record"];
    const stages = expected.changes.map(({ kind, stage }) => `${kind} ${stage}`);
    for (const kind of kinds)
      expect(stages).toEqual(expect.arrayContaining([`${kind} before`, `${kind} after`]));
    const requests = Map.groupBy(
      stored.filter(({ stream }) => stream.startsWith("request-")),
      ({ stream }) => stream,
    );
    const claimed = [...requests.values()].filter((events) => events.at(-1)?.type === "RequestBegun");
    expect(claimed).toHaveLength(expected.requests.length);
  });

  it("gives the same rows in every read model, and the same audit log", async () => {
    const data = copyOfRestored();
    const { size, root } = readAuditRoot();
    expect(size).toBe(stored.length);
    const instance = await openOn(data, readOnly);
    try {
      const checkpoint = async () => (await instance.staff.audits.getCheckpoint({})).note.split("\n");
      await until("the log has seen the whole store", async () => (await checkpoint())[1] === String(size));
      expect((await checkpoint())[2]).toBe(root);
    } finally {
      await instance.close();
    }
    const readModels = readModelsOf(data);
    for (const service of ["account", "audit", "domain", "server", "support"]) {
      const tables = Object.entries<unknown>(objectOf(readModels[`${service}.sqlite`]));
      const added = ["stopped_streams", ...(newTables[service] ?? [])];
      expect(
        tables.map(([table]) => table),
        service,
      ).toEqual(expect.arrayContaining([...added]));
      const rows = Object.fromEntries(tables.filter(([table]) => !added.includes(table)));
      const before = Object.entries<unknown>(objectOf(readRows(service)))
        .filter(([table]) => !goneTables.includes(table))
        .map(([table, were]) => [
          table,
          itemsOf(were).map((row) => ({ ...row, ...newColumns[`${service}.${table}`]?.(row) })),
        ]);
      expect(rows, service).toEqual(Object.fromEntries(before));
    }
  });

  it("brings each of its runs to the expected end", async () => {
    const stores: EventStore[] = [];
    const instance = await openOn(copyOfRestored(), (store) => {
      stores.push(store);
      return store;
    });
    try {
      const [store] = stores;
      if (store === undefined) throw new Error("the instance has opened no store");
      await expectEndings(instance, store);
    } finally {
      await instance.close();
    }
  });
});

async function expectEndings(instance: Instance, store: EventStore): Promise<void> {
  await endAllRuns(instance, expected.runs);
  expect(await unfinishedRuns(instance.staff)).toEqual([]);
  await until("every change of a domain has ended", async () => {
    const outcomes = [...changeOutcomes(await readEvents(store)).values()];
    return !outcomes.includes("pending");
  });
  for (const { key, accountId, path, body, status } of expected.requests) {
    const customer = await customerOf(instance, accountId);
    const answer = await customer.post(path, body, { "idempotency-key": key });
    expect(answer.status, key).toBe(status);
    const again = await customer.post(path, body, { "idempotency-key": key });
    expect([again.headers.get("idempotency-replayed"), again.body], key).toEqual(["true", answer.body]);
  }
  const events = await readEvents(store);
  const ends = expected.runs.map(({ run, outcome, chargedCents, refundedCents }) => ({
    run,
    outcome,
    chargedCents,
    refundedCents,
  }));
  expect(endingsOf(expected.runs, events)).toEqual(ends);
  const outcomes = changeOutcomes(events);
  expect(expected.changes.map(({ changeId }) => outcomes.get(changeId))).toEqual(
    expected.changes.map(({ outcome }) => outcome),
  );
  await expectHoldings(instance, store);
}

/** Expects that customers' lists, providers and books agree, except where staff decided otherwise. */
async function expectHoldings(instance: Instance, store: EventStore): Promise<void> {
  const { accounts, compute } = expected.endings;
  // The nodes that differed are set right after the start, one after the other.
  await expect
    .poll(async () => (await holdingsOf(instance, [])).compute, { timeout: 30_000 })
    .toEqual(compute);
  const customers: Customer[] = [];
  for (const accountId of Object.keys(accounts).map(Number))
    customers.push(await customerOf(instance, accountId));
  expect(await holdingsOf(instance, customers)).toEqual(expected.endings);
  const reported = await hear(instance.staff, customers);
  expect(auditBooks({ events: await readEvents(store), ...reported })).toEqual(expected.findings);
}
