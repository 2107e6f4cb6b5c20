import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyText, objectOf } from "../support/matchers.ts";
import { openShop, unauthorized, type Shop } from "../support/shop.ts";

/** Specification §4.7, `POST /servers/{server}/firewall/toggle`. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

const path = (id: number): string => `/servers/${String(id)}/firewall/toggle`;

async function isEnabled(id: number): Promise<unknown> {
  const { body } = await shop.owner.get(`/servers/${String(id)}/firewall`);
  return objectOf(objectOf(body).options).enable;
}

describe("POST /servers/{server}/firewall/toggle", () => {
  it("disables and enables the firewall of a whitelisted server", async () => {
    const id = await shop.provision({ whitelisted: true });
    for (const [enable, shown] of [
      [false, 0],
      [true, 1],
    ] as const) {
      expect(await shop.owner.post(path(id), { enable })).toMatchObject({
        status: 200,
        body: { status: true, message: anyText, enabled: enable },
      });
      expect(await isEnabled(id)).toBe(shown);
    }
  });

  it("answers 403 because only whitelisted servers may disable their firewall", async () => {
    const id = await shop.provision();
    expect(await shop.owner.post(path(id), { enable: false })).toMatchObject({
      status: 403,
      body: { status: false, error: anyText, code: "firewall_locked" },
    });
    expect(await isEnabled(id)).toBe(1);
    await shop.instance.staff.servers.setServerWhitelisting({ serverId: BigInt(id), whitelisted: true });
    expect(await shop.owner.post(path(id), { enable: false })).toMatchObject({ status: 200 });
    await shop.instance.staff.servers.setServerWhitelisting({ serverId: BigInt(id), whitelisted: false });
    expect(await shop.owner.post(path(id), { enable: true })).toMatchObject({ status: 200 });
  });

  it("succeeds without a change if the firewall already has that state", async () => {
    const id = await shop.provision();
    expect(await shop.owner.post(path(id), { enable: true })).toMatchObject({
      status: 200,
      body: { enabled: true },
    });
  });

  it.each([[{}], [{ enable: "true" }], [{ enable: 1 }], [{ enable: null }]])(
    "answers 422 for %j",
    async (body) => {
      const id = await shop.provision();
      expect(await shop.owner.post(path(id), body)).toMatchObject({
        status: 422,
        body: { errors: { enable: [anyText] } },
      });
    },
  );

  it("answers 403 for another account's server and 404 for an unknown server", async () => {
    const id = await shop.provision({ whitelisted: true });
    expect(await shop.stranger.post(path(id), { enable: false })).toMatchObject(unauthorized);
    expect(await shop.owner.post(path(999_999), { enable: false })).toMatchObject({ status: 404 });
    expect(await isEnabled(id)).toBe(1);
  });
});
