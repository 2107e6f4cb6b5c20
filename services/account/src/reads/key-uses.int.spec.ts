import { join } from "node:path";

import { openReadModels } from "@hostledger/read";
import { testLocation } from "@hostledger/read/testing";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished, vi } from "vitest";

import { createKeyUses, type KeyUseSchema } from "./key-uses.ts";

async function open() {
  const directory = directoryOfTest();
  const location = await testLocation(join(directory, "account.sqlite"));
  const database = await openReadModels<KeyUseSchema>({ location, service: "account" });
  onTestFinished(() => database.close());
  return database;
}

const logger = { debug: vi.fn() };

it("the last day of a key is stored for the next process", async () => {
  const database = await open();
  const uses = createKeyUses(database, logger);
  expect(await uses.of([1, 2])).toEqual(new Map());
  uses.note(1, "2026-03-01T10:00:00.000000Z");
  uses.note(2, "2026-03-01T10:00:00.000000Z");
  uses.note(1, "2026-03-02T00:00:00.000000Z");
  await uses.close();
  const next = createKeyUses(database, logger);
  const days = new Map([
    [1, "2026-03-02"],
    [2, "2026-03-01"],
  ]);
  expect(await next.of([1, 2, 3])).toEqual(days);
  expect(await next.of([])).toEqual(new Map());
});

it("a day is written once for each key, however often it is used", async () => {
  const database = await open();
  const written = vi.spyOn(database.storage.connection, "rows");
  const uses = createKeyUses(database, logger);
  for (let hour = 10; hour < 20; hour += 1) uses.note(1, `2026-03-01T${String(hour)}:00:00.000000Z`);
  await uses.close();
  // The table and one row.
  expect(written).toHaveBeenCalledTimes(2);
});

it("a failing database refuses no key: the day is skipped and logged", async () => {
  const database = await open();
  const full = new Error("disk full");
  // Neither the table nor the first key's row can be written.
  vi.spyOn(database.storage.connection, "rows").mockRejectedValueOnce(full).mockRejectedValueOnce(full);
  const uses = createKeyUses(database, logger);
  uses.note(1, "2026-03-01T10:00:00.000000Z");
  uses.note(2, "2026-03-01T10:00:00.000000Z");
  await uses.close();
  expect(logger.debug).toHaveBeenCalledOnce();
  expect(await createKeyUses(database, logger).of([1, 2])).toEqual(new Map([[2, "2026-03-01"]]));
});
