import { randomUUID } from "node:crypto";

import { hostingEvents, paidOrders } from "@hostledger/core";
import type { audit } from "@hostledger/protocol";
import { accountExamples, domainExamples } from "@hostledger/core/testing";
import { subjectOfAccount } from "@hostledger/store/personal-data";
import { rejectionOf } from "@hostledger/rpc";
import { realTiming } from "@hostledger/runtime";
import { describe, expect, it, vi } from "vitest";

import { openAudit, type AuditClient, type AuditFixture } from "../audit-service.fixture.ts";
import { maximumReadings } from "./read-events.ts";

const { opened, credited, charged } = accountExamples;
const { DomainRegistered } = domainExamples.samples;

type Request = Parameters<AuditClient["readEvents"]>[0];

async function read(client: AuditClient, request: Request): Promise<audit.ReadEventsResponse[]> {
  const batches: audit.ReadEventsResponse[] = [];
  for await (const batch of client.readEvents(request)) batches.push(batch);
  return batches;
}

async function indexesOf(client: AuditClient, request: Request): Promise<number[]> {
  return (await read(client, request)).flatMap(({ events }) => events.map(({ index }) => Number(index)));
}

async function refusalOfReading(client: AuditClient, request: Request) {
  try {
    await read(client, request);
  } catch (error) {
    return rejectionOf(error);
  }
  throw new Error("expected a refusal");
}

/**
 * Leaves: 0 account 7, 1-2 its payment, 3 account 8, 4-5 charge of 7, 6 a domain of 7, 7 a domain of 8. An hour passes
 * before 3.
 */
async function openScenario(...options: Parameters<typeof openAudit>): Promise<AuditFixture> {
  const fixture = await openAudit(...options);
  const { record, clock } = fixture;
  await record("account-7", opened(), ...credited());
  clock.advance(3_600_000);
  await record("account-8", { type: "AccountOpened", data: { ...opened().data, accountId: 8, name: "Ben" } });
  await record("account-7", ...charged());
  const { data } = DomainRegistered;
  await record("domain-example.com", { ...DomainRegistered, data: { ...data, accountId: 7 } });
  await record("domain-example.net", { ...DomainRegistered, data: { ...data, accountId: 8 } });
  return fixture;
}

