import { accountExamples } from "@hostledger/core/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

let service: AccountServiceFixture;

beforeAll(async () => {
  service = await openAccountService();
});
afterAll(() => service.close());

const { organisationProfile: ada } = accountExamples;

async function customer() {
  const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
  const accounts = service.accounts({ kind: "account", accountId: Number(accountId), keyId: 1 });
  return { accountId, accounts };
}

describe("the customer's profile", () => {
  it("is empty at first, then has the customer's values; an omitted field stays", async () => {
    const { accountId, accounts } = await customer();
    expect(await accounts.getProfile({ accountId })).toMatchObject({
      profile: { kind: "", name: "" },
      version: 0,
      readable: true,
    });
    await accounts.changeProfile({ changes: ada });
    const { profile } = await accounts.changeProfile({ changes: { city: "Potsdam", vatId: "" } });
    expect(profile).toMatchObject({
      profile: { ...ada, city: "Potsdam", vatId: "" },
      version: 2,
      missing: [],
    });
    expect(await accounts.getProfile({ accountId })).toEqual(profile);
  });

  it("is read by services and by no other customer, and is changed by its customer and by staff", async () => {
    const { accountId, accounts } = await customer();
    const stranger = await customer();
    expect(await refusalOf(stranger.accounts.getProfile({ accountId }))).toMatchObject({
      code: "unauthorized",
    });
    expect(await refusalOf(accounts.getProfile({ accountId: 99_999n }))).toMatchObject({
      code: "unauthorized",
    });
    const domains = service.accounts({ kind: "service", name: "domain" });
    expect(await refusalOf(domains.changeProfile({ changes: ada }))).toMatchObject({ code: "unauthorized" });
    expect(await refusalOf(domains.getProfile({ accountId: 99_999n }))).toMatchObject({ code: "not-found" });
    const set = await service.staff().setProfile({ accountId, changes: ada });
    expect(set.profile).toMatchObject({ version: 1, missing: [] });
    expect((await service.staff().setProfile({ accountId })).profile).toEqual(set.profile);
    expect(await domains.getProfile({ accountId })).toEqual(set.profile);
  });

  it.each([
    [{ name: "x".repeat(10_240) }, "name"],
    [{ street: "a\u202eb" }, "street"],
    [{ kind: "robot" }, "kind"],
    [{ postalCode: "x".repeat(17) }, "postal_code"],
    [{ country: "XX" }, "country"],
    [{ email: "ada@example.com\nBcc: eve@example.com" }, "email"],
    [{ phone: "030 12345" }, "phone"],
    [{ vatId: "12" }, "vat_id"],
  ])("is refused with %j, and stays unchanged", async (changes, field) => {
    const { accountId, accounts } = await customer();
    for (const call of [
      accounts.changeProfile({ changes }),
      service.staff().setProfile({ accountId, changes }),
    ]) {
      const refusal = await refusalOf(call);
      expect(refusal.code).toBe("validation-failed");
      expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    }
    expect((await accounts.getProfile({ accountId })).version).toBe(0);
  });

  it("stores every field of concurrent changes", async () => {
    const { accountId, accounts } = await customer();
    const changes = [{ name: "Ada" }, { city: "Berlin" }, { country: "DE" }, { email: "ada@example.com" }];
    await Promise.all(changes.map((each) => accounts.changeProfile({ changes: each })));
    const { profile, version } = await accounts.getProfile({ accountId });
    expect(profile).toMatchObject(Object.assign({}, ...changes));
    expect(version).toBe(4);
  });

  it("is sealed in the store, and unreadable after an erasure", async () => {
    const { accountId, accounts } = await customer();
    await accounts.changeProfile({ changes: ada });
    const stored: string[] = [];
    for await (const { data } of service.store.read(`account-${String(accountId)}`)) stored.push(data);
    const { kind, ...personal } = ada;
    expect(stored.join("\n")).toContain(`"kind":"${kind}"`);
    // Searched in quotes, because sealed text may contain two letters by chance.
    for (const text of Object.values(personal)) expect(stored.join("\n")).not.toContain(`"${text}"`);
    await service.staff().eraseAccount({ accountId });
    expect(
      await service.accounts({ kind: "service", name: "domain" }).getProfile({ accountId }),
    ).toMatchObject({
      profile: { name: "", email: "" },
      version: 0,
    });
    expect(await refusalOf(service.staff().setProfile({ accountId, changes: ada }))).toMatchObject({
      code: "account-not-open",
    });
  });

  it("uses the customer's quota of free changes, and not that of staff", async () => {
    const { accountId, accounts } = await customer();
    await service.staff().setQuota({ accountId, quota: "free_writes_a_day", value: 1n, reason: "spec" });
    await accounts.changeProfile({ changes: { name: "Ada" } });
    expect(await refusalOf(accounts.changeProfile({ changes: { name: "Eve" } }))).toMatchObject({
      code: "quota-exceeded",
    });
    await service.staff().setProfile({ accountId, changes: { name: "Eve" } });
  });
});
