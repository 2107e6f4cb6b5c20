import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { within } from "@hostledger/runtime/async";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { auditBooks, hear, readEventsOf } from "../support/books.ts";
import { hostledger, type Ended } from "../support/command-line.ts";
import { readOnlyDirectory, smallDisk, type Disk } from "../support/disks.ts";
import { startInstanceProcess } from "../support/instance-process.ts";
import { brokenPromises, type Attempt } from "../support/promises.ts";
import { settled } from "../support/settled.ts";
import { customerAt, openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** Disks and files that are not as they should be: a clear sentence, exit code 1, and nothing lost. */

let directory: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(() => {
  directory.remove();
});

const startOn = (data: string): Promise<Ended> =>
  hostledger("start", "--port", "0", "--admin-port", "0", "--data", data);

const noise = Buffer.from(Array.from({ length: 40_960 }, (_, index) => (index * 7_919) % 251));

describe("a file that is damaged or another program's", () => {
  const whole = temporaryDirectory();

  // An instance that was stopped, of which each test damages a copy.
  beforeAll(async () => {
    const instance = await startInstanceProcess(whole.path);
    await sell(instance.staff, "com");
    expect(await instance.stop()).toBe(0);
  });

  beforeEach(() => {
    cpSync(whole.path, directory.path, { recursive: true });
  });

  afterAll(() => {
    whole.remove();
  });

  const overwritten = (name: string): string => {
    const path = join(directory.path, name);
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
    writeFileSync(path, noise);
    return path;
  };

  it.each(["events.sqlite", "sandbox.sqlite"])("%s", async (name) => {
    const path = overwritten(name);
    const refused = await startOn(directory.path);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^[A-Z][^\n]*no[nt]? (is )?(a |no )?database[^\n]*\n$/);
    // The file stays unchanged, because its contents may still be rescued.
    expect(readFileSync(path).equals(noise)).toBe(true);
  });

  it("a damaged read model is set aside and rebuilt from the events", async () => {
    overwritten("read-models/domain.sqlite");
    const instance = await startInstanceProcess(directory.path);
    const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 2_000n });
    expect(await customer.post("/domains", { domain: "mended.com" })).toMatchObject({ status: 201 });
    expect(await customer.get("/domains")).toMatchObject({ body: [{ domain_name: "mended.com" }] });
    expect(await instance.stop()).toBe(0);
    const files = readdirSync(join(directory.path, "read-models"));
    const aside = files.filter((file) => file.startsWith("domain.sqlite") && file.includes("damaged"));
    expect(aside).toHaveLength(1);
    const kept = readFileSync(join(directory.path, "read-models", aside[0] ?? ""));
    expect(kept.equals(noise)).toBe(true);
  });

  it("refuses an event store that is another program's database", async () => {
    const path = join(directory.path, "events.sqlite");
    rmSync(path);
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)");
    other.close();
    const bytes = readFileSync(path);
    const refused = await startOn(directory.path);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/another program/);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});

it("refuses a directory with other files", async () => {
  writeFileSync(join(directory.path, "thesis.tex"), "chapter one");
  const refused = await startOn(directory.path);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^[^\n]*not Hostledger's \(thesis\.tex\)[^\n]*\n$/);
});

describe("a disk that cannot be written", () => {
  let disk: Disk | undefined;

  afterEach(() => {
    disk?.remove();
    disk = undefined;
  });

  it("refuses a directory that cannot be written", async () => {
    disk = readOnlyDirectory();
    const refused = await startOn(disk.path);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^[^\n]*(is read-only|may not read and write)[^\n]*\n$/);
  });

  it("a disk that becomes full: the instance refuses writes, continues to run, and loses no acknowledged event", async () => {
    const small = smallDisk(4);
    disk = small;
    const data = join(small.path, "data");
    const filling = await startInstanceProcess(data, {
      fileBlocks: small.fileBlocks,
      environment: { HOSTLEDGER_LOG_LEVEL: "silent" },
    });
    await sell(filling.staff, "com");
    const customer = await openCustomer(filling.staff, filling.baseUrl, { balanceCents: 10_000_000n });
    const attempts: Attempt[] = [];
    await Promise.all(Array.from({ length: 4 }, () => registerUntilRefused(customer, attempts)));
    expect(await customer.get("/domains?limit=1")).toMatchObject({ status: 200 });
    expect(filling.child.exitCode).toBeNull();
    await filling.kill();

    const roomy = join(directory.path, "data");
    cpSync(data, roomy, { recursive: true });
    const instance = await startInstanceProcess(roomy);
    await settled(instance.staff);
    const testimony = await hear(instance.staff, [customerAt(instance.baseUrl, customer)]);
    expect(await instance.stop()).toBe(0);
    expect(auditBooks({ events: await readEventsOf(roomy), ...testimony })).toEqual([]);
    // While the store could not write, requests may have failed in any way, but none of them may have been a lie.
    const said = [
      "201",
      "nothing",
      "500 registrar_failed",
      "500 internal",
      "503 overloaded",
      "503 temporarily_unavailable",
      "504 deadline_exceeded",
    ];
    expect(brokenPromises(attempts, testimony.shown, said)).toEqual([]);
    expect(attempts.filter(({ answer }) => answer?.status === 201).length).toBeGreaterThan(0);
  });

  /** Time after which a client without an answer gives up, in milliseconds. */
  const longestWaitMs = 3_000;

  /** Registers until the disk has been full several times, because the rest of one request may fit another. */
  async function registerUntilRefused(customer: Customer, attempts: Attempt[]): Promise<void> {
    for (let refusals = 0; refusals < 5;) {
      const name = `name-${String(attempts.length)}.com`;
      const attempt: Attempt = { accountId: customer.accountId, name, answer: undefined };
      attempts.push(attempt);
      try {
        attempt.answer = await within(
          longestWaitMs,
          customer.post("/domains", { domain: name }),
          () => undefined,
        );
        if (attempt.answer?.status !== 201) refusals += 1;
      } catch (error) {
        if (error instanceof TypeError) return;
        throw error;
      }
    }
  }
});