describe("the log", () => {
  it("is read completely, in its order, with the store's data", async () => {
    const { audits, store } = await openScenario();
    const [batch, ...more] = await read(audits(), { asStored: true });
    expect(more).toEqual([]);
    expect(batch).toMatchObject({ nextIndex: 8n, endIndex: 8n });
    expect(batch?.events.map(({ index }) => index)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n]);
    for await (const { id, type, time, data, metadata, revision } of store.read("account-7", { limit: 1 }))
      expect(batch?.events[0]).toMatchObject({ id, type, time, data, metadata, revision });
  });

  it("is filtered by all given filters together", async () => {
    const { audits } = await openScenario();
    const asked: readonly (readonly [Request, readonly number[]])[] = [
      [{ stream: "account-8" }, [3]],
      [{ stream: "account" }, []],
      [{ accountId: 7n }, [0, 1, 2, 4, 5, 6]],
      [{ accountId: 8n }, [3, 7]],
      [{ accountId: 77n }, []],
      [{ types: ["BalanceCharged", "DomainRegistered"] }, [4, 6, 7]],
      [{ fromTime: "2026-03-01T11:00:00Z" }, [3, 4, 5, 6, 7]],
      [{ toTime: "2026-03-01T11:00:00Z" }, [0, 1, 2]],
      [{ accountId: 7n, types: ["DomainRegistered"], fromTime: "2026-03-01T11:00:00Z" }, [6]],
      [{ firstIndex: 2n, endIndex: 5n }, [2, 3, 4]],
      [{ firstIndex: 3n, limit: 2n }, [3, 4]],
      [{ accountId: 7n, limit: 4n }, [0, 1, 2, 4]],
      [{ firstIndex: 8n }, []],
    ];
    for (const [request, indexes] of asked)
      expect(await indexesOf(audits(), request), `${String(request.accountId)} ${String(indexes)}`).toEqual(
        indexes,
      );
  });

  it("returns where a limited reading stopped, so that the next one continues there", async () => {
    const { audits } = await openScenario();
    const batches = await read(audits(), { accountId: 7n, limit: 4n });
    expect(batches.at(-1)).toMatchObject({ nextIndex: 5n, endIndex: 8n });
    expect(await indexesOf(audits(), { accountId: 7n, firstIndex: 5n })).toEqual([5, 6]);
  });

  it("shows personal data in clear text, or as stored", async () => {
    const { audits, keys } = await openScenario();
    const dataOf = async (asStored: boolean) =>
      (await read(audits(), { asStored, limit: 1n }))[0]?.events[0]?.data;
    const stored = await dataOf(true);
    expect(stored).toContain('"sealed:v2:');
    expect(await dataOf(false)).toContain('"Ada"');
    await keys.destroy(subjectOfAccount(7));
    expect(await dataOf(false)).toContain('"[erased]"');
    expect(await dataOf(true)).toBe(stored);
    expect((await audits().listAuditedAccounts({})).accounts.map(({ name }) => name)).toEqual([
      "[erased]",
      "Ben",
    ]);
    expect((await audits().getStatement({ accountId: 7n })).name).toBe("[erased]");
  });

  it("accepts the name of every event, also if its first version is another", async () => {
    const { audits } = await openScenario();
    // Maximum types per request.
    for (let types = Object.keys(hostingEvents); types.length > 0; types = types.slice(100))
      expect(await read(audits(), { types: types.slice(0, 100) })).not.toEqual([]);
  });

  it("is refused in one sentence without an answer", async () => {
    const { audits } = await openScenario();
    const asked: readonly (readonly [Request, string])[] = [
      [{ firstIndex: 9n }, "The log has 8 events: there is none after them yet."],
      [{ endIndex: 9n }, "The log has 8 events: there is none after them yet."],
      [{ firstIndex: -1n }, "firstIndex must be 0 or more, and below 2^53."],
      [{ limit: -1n }, "limit must be 0 or more, and below 2^53."],
      [{ accountId: 0n }, "accountId must be a positive id."],
      [{ stream: "" }, "stream must be 1 to 500 characters long."],
      [{ stream: "x".repeat(501) }, "stream must be 1 to 500 characters long."],
      [
        { types: ["BalanceCharged.v1"] },
        'types must be types of events, for example BalanceCharged, not "BalanceCharged.v1"',
      ],
      [{ types: Array.from({ length: 101 }, () => "BalanceCharged") }, "types must be at most 100 types."],
      [{ fromTime: "soon" }, "fromTime must be a date or an instant"],
    ];
    for (const [request, sentence] of asked) {
      const refusal = await refusalOfReading(audits(), request);
      expect(refusal.code).toBe("validation-failed");
      expect(refusal.message).toContain(sentence);
    }
  });
});

describe("a run", () => {
  it("is its account's from the event on that names the account, also when the reading begins later", async () => {
    const { audits, record } = await openScenario();
    // The run's later events name no account; the charge at index 4 names its stream.
    await record("registration-1", { type: "IdBlockReserved", data: { first: 1, last: 1 } });
    expect(await indexesOf(audits(), { accountId: 7n, firstIndex: 7n })).toEqual([8]);
  });
});

describe.each(paidOrders.map(({ category }) => category))("a run of the category %s", (category) => {
  it("belongs to its account with all its events, also if the reading begins before it", async () => {
    const { audits, record } = await openScenario();
    const { data } = DomainRegistered;
    const first = { ...DomainRegistered, data: { ...data, accountId: 7 } };
    await record(`${category}-9`, first, { type: "IdBlockReserved", data: { first: 1, last: 1 } });
    expect(await indexesOf(audits(), { accountId: 7n, types: ["IdBlockReserved"] })).toEqual([9]);
  });
});

