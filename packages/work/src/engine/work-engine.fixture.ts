import { join } from "node:path";

import type { Next } from "@hostledger/core";
import { openReadModels, type RowWriter } from "@hostledger/read";
import { manualClock, silentLogger } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { onTestFinished } from "vitest";

import type { Leases } from "../leases/index.ts";
import { openWorkEngine } from "./work-engine.ts";
import { workKind, type Attempt, type EffectEnd } from "./work-kind.ts";
import { beginWork, wakeWork, workTables, type WorkSchema } from "./work.table.ts";

export const start = "2026-03-01T10:00:00.000000Z";
export const minuteMs = 60_000;

interface Effect {
  readonly type: "send";
}

type Decide = (key: string, now: string) => Next<Effect>;

/** Opens a table of due work and engines whose one kind decides and acts as the test says. */
export async function openWork(parts: {
  readonly next: Decide;
  readonly send?: (key: string) => Promise<EffectEnd>;
  /** Reads the state of a key. Default: the key itself. */
  readonly load?: (key: string) => Promise<string>;
  readonly isTimeTrusted?: () => boolean;
  readonly isDesiredState?: boolean;
  readonly attemptsInSight?: number;
  /** Keys that no event begins. */
  readonly keys?: readonly string[];
}) {
  const directory = temporaryDirectory();
  const clock = manualClock(start);
  const database = await openReadModels<WorkSchema>({
    location: { kind: "sqlite", path: join(directory.path, "work.sqlite") },
    service: "spec",
    logger: silentLogger(),
  });
  onTestFinished(async () => {
    await database.close();
    directory.remove();
  });
  const { storage } = database;
  const tables = storage.tables(workTables);
  await storage.exclusively(() => tables.create());
  const sent: string[] = [];
  const attempts: Attempt[] = [];
  const tickets: string[] = [];
  const { attemptsInSight = 1, isDesiredState = false, keys = [] } = parts;
  const kind = workKind<string, Effect>({
    name: "letter",
    isDesiredState,
    begins: { keys, afterMs: minuteMs },
    load: parts.load ?? ((key) => Promise.resolve(key)),
    next: parts.next,
    effects: {
      send: {
        retry: { firstMs: minuteMs, longestMs: 60 * minuteMs },
        attemptsInSight,
        carryOut(_, key, __, attempt) {
          sent.push(key);
          attempts.push(attempt);
          return parts.send?.(key) ?? Promise.resolve({ outcome: "done", step: "sent" });
        },
      },
    },
    tellStaff: (key, reason) => {
      tickets.push(`${key}: ${reason}`);
      return Promise.resolve();
    },
    tellOfFailures: (key, reason) => {
      tickets.push(`${key} fails: ${reason}`);
      return Promise.resolve();
    },
  });
  /** @param lease under which the rounds run: each part of the program has its own */
  const open = (leases?: Leases, lease = "letters") =>
    openWorkEngine({
      database,
      kinds: [kind],
      clock,
      logger: silentLogger(),
      lease,
      isTimeTrusted: parts.isTimeTrusted,
      leases,
    });
  let position = 0n;
  /** Projects an event of the key's stream. @param at when it was stored */
  const project = async (change: (writer: RowWriter<typeof workTables>) => void): Promise<void> => {
    await storage.exclusively(async () => {
      const writer = tables.writer();
      position += 1n;
      writer.reflect(position);
      change(writer);
      await writer.flush();
    });
  };
  return {
    clock,
    sent,
    attempts,
    tickets,
    open,
    engine: await open(),
    failures: () => database.queries.selectFrom("work_failures").selectAll().execute(),
    /** From now on no failed attempt can be written down. */
    async loseFailures() {
      const dropped = storage.compiler.schema.dropTable("work_failures").compile();
      await storage.exclusively(() => storage.connection.rows(dropped));
    },
    begin: (key: string, accountId: number | null = null, at = clock.now()) =>
      project((writer) => {
        beginWork(writer, { kind: "letter", key, accountId }, at);
      }),
    change: (key: string, at = clock.now()) =>
      project((writer) => {
        wakeWork(writer, { kind: "letter", key }, at);
      }),
  };
}
