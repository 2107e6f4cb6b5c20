import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { EventStore } from "@hostledger/store";
import { manualClock, realTiming, silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import type { AuditLog } from "../log/audit-log.ts";
import { appendEvents, openTestLog, openTestStore, untilCovered } from "../log/audit-log.fixture.ts";
import { createScrub, type Scrub, type ScrubOptions } from "./scrub.ts";
import { nothingScrubbed, scrubFile } from "./scrub-state.ts";

const size = 6_000;
const dayMs = 86_400_000;

let folder = "";
beforeEach(() => {
  folder = directoryOfTest();
});

interface Scrubbed {
  readonly store: EventStore;
  readonly log: AuditLog;
  readonly clock: ReturnType<typeof manualClock>;
  /** Pauses in milliseconds. */
  readonly pauses: number[];
  readonly reports: string[];
  /** Starts a scrub like a process. */
  start(options?: Partial<ScrubOptions>): Promise<Scrub>;
  /** Runs the scrub until it has finished more rounds. */
  rounds(scrub: Scrub, count: number): Promise<void>;
}

async function kept(events = size): Promise<Scrubbed> {
  const store = await openTestStore(folder);
  await appendEvents(store, events);
  const log = await openTestLog(store, folder);
  if (events > 0) await untilCovered(log, events);
  else await log.ready();
  onTestFinished(async () => {
    await log.close();
    await store.close();
  });
  const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  const pauses: number[] = [];
  const reports: string[] = [];
  let stopping = new AbortController();
  let left = 0;
  const sleep = async (milliseconds: number): Promise<void> => {
    pauses.push(milliseconds);
    clock.advance(milliseconds);
    await realTiming.sleep(0);
    if (milliseconds === 60_000) left -= 1;
    if (left === 0) stopping.abort();
  };
  return {
    store,
    log,
    clock,
    pauses,
    reports,
    start: (options = {}) =>
      createScrub({
        log,
        rate: 2_000,
        memory: scrubFile(folder),
        clock,
        timing: { sleep },
        logger: silentLogger(),
        report: (cause, sentence) => {
          reports.push(`${cause}: ${sentence}`);
          return Promise.resolve();
        },
        reportTile: (sentence) => {
          reports.push(sentence);
          return Promise.resolve();
        },
        checkFile: undefined,
        ...options,
      }),
    async rounds(scrub, count) {
      stopping = new AbortController();
      left = count;
      await scrub.run(stopping.signal);
    },
  };
}

/** Changes the store's file by SQL while it is in use. */
function change(sql: string): void {
  const database = new DatabaseSync(join(folder, "events.sqlite"), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

function flipBit(path: string): void {
  const bytes = readFileSync(path);
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe("the scrub", () => {
  it("finds nothing in an unchanged store, at its rate", async () => {
    const { start, rounds, pauses, reports } = await kept();
    const scrub = await start();
    await rounds(scrub, 1);
    expect(scrub.state()).toMatchObject({ lastDifferences: 0, first: undefined });
    expect(scrub.state().roundEndedAt).toBeDefined();
    expect(reports).toEqual([]);
    // After the last batch only the pause between two rounds follows.
    const waited = pauses.slice(1, -1).reduce((sum, pause) => sum + pause, 0);
    expect(waited).toBeGreaterThanOrEqual(((size - 1_000) / 2_000) * 1_000);
    expect(waited).toBeLessThanOrEqual((size / 2_000) * 1_000);
  });

  it("finds a changed digit in event 5,003, names it, and opens one staff ticket", async () => {
    const { start, rounds, reports } = await kept();
    change("UPDATE events SET data = '{\"1\":1}' WHERE position = 5004");
    const scrub = await start();
    await rounds(scrub, 2);
    expect(reports).toEqual([
      expect.stringMatching(
        /^5003: Event 5003 of the audit log, writer-[0-9a-f-]+@3 \(Written\.v1\), is not the event that the audit log has recorded: it was changed\.$/u,
      ),
    ]);
    expect(scrub.state()).toMatchObject({ differences: 1, lastDifferences: 1 });
    // A new start knows from the events that the ticket was opened.
    const again = await start();
    await rounds(again, 1);
    expect(reports).toHaveLength(1);
    // The event is repaired and another one is changed, which is reported again.
    change("UPDATE events SET data = '{}' WHERE position = 5004");
    await rounds(again, 1);
    expect(again.state()).toMatchObject({ lastDifferences: 0, first: undefined });
    change("UPDATE events SET type = 'Else.v1' WHERE position = 7");
    await rounds(again, 1);
    expect(reports).toHaveLength(2);
    expect(reports[1]).toMatch(/^6: /u);
  });

  it.each([
    ["deleted", "DELETE FROM events WHERE position = 3000", /Event 2999 .* was deleted/u, 1],
    ["deleted at the end", "DELETE FROM events WHERE position > 5990", /Event 5990 .* was deleted/u, 10],
    [
      "that changed places",
      `UPDATE events SET position = -position WHERE position IN (10, 11);
       UPDATE events SET position = 21 + position WHERE position < 0;`,
      /Event (?:9|10) .* another place/u,
      1,
    ],
  ])("names events that were %s", async (_what, sql, named, differences) => {
    const { start, rounds, reports } = await kept();
    change(sql);
    const scrub = await start();
    await rounds(scrub, 1);
    expect(reports).toEqual([expect.stringMatching(named)]);
    expect(scrub.state().lastDifferences).toBe(differences);
  });

  it("continues where the last process stopped, and restarts if its state is damaged or another store's", async () => {
    const { start, rounds, log, reports } = await kept();
    const memory = scrubFile(folder);
    const place = { index: 512, after: 512n };
    await memory.write({ ...nothingScrubbed, place, roundStartedAt: "2026-02-01T00:00:00.000000Z" });
    expect((await start()).state()).toMatchObject({ place, roundStartedAt: "2026-02-01T00:00:00.000000Z" });
    for (const text of ["", "{", "[]", '{"index":-1,"after":"x"}', '{"index":1e99,"after":"7"}']) {
      await writeFile(join(folder, "audit", "scrub.json"), text);
      expect((await start()).state().place.index).toBe(0);
    }
    for (const foreign of [
      { index: 90_000, after: 90_000n },
      { index: 300, after: 1_000_000n },
      { index: 300, after: 7n },
    ]) {
      await memory.write({ ...nothingScrubbed, place: foreign });
      await rounds(await start(), 1);
      expect(reports).toEqual([]);
    }
    expect(log.health().status).toBe("following");
  });

  it("checks the store's file once a day, between two rounds", async () => {
    const { start, rounds, clock, reports } = await kept(300);
    let problems: readonly string[] = [];
    let looks = 0;
    const checkFile = (): Promise<readonly string[]> => {
      looks += 1;
      return Promise.resolve(problems);
    };
    const scrub = await start({ checkFile });
    await rounds(scrub, 1);
    expect(looks).toBe(0);
    await rounds(scrub, 3);
    expect(looks).toBe(1);
    problems = ["row 5 missing from index sqlite_autoindex_events_1"];
    clock.advance(dayMs);
    await rounds(scrub, 3);
    expect(looks).toBe(2);
    expect(scrub.state().fileProblems).toEqual(problems);
    expect(reports).toEqual([
      "file: The file of the event store is damaged: row 5 missing from index sqlite_autoindex_events_1.",
    ]);
  });

  it.each([
    ["a missing tile", "0/001", rmSync, "is missing"],
    [
      "a shortened tile",
      "0/001",
      (path: string) => {
        truncateSync(path, 100);
      },
      "is damaged",
    ],
    ["a tile with another bit", "0/001", flipBit, "was changed since it was written"],
    ["a growing tile with another bit", "0/002.p/88", flipBit, "was changed since it was written"],
    ["a missing tile of the level above", "1/000.p/2", rmSync, "is missing"],
  ] as const)(
    "names %s between two rounds while the log is written, once",
    async (_what, tile, spoil, what) => {
      const { start, rounds, reports, log } = await kept(600);
      const scrub = await start();
      await rounds(scrub, 1);
      expect([reports, log.health()]).toEqual([[], { status: "following" }]);
      const path = join(folder, "audit", "tile", tile);
      const before = readFileSync(path);
      spoil(path);
      await rounds(scrub, 2);
      const word = expect.stringMatching(
        new RegExp(`tile/${tile}.* of the audit log ${what}: restore .*restart`, "u"),
      );
      expect([reports, log.health()]).toEqual([[word], { status: "failing", sentence: word }]);
      // A new process knows from the events that the ticket was opened.
      await rounds(await start(), 1);
      expect(reports).toHaveLength(1);
      writeFileSync(path, before);
      await rounds(scrub, 1);
      expect(log.health()).toEqual({ status: "following" });
      spoil(path);
      await rounds(scrub, 1);
      expect(reports).toHaveLength(2);
      await log.restart();
      await untilCovered(log, 600);
      await rounds(scrub, 1);
      expect(log.health()).toEqual({ status: "following" });
    },
  );

  it("has nothing to do in an empty store", async () => {
    const { start, rounds } = await kept(0);
    const scrub = await start();
    await rounds(scrub, 1);
    expect(scrub.state()).toMatchObject({ lastDifferences: 0 });
  });
});
