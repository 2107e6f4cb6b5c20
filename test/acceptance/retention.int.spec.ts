import { openSqliteSubjectKeys } from "@hostledger/store/personal-data";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { commandInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { openShop, registerName } from "../support/shop.ts";
import { realTiming } from "@hostledger/runtime";

/** Documents outlive an erasure for as long as the law keeps them, and no longer. */

const admin = (instance: Instance, ...line: readonly string[]) =>
  commandInProcess(instance, realTiming, "admin", "account", ...line);

async function keptYears(data: string): Promise<readonly [number, number][]> {
  const keys = openSqliteSubjectKeys({ path: join(data, "subject-keys.sqlite") });
  const kept = await keys.retained({});
  await keys.close();
  return kept.map(({ accountId, year }) => [accountId, year]);
}

it("an erasure says what the law keeps, a hold keeps it longer, and the end of the term destroys the rest", async () => {
  const { path: data, remove } = temporaryDirectory();
  onTestFinished(remove);
  const environment = { HOSTLEDGER_DATABASE: "sqlite" };
  const shop = await openShop({ data, environment });
  const erased = await shop.customer(10_000n);
  await registerName(erased, "kept-by-law.com");
  const year = new Date().getUTCFullYear();
  const { code, document } = await admin(shop.instance, "erase", String(erased.accountId), "--force");
  expect({ code, document }).toMatchObject({
    code: 0,
    document: {
      key_destroyed: true,
      documents_kept: 2,
      documents_kept_until: year + 8,
      postings_kept_until: year + 10,
    },
  });
  expect(await keptYears(data)).toContainEqual([erased.accountId, year + 8]);
  // The customer opens none of them.
  expect((await erased.get("/billing/invoices")).status).toBe(401);

  const held = String(shop.owner.accountId);
  const until = `${String(year + 20)}-12-31`;
  const placed = await admin(shop.instance, "hold", held, "--reason", "Lawsuit", "--until", until);
  expect(placed).toMatchObject({ code: 0, document: { reason: "Lawsuit", until, in_force: true } });
  const refused = await admin(shop.instance, "hold", held, "--reason", "Lawsuit", "--until", "2020-01-01");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("2020-01-01") });
  expect((await admin(shop.instance, "holds")).document).toMatchObject([
    { account_id: shop.owner.accountId },
  ]);
  await shop.close();

  const later = { ...environment, HOSTLEDGER_CLOCK_OFFSET: "+3300d" };
  const after = await startInstance({ data, environment: later });
  await expect.poll(() => keptYears(data), { timeout: 20_000 }).toEqual([[shop.owner.accountId, year + 8]]);
  const released = await admin(after, "release", held, "--reason", "Judgement");
  expect(released).toMatchObject({ code: 0, document: { repeated: false } });
  expect((await admin(after, "holds")).document).toEqual([]);
  await after.close();

  const ended = await startInstance({ data, environment: later });
  await expect.poll(() => keptYears(data), { timeout: 20_000 }).toEqual([]);
  await ended.close();
});
