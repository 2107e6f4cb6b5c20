import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";
import { customerAt, type Customer } from "../support/staff-client.ts";

/**
 * The contract's life cycle under `HOSTLEDGER_CLOCK_OFFSET`: an instance is closed and restarted on the same data at
 * a later time. Work that was due in between happens on its own.
 */

let directory: ReturnType<typeof temporaryDirectory>;
let shop: Shop;

beforeEach(async () => {
  directory = temporaryDirectory();
  shop = await openShop({ data: directory.path });
});

afterEach(() => {
  directory.remove();
});

/** Lives the same data on at a later time. */
async function at<Result>(
  offset: string,
  look: (client: Customer, instance: Instance) => Promise<Result>,
): Promise<Result> {
  const instance = await startInstance({
    data: directory.path,
    environment: { HOSTLEDGER_CLOCK_OFFSET: offset },
  });
  try {
    return await look(customerAt(instance.baseUrl, shop.owner), instance);
  } finally {
    await instance.close();
  }
}

/** Things happen by themselves, soon: on a busy machine later than `expect.poll` waits by default. */
const soon = { timeout: 15_000 };

/** Registers a name that renews itself, and ends the present. */
async function registerAndLeave(name: string, autoRenew: boolean): Promise<number> {
  const id = await registerName(shop.owner, name);
  await shop.owner.put(`/domains/${String(id)}/settings`, { auto_renew: autoRenew });
  await shop.close();
  return id;
}

const read = async (client: Customer, id: number): Promise<ReturnType<typeof objectOf>> =>
  objectOf((await client.get(`/domains/${String(id)}`)).body);

describe("a domain with auto_renew", () => {
  it("is charged once, in the week before it expires, and renewed for a year", async () => {
    const id = await registerAndLeave("alive.com", true);
    const before = await at("+50w", async (client) => {
      const domain = await read(client, id);
      expect(domain).toMatchObject({ status: "active", is_expiring_soon: true });
      expect(await balanceOf(client)).toBe("988.10");
      return String(domain.expiry_date);
    });
    const renewed = `${String(Number(before.slice(0, 4)) + 1)}${before.slice(4)}`;
    for (const offset of ["+360d", "+361d"]) {
      await at(offset, async (client) => {
        await expect.poll(async () => (await read(client, id)).expiry_date, soon).toBe(renewed);
        expect(await balanceOf(client)).toBe("973.82");
        expect(itemsOf((await client.get("/billing/invoices")).body).at(-1)).toMatchObject({
          action: "renewal",
          brutto: 14.28,
          domain_id: id,
          delivered: true,
        });
        expect(await read(client, id)).toMatchObject({ status: "active", is_expiring_soon: false });
      });
    }
  });

  it("is renewed later if the week was missed", async () => {
    const id = await registerAndLeave("missed.com", true);
    await at("+380d", async (client) => {
      await expect.poll(async () => (await read(client, id)).status, soon).toBe("active");
      await expect.poll(async () => (await read(client, id)).days_until_expiry, soon).toBeGreaterThan(300);
      expect(await balanceOf(client)).toBe("973.82");
    });
  });

  it("without enough money gets one ticket and expires at its end", async () => {
    const owner = await shop.customer(1_190n);
    const id = await registerName(owner, "unpaid.com");
    await owner.put(`/domains/${String(id)}/settings`, { auto_renew: true });
    await shop.close();
    for (const offset of ["+359d", "+360d", "+361d"]) {
      await at(offset, async (_client, instance) => {
        const client = customerAt(instance.baseUrl, owner);
        await expect.poll(async () => itemsOf((await client.get("/tickets")).body).length, soon).toBe(1);
        expect(await read(client, id)).toMatchObject({ status: "active" });
      });
    }
    await at("+366d", async (_client, instance) => {
      const client = customerAt(instance.baseUrl, owner);
      await expect.poll(async () => (await read(client, id)).status, soon).toBe("expired");
      expect(await read(client, id)).toMatchObject({ days_until_expiry: 0, is_expiring_soon: false });
      expect(itemsOf((await client.get("/tickets")).body)).toHaveLength(1);
      expect(await balanceOf(client)).toBe("0.00");
    });
  });
});

describe("a domain without auto_renew", () => {
  it("expires without a charge", async () => {
    const id = await registerAndLeave("leaves.com", false);
    await at("+366d", async (client) => {
      await expect.poll(async () => (await read(client, id)).status, soon).toBe("expired");
      expect(await balanceOf(client)).toBe("988.10");
    });
  });
});

