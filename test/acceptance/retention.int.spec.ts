import { copyFileSync } from "node:fs";
import { openPostgresSubjectKeys, openSqliteSubjectKeys } from "@hostledger/store/personal-data";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { startPostgresServer } from "@hostledger/runtime/testing/postgres";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { commandInProcess, hostledgerInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { openShop, registerName } from "../support/shop.ts";
import { realTiming } from "@hostledger/runtime";

/** Documents outlive an erasure for as long as the law keeps them, and no longer. */

const admin = (instance: Instance, ...line: readonly string[]) =>
  commandInProcess(instance, realTiming, "admin", "account", ...line);

it("the tax export names an erased customer for finance and the owner, and refuses other roles", async () => {
  const shop = await openShop();
  onTestFinished(() => shop.close());
  const { instance } = shop;
  const buyer = await shop.customer(10_000n);
  const profile = { kind: "person", name: "Wilma Kept", street: "Main Road 1", postal_code: "10115" };
  await buyer.put("/account", { ...profile, city: "Berlin", country: "DE" });
  await registerName(buyer, "taxed-and-erased.com");
  await instance.staff.accounts.eraseAccount({ accountId: BigInt(buyer.accountId), force: true });
  const year = String(new Date().getUTCFullYear());
  const tokenOf = async (role: string): Promise<string> => {
    const { token } = await instance.staff.members.addStaffMember({ name: `a-${role}`, role });
    return token;
  };
  const line = `audit journal --format datev-customers --from ${year}-01-01 --to ${year}-12-31 --datev-consultant 1001 --datev-client 1`;
  const exported = (token: string) =>
    hostledgerInProcess(
      { HOSTLEDGER_ADMIN_TOKEN: token },
      ...line.split(" "),
      "--admin-url",
      instance.adminUrl,
    );
  const operator = await exported(await tokenOf("operator"));
  expect(operator).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The role operator may not read"),
  });
  const finance = await exported(await tokenOf("finance"));
  expect(finance).toMatchObject({ code: 0, stdout: expect.stringContaining("Wilma Kept") });
});

async function keptYears(data: string): Promise<readonly [number, number][]> {
  const keys = openSqliteSubjectKeys({ path: join(data, "subject-keys.sqlite") });
  const kept = await keys.retained({});
  await keys.close();
  return kept.map(({ accountId, year }) => [accountId, year]);
}

it("an erasure lists the retained data, a hold extends the retention, and the end of the term destroys the rest", async () => {
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

  const keyFile = join(data, "subject-keys.sqlite");
  copyFileSync(keyFile, `${keyFile}.backup`);
  const later = { ...environment, HOSTLEDGER_CLOCK_OFFSET: "+3300d" };
  const after = await startInstance({ data, environment: later });
  await expect.poll(() => keptYears(data), { timeout: 20_000 }).toEqual([[shop.owner.accountId, year + 8]]);
  const released = await admin(after, "release", held, "--reason", "Judgement");
  expect(released).toMatchObject({ code: 0, document: { repeated: false } });
  expect((await admin(after, "holds")).document).toEqual([]);
  await after.close();

  // The keys of a backup from before the end are destroyed again.
  copyFileSync(`${keyFile}.backup`, keyFile);
  expect((await keptYears(data)).length).toBeGreaterThan(1);
  const ended = await startInstance({ data, environment: later });
  await expect.poll(() => keptYears(data), { timeout: 20_000 }).toEqual([]);
  await ended.close();
});

it("the end of a term destroys keys in PostgreSQL too", async () => {
  const postgres = await startPostgresServer();
  onTestFinished(() => postgres.stop());
  const { path: data, remove } = temporaryDirectory();
  onTestFinished(remove);
  const environment = { HOSTLEDGER_DATABASE: postgres.url };
  const shop = await openShop({ data, environment });
  await registerName(shop.owner, "kept-in-postgres.com");
  await shop.close();
  const kept = async () => {
    const keys = await openPostgresSubjectKeys({ url: postgres.url });
    const found = await keys.retained({});
    await keys.close();
    return found;
  };
  expect((await kept()).map(({ accountId }) => accountId)).toContain(shop.owner.accountId);
  const after = await startInstance({
    data,
    environment: { ...environment, HOSTLEDGER_CLOCK_OFFSET: "+3300d" },
  });
  await expect.poll(kept, { timeout: 20_000 }).toEqual([]);
  await after.close();
});
