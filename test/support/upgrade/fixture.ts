import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

import { processIo, run } from "@hostledger/cli";
import { z } from "zod";

/** The store of an earlier version with every kind of run stopped at every step; its README says how it was made. */
export const upgradeFixture = fileURLToPath(new URL("../../fixtures/upgrade/", import.meta.url));

const euroCents = z.string().regex(/^-?\d+$/);

/** A run, where it was stopped, and how it ends. */
const stoppedRun = z.strictObject({
  /** Stream of the run. */
  run: z.string(),
  process: z.enum(["registration", "serverorder", "renewal", "serverrenewal"]),
  /** The domain's name, or the server's at the compute provider. */
  subject: z.string(),
  /** State of the run in the earlier version's terms, and before the blank the step at which it waits. */
  step: z.string(),
  /** History of the run. */
  course: z.string(),
  /** Types of its events so far, without their versions. */
  facts: z.array(z.string()),
  /** Decision of staff. */
  word: z.enum(["retry", "abandon"]).optional(),
  outcome: z.string(),
  chargedCents: euroCents,
  refundedCents: euroCents,
});

const change = z.strictObject({
  changeId: z.string(),
  domain: z.string(),
  kind: z.string(),
  /** Whether the other provider was already called. */
  stage: z.string(),
  outcome: z.enum(["completed", "failed"]),
});

/** A request with a claimed key and without an answer. */
const claimedRequest = z.strictObject({
  key: z.string(),
  accountId: z.int(),
  path: z.string(),
  body: z.record(z.string(), z.unknown()),
  status: z.int(),
});

const endings = z.strictObject({
  /** An account's balance, its domains and its servers, each with status and day of expiry. */
  accounts: z.record(
    z.string(),
    z.strictObject({
      balanceCents: euroCents,
      domains: z.record(z.string(), z.string()),
      servers: z.record(z.string(), z.string()),
    }),
  ),
  /** Names with their day of expiry and their nameservers. */
  registrar: z.record(z.string(), z.string()),
  /** Zones with the number of their records. */
  dns: z.record(z.string(), z.int()),
  /** Servers, whether they run, and their firewalls. */
  compute: z.record(z.string(), z.string()),
});

const expectation = z.strictObject({
  /** After the last event: ISO 8601 UTC. */
  madeAt: z.string(),
  runs: z.array(stoppedRun),
  changes: z.array(change),
  requests: z.array(claimedRequest),
  /** Final differences between books and providers, which staff's decisions left. */
  findings: z.array(z.string()),
  endings,
});

export type Expectation = z.infer<typeof expectation>;
export type Endings = z.infer<typeof endings>;
export type StoppedRun = z.infer<typeof stoppedRun>;

/** Reads the ends of the fixture's runs, as determined by the version that created it. */
export function readExpectation(): Expectation {
  return expectation.parse(readJson("expected.json"));
}

/** Rows of every read model of a service, as the version that made the fixture built them. */
export function readRows(service: string): unknown {
  return readJson(`rows/${service}.json`);
}

/** The audit log over the fixture's store: how many leaves, and the root hash in base64. */
export function readAuditRoot(): { readonly size: number; readonly root: string } {
  const [size = "", root = ""] = readFileSync(join(upgradeFixture, "audit-root.txt"), "utf8").split("\n");
  return { size: Number(size), root };
}

const storedEvent = z.object({ stream: z.string(), type: z.string(), data: z.string() });

/** An event of the fixture's store: its type without the version. */
export interface StoredEvent {
  readonly stream: string;
  readonly type: string;
  readonly data: unknown;
}

/** Every event of the file, in log order, as any outsider could read it. */
export function readStoredEvents(): readonly StoredEvent[] {
  const lines = readFileSync(join(upgradeFixture, "store.ndjson"), "utf8").trimEnd().split("\n");
  return lines.slice(1, -1).map((line) => {
    const { stream, type, data } = storedEvent.parse(JSON.parse(line));
    return { stream, type: type.replace(/\.v\d+$/, ""), data: JSON.parse(data) };
  });
}

/** Fills an empty data directory: the store by its import, the keys and the outside providers' file as they lay there. */
export async function restoreFixture(data: string): Promise<void> {
  const stderr: string[] = [];
  const io = { ...processIo(), out: () => undefined, err: (text: string) => void stderr.push(text) };
  const line = ["store", "import", join(upgradeFixture, "store.ndjson"), "--data", data];
  const status = await run(line, io, { loadSystem: () => import("@hostledger/host") });
  if (status !== 0) throw new Error(`the import ends with ${String(status)}: ${stderr.join("")}`);
  restoreDatabase("sandbox.json", join(data, "sandbox.sqlite"));
  restoreDatabase("subject-keys.json", join(data, "subject-keys.sqlite"));
}

const stored = z.union([
  z.string(),
  z.number(),
  z.null(),
  z.strictObject({ base64: z.string() }).transform(({ base64 }) => Buffer.from(base64, "base64")),
]);
const databaseFile = z.strictObject({
  userVersion: z.int(),
  schema: z.array(z.string()),
  tables: z.record(z.string(), z.array(z.record(z.string(), stored))),
});

/** Writes a SQLite file with the schema that it had, which later versions add to when they open it. */
function restoreDatabase(file: string, path: string): void {
  const { userVersion, schema, tables } = databaseFile.parse(readJson(file));
  const database = new DatabaseSync(path);
  try {
    database.exec("BEGIN");
    for (const statement of schema) database.exec(statement);
    for (const [table, rows] of Object.entries(tables))
      for (const row of rows) {
        const places = Object.keys(row).map(() => "?");
        const columns = Object.keys(row).join(", ");
        database
          .prepare(`INSERT INTO "${table}" (${columns}) VALUES (${places.join(", ")})`)
          .run(...Object.values(row));
      }
    database.exec(`COMMIT; PRAGMA user_version = ${String(userVersion)}`);
  } finally {
    database.close();
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(upgradeFixture, file), "utf8"));
}
