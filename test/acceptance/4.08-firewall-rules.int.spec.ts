import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyNumber, anyText, itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, unauthorized, type Shop } from "../support/shop.ts";

/** Specification §4.8, `GET /servers/{server}/firewall`, and the contract's `POST` and `DELETE` beside it. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

const path = (id: number, pos?: number | string): string =>
  `/servers/${String(id)}/firewall${pos === undefined ? "" : `/${String(pos)}`}`;

async function rulesOf(id: number): Promise<ReturnType<typeof itemsOf>> {
  return itemsOf(objectOf((await shop.owner.get(path(id))).body).rules);
}

const https = {
  type: "in",
  action: "ACCEPT",
  proto: "tcp",
  dport: "443",
  sport: "",
  source: "198.51.100.0/24",
  dest: "",
  comment: "the web",
};

describe("GET /servers/{server}/firewall", () => {
  it("answers rules with the fields of §2.4, their owner and Proxmox VE's options", async () => {
    const id = await shop.provision();
    expect(await shop.owner.get(path(id))).toMatchObject({
      status: 200,
      body: {
        status: true,
        options: {
          enable: 1,
          policy_in: anyText,
          policy_out: anyText,
          log_level_in: anyText,
          log_level_out: anyText,
          macfilter: anyNumber,
          dhcp: anyNumber,
          ndp: anyNumber,
          radv: anyNumber,
          ipfilter: anyNumber,
        },
      },
    });
    for (const rule of await rulesOf(id)) {
      expect(Object.keys(rule).toSorted()).toEqual(
        [
          "pos",
          "type",
          "action",
          "proto",
          "dport",
          "sport",
          "source",
          "dest",
          "comment",
          "enable",
          "provider",
        ].toSorted(),
      );
    }
  });

  it("answers 403 for another account's server and 404 for an unknown server", async () => {
    const id = await shop.provision();
    expect(await shop.stranger.get(path(id))).toMatchObject(unauthorized);
    expect(await shop.owner.get(path(999_999))).toMatchObject({ status: 404 });
  });
});

describe("POST /servers/{server}/firewall", () => {
  it("answers 201 and adds a rule after the present rules", async () => {
    const id = await shop.provision();
    const before = await rulesOf(id);
    expect(await shop.owner.post(path(id), { ...https, enable: true })).toMatchObject({
      status: 201,
      body: { status: true, rule: { ...https, pos: before.length, enable: 1 } },
    });
    const added = { ...https, pos: before.length, enable: 1, provider: false };
    expect((await rulesOf(id)).at(-1)).toEqual(added);
  });

  it.each<[object, string]>([
    [{ ...https, action: undefined }, "action"],
    [{ ...https, action: "accept" }, "action"],
    [{ ...https, type: undefined }, "type"],
    [{ ...https, type: "forward" }, "type"],
    [{ ...https, proto: "sctp-x" }, "proto"],
    [{ ...https, dport: "0" }, "dport"],
    [{ ...https, dport: "65536" }, "dport"],
    [{ ...https, dport: "https" }, "dport"],
    [{ ...https, sport: "2:1" }, "sport"],
    [{ ...https, source: "198.51.100.0/33" }, "source"],
    [{ ...https, dest: "example.org" }, "dest"],
    [{ ...https, comment: "c".repeat(256) }, "comment"],
    [{ ...https, comment: 7 }, "comment"],
    [{ ...https, enable: 2 }, "enable"],
  ])("answers 422 for %j", async (rule, field) => {
    const id = await shop.provision();
    const before = await rulesOf(id);
    const answer = await shop.owner.post(path(id), rule);
    expect(answer).toMatchObject({ status: 422 });
    expect(Object.keys(objectOf(objectOf(answer.body).errors))).toEqual([field]);
    expect(await rulesOf(id)).toEqual(before);
  });
});

describe("DELETE /servers/{server}/firewall/{pos}", () => {
  it("removes the rule, and later rules move up", async () => {
    const id = await shop.provision();
    const { length } = await rulesOf(id);
    for (const dport of ["80", "443", "8080"]) await shop.owner.post(path(id), { ...https, dport });
    expect(await shop.owner.delete(path(id, length + 1))).toMatchObject({
      status: 200,
      body: { status: true },
    });
    const own = (await rulesOf(id)).slice(length);
    expect(own.map(({ pos, dport }) => [pos, dport])).toEqual([
      [length, "80"],
      [length + 1, "8080"],
    ]);
  });

  it.each(["1:65535", "24:26", "25"])(
    "answers 200 when a customer removes an own rule: %s",
    async (dport) => {
      const id = await shop.provision();
      const { length } = await rulesOf(id);
      await shop.owner.post(path(id), { ...https, dport });
      expect(await shop.owner.delete(path(id, length))).toMatchObject({ status: 200 });
      expect(await rulesOf(id)).toHaveLength(length);
    },
  );

  it("answers 409 if the list has changed since its digest was read, and 412 if If-Match has its old ETag", async () => {
    const id = await shop.provision();
    const { length } = await rulesOf(id);
    for (const dport of ["80", "81", "82", "83"]) await shop.owner.post(path(id), { ...https, dport });
    const read = await shop.owner.get(path(id));
    const digest = String(objectOf(read.body).digest);
    expect(read.headers.get("etag")).toBe(`"${digest}"`);
    const condition = { method: "DELETE", headers: { "If-Match": `"${digest}"` } };
    expect(await shop.owner.delete(`${path(id, length)}?digest=${digest}`)).toMatchObject({ status: 200 });
    const changed = { status: 409, body: { code: "firewall_changed" } };
    expect(await shop.owner.delete(`${path(id, length)}?digest=${digest}`)).toMatchObject(changed);
    const failed = { status: 412, body: { code: "precondition_failed" } };
    expect(await shop.owner.send(path(id, length), condition)).toMatchObject(failed);
    expect((await rulesOf(id)).slice(length).map(({ dport }) => dport)).toEqual(["81", "82", "83"]);
    const tag = (await shop.owner.get(path(id))).headers.get("etag") ?? "none";
    const renewed = { method: "DELETE", headers: { "If-Match": tag } };
    expect(await shop.owner.send(path(id, length), renewed)).toMatchObject({ status: 200 });
    const any = { method: "DELETE", headers: { "If-Match": "*" } };
    expect(await shop.owner.send(path(id, length), any)).toMatchObject({ status: 200 });
  });

  it.each(["?digest=x", `?digest=${"A".repeat(40)}`, "?digest="])("answers 422 for %s", async (query) => {
    const id = await shop.provision();
    const { length } = await rulesOf(id);
    await shop.owner.post(path(id), https);
    const answer = await shop.owner.delete(`${path(id, length)}${query}`);
    expect(answer).toMatchObject({ status: 422 });
    expect(Object.keys(objectOf(objectOf(answer.body).errors))).toEqual(["digest"]);
    expect(await rulesOf(id)).toHaveLength(length + 1);
  });

  it("answers 403 because customers may not remove the provider's own rules", async () => {
    const id = await shop.provision();
    for (const rule of await rulesOf(id)) {
      expect(rule).toMatchObject({ provider: true });
      expect(["25", "5000"]).toContain(rule.dport);
      expect(await shop.owner.delete(path(id, Number(rule.pos)))).toMatchObject({
        status: 403,
        body: { code: "protected_port" },
      });
    }
  });

  it("answers 404 for a position without a rule", async () => {
    const id = await shop.provision();
    for (const pos of [99, "-1", "1e0", "x"]) {
      expect(await shop.owner.delete(path(id, pos))).toMatchObject({ status: 404 });
    }
  });

  it("answers 403 for another account's server", async () => {
    const id = await shop.provision();
    const { length } = await rulesOf(id);
    await shop.owner.post(path(id), https);
    expect(await shop.stranger.delete(path(id, length))).toMatchObject(unauthorized);
    expect(await rulesOf(id)).toHaveLength(length + 1);
  });
});
