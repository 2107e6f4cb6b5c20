import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { createClient, type Client } from "@connectrpc/connect";
import { hostingCodec } from "@hostledger/core";
import { accountExamples } from "@hostledger/core/testing";
import { openSqliteSubjectKeys } from "@hostledger/store/personal-data";
import { testLocation } from "@hostledger/read/testing";
import { admin, audit } from "@hostledger/protocol";
import { refusalOf, specCallers } from "@hostledger/rpc/testing";
import { manualClock, randomIds, realTiming, silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { openTestLog, openTestStore, untilCovered } from "./log/audit-log.fixture.ts";
import { startAuditService } from "./service.ts";

const { opened, credited, charged } = accountExamples;
const storedEvents = [opened(), ...credited(), ...charged()];
const metadata = JSON.stringify({ commandId: "c", correlationId: "c", actor: "spec", recordedBy: "spec" });

let folder = "";
let admins: Client<typeof admin.AuditorAdminService>;
beforeEach(() => {
  folder = directoryOfTest();
});

/** Records events, stops, changes the store by SQL, and starts again. */
async function tampered(sql: string): Promise<Client<typeof audit.AuditService>> {
  const before = await openTestStore(folder);
  const events = storedEvents.map(({ type, data }) => ({
    id: randomIds.uuid(),
    type: hostingCodec.storedType(type),
    data: JSON.stringify(data),
    metadata,
  }));
  const kept = await openTestLog(before, folder);
  await before.append("account-7", "no-stream", events);
  const filler = { id: randomIds.uuid(), type: "PlanAdded.v1", data: "{}", metadata };
  await before.append("plan-1", "no-stream", [filler]);
  await untilCovered(kept, storedEvents.length + 1);
  await kept.close();
  await before.close();
  const database = new DatabaseSync(join(folder, "events.sqlite"));
  database.exec(sql);
  database.close();
  const store = await openTestStore(folder);
  const log = await openTestLog(store, folder);
  await log.ready();
  const keys = openSqliteSubjectKeys({ path: join(folder, "subject-keys.sqlite") });
  const clock = manualClock("2026-03-02T10:00:00.000000Z", realTiming);
  const service = await startAuditService({
    store,
    rawStore: store,
    subjectKeys: keys,
    clock,
    ids: randomIds,
    logger: silentLogger(),
    log,
    readModels: await testLocation(join(folder, "audit.sqlite")),
  });
  onTestFinished(async () => {
    await service.close();
    await log.close();
    await store.close();
    await keys.close();
  });
  const staff = { kind: "staff", name: "ada" } as const;
  const transport = specCallers().transportTo(service, staff);
  admins = createClient(admin.AuditorAdminService, transport);
  return createClient(audit.AuditService, transport);
}

async function readAll(audits: Client<typeof audit.AuditService>): Promise<void> {
  for await (const batch of audits.readEvents({ asStored: true })) expect(batch.events).toBeDefined();
}

/** Returns the damages that a complete read reports. */
async function damageIn(audits: Client<typeof audit.AuditService>): Promise<readonly string[]> {
  const lines: string[] = [];
  let count = 0;
  for await (const { events } of audits.readEvents({ asStored: true, withDamage: true }))
    for (const { index, stream, damage, leafHash } of events) {
      expect({ index, leafHash: leafHash.length }).toEqual({
        index: BigInt(count),
        leafHash: damage === "" ? 0 : 32,
      });
      count += 1;
      if (damage !== "") lines.push(`${String(index)} ${stream}: ${damage}`);
    }
  expect(count).toBe(storedEvents.length + 1);
  return lines;
}

const last = storedEvents.length - 1;
const renumber =
  "UPDATE events SET position = -position WHERE position IN (2, 3); UPDATE events SET position = 5 + position WHERE position < 0;";

describe("a store that was changed by SQL while it was stopped", () => {
  it.each([
    [
      "an amount",
      `UPDATE events SET data = replace(data, '1190', '0190') WHERE position = ${String(last)}`,
      /account-7@\d+/u,
    ],
    [
      "a type",
      "UPDATE events SET type = 'AccountClosed.v1' WHERE position = 2",
      /account-7@1 \(AccountClosed\.v1\)/u,
    ],
    ["a time", "UPDATE events SET time = '2020-01-01T00:00:00.000000Z' WHERE position = 2", /account-7@1 /u],
    ["an actor", "UPDATE events SET metadata = '{}' WHERE position = 2", /account-7@1 /u],
    ["an event that is gone", "DELETE FROM events WHERE position = 2", /account-7@1 .*deleted|account-7@2 /u],
    [
      "the end that is gone",
      `DELETE FROM events WHERE position >= ${String(last)}`,
      /lacks some of its past/u,
    ],
    ["two that changed places", renumber, /account-7@[12] /u],
    [
      "an event that was put in",
      `UPDATE events SET revision = revision + 1 WHERE position = ${String(last + 1)};
       INSERT INTO events (position, stream_id, revision, id, type, time, data, metadata)
       SELECT 1000, stream_id, ${String(last)}, '00000000-0000-4000-8000-000000000001', type, time, data, metadata
       FROM events WHERE position = ${String(last)}`,
      /account-7@\d+ /u,
    ],
    ["a stream's name", "UPDATE streams SET name = 'account-8' WHERE name = 'account-7'", /account-8@0 /u],
  ])("names %s instead of an internal error", async (_what, sql, named) => {
    const audits = await tampered(sql);
    expect((await damageIn(audits)).length).toBeGreaterThan(0);
    const accountId = sql.includes("account-8") ? 8n : 7n;
    for (const refused of [
      audits.getStatement({ accountId }),
      audits.getBalanceAsOf({ accountId, asOf: "2026-03-02T10:00:00.000000Z" }),
      readAll(audits),
    ]) {
      const { code, message } = await refusalOf(refused);
      expect({ code, message }).toEqual({
        code: "audit-fault",
        message: expect.stringMatching(named) as string,
      });
    }
  });

  it.each([
    [
      "changed",
      "UPDATE events SET data = '{}' WHERE position = 2",
      ["1 account-7: is not the event that the audit log has recorded: it was changed"],
    ],
    [
      "deleted",
      "DELETE FROM events WHERE position = 2",
      ["1 : is missing in the event store: it was deleted"],
    ],
    ["moved", renumber, ["2 account-7: stands in another place than the audit log has it"]],
  ])("continues past an event that was %s, and marks only that one", async (_what, sql, lines) => {
    expect(await damageIn(await tampered(sql))).toEqual(lines);
  });

  it("answers as ever when nothing was changed", async () => {
    const audits = await tampered("SELECT 1");
    expect(await audits.getStatement({ accountId: 7n })).toMatchObject({ accountId: 7n });
    await readAll(audits);
    expect(await damageIn(audits)).toEqual([]);
  });
});

it("refuses to restart the log over a store that staff have not accepted as an older backup", async () => {
  await tampered("DELETE FROM events WHERE position > 3");
  const refusal = await refusalOf(admins.restartAuditLog({ reason: "Begin again" }));
  expect(refusal.message).toContain("nobody has accepted it as an older backup");
});
