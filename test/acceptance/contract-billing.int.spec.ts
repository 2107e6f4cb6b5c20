import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyTimestamp, itemsOf, textMatching } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** The contract's `GET /billing/balance` and `GET /billing/invoices`. */

let shop: Shop;
const ids: number[] = [];

beforeAll(async () => {
  shop = await openShop();
  for (const name of ["first.com", "second.com", "third.com"]) ids.push(await registerName(shop.owner, name));
});

afterAll(() => shop.close());

describe("GET /billing/balance", () => {
  it("answers a decimal string", async () => {
    expect(await shop.owner.get("/billing/balance")).toMatchObject({
      status: 200,
      body: { balance: "964.30" },
    });
  });
});

describe("/account", () => {
  it("stores the customer's profile field by field, and shows it to no other account", async () => {
    const said = { kind: "person", name: "Grace Hopper", country: "US", phone: "+49.3012345678" };
    const { body: ofAnother } = await shop.stranger.get("/account");
    expect((await shop.owner.put("/account", said)).status).toBe(200);
    const changed = await shop.owner.put("/account", { city: "Arlington", phone: null });
    expect(changed.body).toMatchObject({ ...said, city: "Arlington", phone: null, vat_id: null });
    expect((await shop.owner.get("/account")).body).toEqual(changed.body);
    expect((await shop.stranger.get("/account")).body).toEqual(ofAnother);
    expect(JSON.stringify(ofAnother)).not.toMatch(/Grace|Arlington/);
    const refused = await shop.owner.put("/account", { name: "Eve", country: "Atlantis" });
    expect(refused).toMatchObject({ status: 422, body: { errors: { country: [expect.any(String)] } } });
    expect((await shop.owner.get("/account")).body).toEqual(changed.body);
  });
});

describe("PUT /account with a VAT id", () => {
  it.each([
    ["XX123", "DE", 422],
    ["DE123456789", "DE", 422],
    ["ATU13585627", "DE", 422],
    ["DE123456788", "DE", 200],
    ["EL094259216", "GR", 200],
    ["XI980780684", "GB", 200],
  ])("%s in %s is %i", async (vat_id, country, status) => {
    const { status: answered, body } = await shop.stranger.put("/account", { vat_id, country });
    expect(answered).toBe(status);
    const errors = { vat_id: [textMatching(/^The field vat_id must /u)] };
    expect(body).toMatchObject(status === 200 ? { vat_id, country } : { errors });
  });

  it("is shown without separators between its characters", async () => {
    const written = { vat_id: "che-107.787.577 MWST", country: "CH" };
    const { body } = await shop.stranger.put("/account", written);
    expect(body).toMatchObject({ vat_id: "CHE107787577MWST", country: "CH" });
  });
});

describe("GET /billing/invoices", () => {
  it("answers the documents, oldest first", async () => {
    const { body } = await shop.owner.get("/billing/invoices");
    expect(itemsOf(body).map(({ action }) => action)).toEqual(["topup", "purchase", "purchase", "purchase"]);
    expect(itemsOf(body)[1]).toEqual({
      id: itemsOf(body)[1]?.id,
      number: textMatching(/^\d{4}-\d+-000001$/),
      action: "purchase",
      gateway: "balance",
      netto: 10,
      brutto: 11.9,
      duration: 1,
      paid: true,
      delivered: true,
      server_id: null,
      domain_id: ids[0],
      plan_id: null,
      created_at: anyTimestamp,
    });
  });

  it("pages by key", async () => {
    const all = itemsOf((await shop.owner.get("/billing/invoices")).body);
    const first = await shop.owner.get("/billing/invoices?limit=3");
    expect(first.body).toEqual(all.slice(0, 3));
    expect(first.headers.get("link")).toContain(`after=${String(all[2]?.id)}`);
    const last = await shop.owner.get(`/billing/invoices?limit=3&after=${String(all[2]?.id)}`);
    expect(last.body).toEqual(all.slice(3));
    expect(last.headers.get("link")).toBeNull();
  });
});