describe("a domain that nobody renewed for 45 days", () => {
  it("is withheld, can be restored for restore_price with one more year, and is not_restorable before and afterwards", async () => {
    const prices = { registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 900n };
    await shop.instance.staff.domains.setPrice({ tld: "com", ...prices, active: true, restoreCents: 8_000n });
    const id = await registerAndLeave("back.com", false);
    const restore = (client: Customer) => client.post(`/domains/${String(id)}/restore`, {});
    const notRestorable = { status: 409, body: { status: false, code: "not_restorable" } };
    const expiryDate = await at("+400d", async (client) => {
      await expect.poll(async () => (await read(client, id)).status, soon).toBe("expired");
      expect(await restore(client)).toMatchObject(notRestorable);
      return String((await read(client, id)).expiry_date);
    });
    const later = `${String(Number(expiryDate.slice(0, 4)) + 1)}${expiryDate.slice(4)}`;
    await at("+412d", async (client, { staff }) => {
      const held = async () => (await staff.domains.showSandbox({})).registrar.map(({ name }) => name);
      await expect.poll(held, soon).toEqual([]);
      expect(await client.post(`/domains/${String(id)}/renew`, {})).toMatchObject({
        status: 409,
        body: { code: "domain_not_renewable" },
      });
      expect(itemsOf((await client.get("/domains/pricing")).body)).toMatchObject([{ restore_price: 80 }]);
      expect(await restore(client)).toMatchObject({
        status: 200,
        body: {
          status: true,
          message: "Domain restored",
          amount_charged: 95.2,
          years: 1,
          domain: { id, status: "active", expiry_date: later },
        },
      });
      expect(await held()).toEqual(["back.com"]);
      expect(await balanceOf(client)).toBe("892.90");
      expect(await restore(client)).toMatchObject(notRestorable);
    });
  });
});

describe("a server", () => {
  it("is suspended when it expires, and runs again after a renewal with the surcharge", async () => {
    const id = await shop.provision();
    await shop.close();
    await at("+32d", async (client) => {
      await expect
        .poll(async () => objectOf((await client.get(`/servers/${String(id)}`)).body).suspended, soon)
        .toBe(true);
      expect(await client.post(`/servers/${String(id)}/renew`, {})).toMatchObject({
        status: 200,
        body: { amount_charged: 10.99, server: { suspended: false } },
      });
    });
    await at("+33d", async (client) => {
      expect((await client.get(`/servers/${String(id)}`)).body).toMatchObject({
        suspended: false,
        status: "active",
      });
    });
  });

  it("is cancelled at the end of its paid time, which a renewal reverts, or at once", async () => {
    const [kept, ended, gone] = [await shop.provision(), await shop.provision(), await shop.provision()];
    const cancel = (id: number, at: string, client: Pick<Customer, "post"> = shop.owner) =>
      client.post(`/servers/${String(id)}/cancel`, { at });
    for (const id of [kept, ended])
      expect(await cancel(id, "end_of_term")).toMatchObject({
        status: 200,
        body: {
          status: true,
          message: expect.stringMatching(/ends on \d{4}-\d\d-\d\d/),
          server: { id, cancelled: true, status: "active" },
        },
      });
    expect(await shop.owner.post(`/servers/${String(kept)}/renew`, { duration: 3 })).toMatchObject({
      status: 200,
    });
    const { status, body } = await cancel(gone, "now");
    expect([status, objectOf(body).message]).toEqual([200, expect.stringContaining("is not returned")]);
    expect(await cancel(gone, "tomorrow")).toMatchObject({ status: 422 });
    const listed = async (client: Pick<Customer, "get">) =>
      itemsOf((await client.get("/servers")).body).map(({ id }) => id);
    await expect.poll(() => listed(shop.owner), soon).toEqual([kept, ended]);
    await shop.close();
    await at("+32d", async (client, { staff }) => {
      await expect.poll(() => listed(client), soon).toEqual([kept]);
      expect(await cancel(ended, "now", client)).toMatchObject({ status: 404 });
      const held = async () => (await staff.domains.showSandbox({})).compute.map(({ name }) => name);
      await expect
        .poll(held, soon)
        .toEqual([expect.stringMatching(new RegExp(`^server-[a-z0-9]{6}-${String(kept)}$`))]);
    });
  });

  it("with auto_renew is charged once for a month, in the week before it expires", async () => {
    const id = await shop.provision();
    const path = `/servers/${String(id)}`;
    expect(await shop.owner.put(`${path}/settings`, { auto_renew: "yes" })).toMatchObject({ status: 422 });
    expect(await shop.owner.put(`${path}/settings`, { auto_renew: true })).toMatchObject({
      status: 200,
      body: { status: true, server: { id, auto_renew: true } },
    });
    const expiryDate = String(objectOf((await shop.owner.get(path)).body).expiry_date);
    const balance = Number(await balanceOf(shop.owner));
    await shop.close();
    for (const offset of ["+25d", "+26d"])
      await at(offset, async (client) => {
        await expect
          .poll(async () => objectOf((await client.get(path)).body).expiry_date, soon)
          .not.toBe(expiryDate);
        expect(balance - Number(await balanceOf(client))).toBeCloseTo(9.99, 2);
        expect(itemsOf((await client.get("/billing/invoices")).body).at(-1)).toMatchObject({
          action: "renewal",
          server_id: id,
        });
      });
  });
});
