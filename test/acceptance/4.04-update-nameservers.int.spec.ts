import { monotonicMilliseconds } from "@hostledger/runtime";
import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { objectOf } from "../support/matchers.ts";
import { openShop, registerName, unauthorized, type Shop } from "../support/shop.ts";

/** Specification §4.4, `PUT /domains/{domain}/nameservers`. */

let shop: Shop;
const custom = ["ns1.example.org", "ns2.example.org"];
const service = ["ns1.hostledger.example", "ns2.hostledger.example"];

beforeAll(async () => {
  shop = await openShop({ clock: virtualClock(), environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" } });
});

afterAll(() => shop.close());

const path = (id: number): string => `/domains/${String(id)}/nameservers`;

describe("PUT /domains/{domain}/nameservers", () => {
  it("switches to the customer's own nameservers and back to the service's", async () => {
    const id = await registerName(shop.owner, "switch.com");
    const away = await shop.owner.put(path(id), { use_rdp_nameservers: false, nameservers: custom });
    expect(away).toMatchObject({
      status: 200,
      body: {
        status: true,
        message: "Nameservers updated",
        domain: { id, use_rdp_nameservers: false, nameservers: custom },
      },
    });
    expect((await shop.owner.get(`/domains/${String(id)}`)).body).toMatchObject({ nameservers: custom });
    const { registrar } = await shop.instance.staff.domains.showSandbox({});
    expect(registrar.find(({ name }) => name === "switch.com")?.nameservers).toEqual(custom);

    const back = await shop.owner.put(path(id), { use_rdp_nameservers: true });
    expect(back).toMatchObject({
      status: 200,
      body: { domain: { use_rdp_nameservers: true, nameservers: service, dns_records_count: 2 } },
    });
  });

  it("succeeds without a change if the nameservers are already set", async () => {
    const id = await registerName(shop.owner, "same.com");
    expect(await shop.owner.put(path(id), { use_rdp_nameservers: true })).toMatchObject({
      status: 200,
      body: { domain: { nameservers: service } },
    });
  });

  it.each<[string, object, string]>([
    ["use_rdp_nameservers is missing", { nameservers: custom }, "use_rdp_nameservers"],
    ["use_rdp_nameservers is text", { use_rdp_nameservers: "false" }, "use_rdp_nameservers"],
    ["nameservers are missing", { use_rdp_nameservers: false }, "nameservers"],
    ["one nameserver", { use_rdp_nameservers: false, nameservers: custom.slice(1) }, "nameservers"],
    [
      "seven nameservers",
      {
        use_rdp_nameservers: false,
        nameservers: Array.from({ length: 7 }, (_, index) => `ns${String(index)}.example.org`),
      },
      "nameservers",
    ],
    [
      "one twice",
      { use_rdp_nameservers: false, nameservers: ["ns1.example.org", "NS1.example.org"] },
      "nameservers",
    ],
  ])("answers 422: %s", async (_case, body, field) => {
    const id = await registerName(
      shop.owner,
      `bad-${String(Math.trunc(monotonicMilliseconds() * 1_000))}.com`,
    );
    const answer = await shop.owner.put(path(id), body);
    expect(answer).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(Object.keys(objectOf(objectOf(answer.body).errors))).toEqual([field]);
    expect((await shop.owner.get(`/domains/${String(id)}`)).body).toMatchObject({ nameservers: service });
  });

  it("answers 502 if the registrar refuses the nameservers, and the present ones stay", async () => {
    const id = await registerName(shop.owner, "badns-1.com");
    const answer = await shop.owner.put(path(id), { use_rdp_nameservers: false, nameservers: custom });
    expect(answer).toMatchObject({ status: 502, body: { status: false } });
    expect((await shop.owner.get(`/domains/${String(id)}`)).body).toMatchObject({ nameservers: service });
  });

  it("answers 403 for another account's domain and 404 for an unknown domain", async () => {
    const id = await registerName(shop.owner, "mine.com");
    const body = { use_rdp_nameservers: false, nameservers: custom };
    expect(await shop.stranger.put(path(id), body)).toMatchObject(unauthorized);
    expect(await shop.owner.put(path(999_999), body)).toMatchObject({ status: 404 });
    expect((await shop.owner.get(`/domains/${String(id)}`)).body).toMatchObject({ nameservers: service });
  });
});

describe("PUT /domains/{domain}/nameservers, if another change of the domain is in flight", () => {
  it("answers 409 until the other change ends", async () => {
    const slow = await registerName(shop.owner, "flight.com");
    const answers = await Promise.all(
      [1, 2, 3].map((turn) =>
        shop.owner.put(path(slow), {
          use_rdp_nameservers: false,
          nameservers: [`a${String(turn)}.example.org`, `b${String(turn)}.example.org`],
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toMatchObject({ status: 409, body: { status: false, code: "change_in_flight" } });
    }
  });
});
