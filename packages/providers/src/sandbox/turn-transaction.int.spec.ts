import { DatabaseSync } from "node:sqlite";
import { yieldToOthers } from "@hostledger/runtime/async";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { pending, SandboxFixture, soon } from "./open-sandbox.fixture.ts";
import { openSandboxDatabase } from "./sandbox-database.ts";
import { TurnTransaction } from "./turn-transaction.ts";

let fixture: SandboxFixture;
let database: DatabaseSync;
let other: DatabaseSync;
beforeEach(() => {
  fixture = new SandboxFixture();
  database = openSandboxDatabase(fixture.path, false);
  other = new DatabaseSync(fixture.path, { timeout: 0 });
});
afterEach(() => {
  other.close();
  database.close();
  fixture.close();
});

const write = (file: DatabaseSync, zone: string): string => {
  file.prepare("INSERT INTO zone VALUES (?, '[]')").run(zone);
  return zone;
};
const zones = (): unknown[] =>
  other
    .prepare("SELECT name FROM zone ORDER BY name")
    .all()
    .map(({ name }) => name);
const busy = /database is locked/;

describe("a turn's requests", () => {
  it("are carried out in their order when the turn is over, and answered once another process sees them", async () => {
    const turn = new TurnTransaction(database);
    const seen: unknown[][] = [];
    const answers = ["a.com", "b.com"].map((zone) =>
      turn
        .within(() => {
          seen.push(zones());
          return write(database, zone);
        })
        .then((answer) => [answer, zones()]),
    );
    // Holds the file until then.
    write(other, "before.com");
    expect(await Promise.all(answers)).toEqual([
      ["a.com", ["a.com", "b.com", "before.com"]],
      ["b.com", ["a.com", "b.com", "before.com"]],
    ]);
    expect(seen).toEqual([["before.com"], ["before.com"]]);
  });

  it("are not affected by a request that throws", async () => {
    const turn = new TurnTransaction(database);
    const damaged = turn.within(() => {
      throw new Error("damaged");
    });
    const whole = turn.within(() => write(database, "whole.com"));
    await expect(damaged).rejects.toThrow("damaged");
    expect(await whole).toBe("whole.com");
    expect(zones()).toEqual(["whole.com"]);
  });

  it("all fail if the file cannot store them, without any effect", async () => {
    database.exec(
      "PRAGMA foreign_keys = ON; CREATE TABLE child (zone TEXT REFERENCES zone DEFERRABLE INITIALLY DEFERRED)",
    );
    const turn = new TurnTransaction(database);
    const answers = await Promise.allSettled([
      turn.within(() => write(database, "lost.com")),
      turn.within(() => database.exec("INSERT INTO child VALUES ('nobody')")),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(zones()).toEqual([]);
    expect(await turn.within(() => write(database, "next.com"))).toBe("next.com");
  });
});

describe("while another process is writing", () => {
  it("requests wait, those of later turns with them, and the thread does other things", async () => {
    const turn = new TurnTransaction(database);
    other.exec("BEGIN IMMEDIATE");
    const first = turn.within(() => write(database, "first.com"));
    for (let asked = 0; asked < 50; asked += 1) expect(await soon(first)).toBe(pending);
    const second = turn.within(() => write(database, "second.com"));
    write(other, "theirs.com");
    other.exec("COMMIT");
    expect(await Promise.all([first, second])).toEqual(["first.com", "second.com"]);
    expect(zones()).toEqual(["first.com", "second.com", "theirs.com"]);
  });

  it("they fail when it locks the file for too long, and the next ones succeed", async () => {
    const turn = new TurnTransaction(database, 5);
    other.exec("BEGIN IMMEDIATE");
    const answers = await Promise.allSettled(
      ["a.com", "b.com"].map((zone) => turn.within(() => write(database, zone))),
    );
    for (const answer of answers)
      expect(answer).toMatchObject({ status: "rejected", reason: { message: busy } });
    expect(() => turn.now(() => "now")).toThrow(busy);
    other.exec("ROLLBACK");
    expect(await turn.within(() => write(database, "next.com"))).toBe("next.com");
    expect(zones()).toEqual(["next.com"]);
  });
});

it("urgent work is carried out at once, after the waiting work", async () => {
  const turn = new TurnTransaction(database);
  const waiting = turn.within(() => write(database, "waiting.com"));
  expect(turn.now(() => zones())).toEqual(["waiting.com"]);
  expect(await waiting).toBe("waiting.com");
  await yieldToOthers();
  expect(zones()).toEqual(["waiting.com"]);
});
