import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openDomainService,
  type DomainAdminClient,
  type DomainServiceFixture,
} from "../domain-service.fixture.ts";

let service: DomainServiceFixture;
let staff: DomainAdminClient;

beforeAll(async () => {
  service = await openDomainService();
  staff = service.staff();
});
afterAll(() => service.close());

describe("prices", () => {
  const prices = { registrationCents: 600n, renewalCents: 700n, transferCents: 0n };

  it("are in force at once, also for customers", async () => {
    const { domains } = service.customer();
    await staff.setPrice({ tld: "de", ...prices, active: true });
    await expect(staff.listAllPrices({})).resolves.toMatchObject({
      prices: [{ tld: "com" }, { tld: "de", ...prices, active: true }],
    });
    await expect(domains.listPrices({})).resolves.toMatchObject({ prices: [{ tld: "com" }, { tld: "de" }] });

    await staff.setPrice({ tld: "de", ...prices, active: false });
    await expect(staff.listAllPrices({})).resolves.toMatchObject({
      prices: [{ tld: "com" }, { tld: "de", active: false }],
    });
    const { prices: onSale } = await domains.listPrices({});
    expect(onSale.map(({ tld }) => tld)).toEqual(["com"]);
  });

  it.each([
    ["tld", "nothing", { tld: "" }],
    ["tld", "a dot", { tld: "co.uk" }],
    ["tld", "upper case", { tld: "COM" }],
    ["tld", "what would name another stream", { tld: "x-y" }],
    ["price", "below zero", { renewalCents: -1n }],
    ["price", "too high", { transferCents: 10n ** 11n + 1n }],
  ])("are refused for a bad %s: %s", async (field, _, change) => {
    const refusal = await refusalOf(staff.setPrice({ tld: "org", ...prices, active: true, ...change }));
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    const { prices: all } = await staff.listAllPrices({});
    expect(all.map(({ tld }) => tld)).not.toContain("org");
  });
});

describe("a change of prices", () => {
  it("leaves unnamed prices unchanged, and returns the new prices", async () => {
    const prices = { registrationCents: 600n, renewalCents: 700n, transferCents: 0n };
    await staff.setPrice({ tld: "eu", ...prices, active: false, graceDays: 3 });
    const changed = await staff.changePrice({ tld: "eu", renewalCents: 800n });
    const price = { tld: "eu", ...prices, renewalCents: 800n, active: false, graceDays: 3 };
    expect(changed).toMatchObject({ price, repeated: false });
    expect(await staff.changePrice({ tld: "eu", renewalCents: 800n })).toMatchObject({
      price,
      repeated: true,
    });
    const { prices: all } = await staff.listAllPrices({});
    expect(all.find(({ tld }) => tld === "eu")).toMatchObject(price);
  });

  it("returns prices that are no longer announced", async () => {
    const validFrom = "2030-01-01T00:00:00.000000Z";
    const prices = { registrationCents: 600n, renewalCents: 700n, transferCents: 0n };
    await staff.setPrice({ tld: "net", ...prices, active: true });
    const announced = await staff.changePrice({ tld: "net", renewalCents: 900n, validFrom });
    expect(announced.price).toMatchObject({
      ...prices,
      announced: { ...prices, renewalCents: 900n, validFrom },
    });
    expect(announced.withdrawnFrom).toBeUndefined();
    const now = await staff.changePrice({ tld: "net", transferCents: 100n });
    expect(now.withdrawnFrom).toBe(validFrom);
    expect(now.price).toMatchObject({ ...prices, transferCents: 100n });
    expect(now.price?.announced).toBeUndefined();
  });

  it("is refused if there are no prices yet", async () => {
    const refusal = await refusalOf(staff.changePrice({ tld: "org", renewalCents: 1n }));
    expect(refusal).toMatchObject({
      code: "validation-failed",
      message: "The extension org has no prices yet: name all three.",
    });
  });
});