describe("a long reading", () => {
  const many = 3_000;

  async function openLong(): Promise<AuditFixture> {
    const fixture = await openAudit();
    await fixture.record("account-7", opened());
    const { openedAt: changedAt } = opened().data;
    const events = Array.from({ length: many / 10 }, (_, index) => ({
      type: "VatExemptionChanged" as const,
      data: { vatExempt: index % 2 === 0, changedAt },
    }));
    for (let round = 0; round < 10; round += 1) await fixture.record("account-7", ...events);
    return fixture;
  }

  it("comes in batches, and waits for its reader", async () => {
    const { audits, log } = await openLong();
    const before = log.reads;
    const reading = audits().readEvents({})[Symbol.asyncIterator]();
    const first = await reading.next();
    expect(first.done === true ? 0 : first.value.events.length).toBe(256);
    await realTiming.sleep(100);
    expect(log.reads - before).toBeLessThanOrEqual(4);
    await reading.return?.();
    expect((await read(audits(), {})).every(({ events }) => events.length <= 256)).toBe(true);
    expect(await indexesOf(audits(), {})).toHaveLength(many + 1);
  });

  it("takes one of a limited number of places", async () => {
    const gate = Promise.withResolvers<undefined>();
    const { overHttp, issue, keys } = await openScenario();
    // The first event is account 7's opening, whose name is sealed.
    const find = keys.find.bind(keys);
    vi.spyOn(keys, "find").mockImplementation(async (subjects) => {
      await gate.promise;
      return find(subjects);
    });
    const auditor = overHttp((await issue()).authorization);
    const leaving = new AbortController();
    const readings = Array.from({ length: maximumReadings }, async () => {
      for await (const _batch of auditor.readEvents({}, { signal: leaving.signal }));
    });
    const ended = Promise.allSettled(readings);
    const asStored = () => read(auditor, { asStored: true, limit: 1n }).catch(rejectionOf);
    await expect.poll(asStored).toMatchObject({
      code: "overloaded",
      message: "Too many readings of the log are running.",
    });
    // A client that disconnects frees its place, although its read still waits.
    leaving.abort();
    await ended;
    await expect.poll(asStored).toHaveLength(1);
    gate.resolve(undefined);
  });

  it("waits over HTTP for a client that does not read on", async () => {
    const { url, issue, store, log, settled } = await openAudit();
    const metadata = JSON.stringify({
      correlationId: "spec",
      causationId: "spec",
      commandId: "spec",
      actor: "spec",
      recordedBy: "spec",
      padding: "x".repeat(60_000),
    });
    const data = JSON.stringify({ first: 1, last: 1 });
    for (let round = 0; round < 160; round += 1)
      await store.append(
        "request-1",
        "any",
        Array.from({ length: 10 }, () => ({ id: randomUUID(), type: "IdBlockReserved.v1", data, metadata })),
      );
    await settled();
    const { authorization } = await issue();
    const before = log.reads;
    const leaving = new AbortController();
    const answer = await fetch(`${url}/audit/rpc/hosting.audit.v1.AuditService/ReadEvents`, {
      method: "POST",
      headers: { authorization, "content-type": "application/connect+json" },
      body: Buffer.concat([Buffer.from([0, 0, 0, 0, 2]), Buffer.from("{}")]),
      signal: leaving.signal,
    });
    expect(answer.status).toBe(200);
    await realTiming.sleep(1_000);
    // The log has seven chunks of about 15 MB; the connection buffers less than one.
    expect(log.reads - before).toBeLessThanOrEqual(3);
    leaving.abort();
  });

  it("ends when its credential is revoked", async () => {
    const { overHttp, issue, admins } = await openLong();
    const { authorization, credentialId } = await issue();
    const reading = overHttp(authorization).readEvents({})[Symbol.asyncIterator]();
    await reading.next();
    await admins.revokeAuditorCredential({ credentialId });
    const rest = (async () => {
      while ((await reading.next()).done !== true);
    })();
    const refusal = await rest.then(
      () => undefined,
      (error: unknown) => rejectionOf(error),
    );
    // Events on their way still arrive; in such a short log these may be all.
    if (refusal !== undefined) expect(refusal.code).toBe("unauthenticated");
  });
});
