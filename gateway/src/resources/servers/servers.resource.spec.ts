import type { server } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { operations } from "../../operations.ts";
import { describeOperations } from "../../openapi/document.ts";
import { checkResponsesBy } from "../../testing/documented-responses.ts";
import { serverMessage } from "../../testing/fake-server-services.ts";
import { keyOfEight } from "../../testing/fake-services.ts";
import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { fieldsOf, refusedBody, refusing, smuggled } from "../../testing/recording.ts";

const json = { "content-type": "application/json" };

const shown = (id: number) => ({
  id,
  hostname: `web-${String(id)}`,
  ip_address: "192.0.2.7",
  node: "node-1",
  rdns: "7.2.0.192.hostledger.example",
  distro: "Debian 13",
  status: "active",
  plan_id: 3,
  suspended: false,
  created_at: "2026-11-21T01:30:00.000456Z",
  expiry_date: "2026-12-21T01:30:00.000456Z",
  terminates_at: "2027-01-04T01:30:00.000456Z",
  cancelled: false,
  auto_renew: false,
  held: false,
  hold_reason: null,
});

const tooLow = (): never => {
  const detail = { requiredCents: 999n, availableCents: 998n };
  throw rejectionError({ code: "insufficient-balance", message: "Too low.", detail });
};
const tooLowBody = {
  status: false,
  error: expect.stringContaining("Too low (required: 9.99 EUR, available: 9.98 EUR)"),
  code: "insufficient_balance",
  required: 9.99,
  available: 9.98,
};

describe("POST /servers/{server}/cancel", () => {
  const problemsOf = checkResponsesBy(describeOperations(operations));

  it.each(["terminating", "terminated"])(
    "answers the document's fields for a server that is %s",
    async (status) => {
      const gateway = await gatewayUnderTest({
        server: { cancelServer: ({ serverId }) => ({ server: serverMessage(serverId, { status }) }) },
      });
      const path = "/servers/7/cancel";
      const answer = await gateway.post(path, { at: "now" });
      expect(answer.json).toMatchObject({
        message: expect.stringContaining("Server terminated"),
        server: { status },
      });
      expect(problemsOf({ ...answer, method: "POST", path, body: answer.json })).toEqual([]);
    },
  );
});

describe("GET /servers", () => {
  it("answers a bare array of the caller's servers, in the contract's fields and order", async () => {
    const gateway = await gatewayUnderTest();
    expect((await gateway.request("/servers")).text).toBe(JSON.stringify([shown(7)]));
    const ofEight = await gateway.request("/servers", { headers: { authorization: keyOfEight } });
    expect(ofEight.json).toEqual([shown(8)]);
  });

  it("shows no host name as null", async () => {
    const cleared = serverMessage(7n);
    delete cleared.hostname;
    const gateway = await gatewayUnderTest({ server: { listServers: () => ({ servers: [cleared] }) } });
    expect((await gateway.request("/servers")).json).toEqual([{ ...shown(7), hostname: null }]);
  });

  it("asks for one more than a page, to know whether another follows", async () => {
    const pages: unknown[] = [];
    const gateway = await gatewayUnderTest({
      server: {
        listServers({ page }) {
          pages.push(fieldsOf(page));
          return { servers: [serverMessage(7n), serverMessage(9n), serverMessage(12n)] };
        },
      },
    });
    const answer = await gateway.request("/servers?limit=2&after=5&colour=blue");
    expect(answer.json).toMatchObject([{ id: 7 }, { id: 9 }]);
    expect(answer.headers.get("link")).toMatch(/^<[^>]*\/servers\?limit=2&after=9>; rel="next"$/);
    expect(pages).toMatchObject([{ afterId: 5n, limit: 3 }]);
  });
});

describe("GET /servers/{server}", () => {
  it("answers one server, 403 for another account's, 404 for a missing one", async () => {
    const gateway = await gatewayUnderTest();
    expect((await gateway.request("/servers/7")).json).toEqual(shown(7));
    expect(await gateway.request("/servers/8")).toMatchObject({
      status: 403,
      json: { status: false, error: "This action is unauthorized." },
    });
    expect(await gateway.request("/servers/9")).toMatchObject({ status: 404 });
  });

  it("is an internal error when the service leaves the server out", async () => {
    const gateway = await gatewayUnderTest({ server: { getServer: () => ({}) } });
    expect(await gateway.request("/servers/7")).toMatchObject({ status: 500, json: { code: "internal" } });
  });
});

describe("POST /servers/{server}/renew", () => {
  it("answers the fields of the specification, in its order", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/servers/7/renew", { duration: 3 });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      JSON.stringify({
        status: true,
        message: "Server renewed",
        invoice_id: 32,
        amount_charged: 28.47,
        new_expiry_date: "2027-01-21T01:30:00.000456Z",
        server: {
          id: 7,
          ip_address: "192.0.2.7",
          expiry_date: "2027-01-21T01:30:00.000456Z",
          suspended: false,
        },
      }),
    );
  });

  it("leaves the duration to the service by default", async () => {
    const requests: server.RenewServerRequest[] = [];
    const gateway = await gatewayUnderTest({
      server: {
        renewServer(request) {
          requests.push(request);
          return { server: serverMessage(7n) };
        },
      },
    });
    await gateway.request("/servers/7/renew", { method: "POST" });
    const body = `{"duration":12,${smuggled}}`;
    await gateway.request("/servers/7/renew", { method: "POST", headers: json, body });
    expect(requests.map(fieldsOf)).toEqual([{ serverId: 7n }, { serverId: 7n, duration: 12 }]);
  });

  it("answers 400 with the required and the available amount when the balance is too low", async () => {
    const gateway = await gatewayUnderTest({ server: { renewServer: tooLow } });
    const answer = await gateway.post("/servers/7/renew", {});
    expect(answer).toMatchObject({ status: 400, json: tooLowBody });
  });

  it.each([
    ["unauthorized", 403],
    ["not-found", 404],
    ["server-not-active", 409],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ server: { renewServer: refusing(code) } });
    expect(await gateway.post("/servers/7/renew", {})).toMatchObject({ status, json: refusedBody(code) });
  });
});

describe("PUT /servers/{server}/hostname", () => {
  it("answers the name", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.put("/servers/7/hostname", { hostname: "Web-1.example.org" });
    const body = { status: true, message: "Hostname updated", hostname: "Web-1.example.org" };
    expect(answer).toMatchObject({ status: 200, text: JSON.stringify(body) });
  });

  it.each([null, "", "a", "-_", "\n", "\ud800", "\u{1F3F3}\u{1F3F3}"])(
    "clears it for %j",
    async (hostname) => {
      const requests: server.UpdateHostnameRequest[] = [];
      const gateway = await gatewayUnderTest({
        server: {
          updateHostname(request) {
            requests.push(request);
            return {};
          },
        },
      });
      const answer = await gateway.put("/servers/7/hostname", { hostname });
      expect(answer.json).toEqual({ status: true, message: "Hostname cleared", hostname: null });
      expect(requests.map(fieldsOf)).toEqual([{ serverId: 7n }]);
    },
  );

  it.each(["web", "a".repeat(63), "1.2.3"])("accepts %s", async (hostname) => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.put("/servers/7/hostname", { hostname })).toMatchObject({
      status: 200,
      json: { hostname },
    });
  });

  it.each(["a".repeat(64), "web\n", "lone\ud800"])("refuses %j with 422", async (hostname) => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.put("/servers/7/hostname", { hostname })).toMatchObject({
      status: 422,
      json: { errors: { hostname: [expect.stringContaining("hostname")] } },
    });
  });
});

describe("POST /order", () => {
  const order = { plan_id: 3, region_id: 5, distro_id: 2 };

  it("answers 201 with the contract's fields, in its order", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/order", order);
    expect(answer.status).toBe(201);
    expect(answer.text).toBe(
      JSON.stringify({
        success: true,
        server_id: 9,
        invoice_id: 31,
        duration: 1,
        amount_charged: 9.99,
        expiry_date: "2026-12-21T01:30:00.000456Z",
      }),
    );
  });

  it("passes on the order, without unknown fields", async () => {
    const requests: server.OrderServerRequest[] = [];
    const gateway = await gatewayUnderTest({
      server: {
        orderServer(request) {
          requests.push(request);
          return { serverId: 9n, invoiceId: 31n, duration: 1, expiryDate: "2026-12-21T01:30:00.000456Z" };
        },
      },
    });
    const sshKey = `ssh-ed25519 ${"A".repeat(68)} me@example`;
    await gateway.post("/order", order);
    await gateway.request("/order", {
      method: "POST",
      headers: json,
      body: `{"plan_id":9007199254740991,"region_id":5,"distro_id":2,"duration":12,"ssh_key":"${sshKey}",${smuggled}}`,
    });
    expect(requests.map(fieldsOf)).toEqual([
      { planId: 3n, regionId: 5n, distroId: 2n },
      { planId: 9_007_199_254_740_991n, regionId: 5n, distroId: 2n, duration: 12, sshKey },
    ]);
  });

  it("answers 400 with the required and the available amount when the balance is too low", async () => {
    const gateway = await gatewayUnderTest({ server: { orderServer: tooLow } });
    expect(await gateway.post("/order", order)).toMatchObject({ status: 400, json: tooLowBody });
  });

  it.each([
    ["out-of-stock", 409],
    ["plan-not-found", 422],
    ["region-not-found", 422],
    ["compute-failed", 500],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ server: { orderServer: refusing(code) } });
    expect(await gateway.post("/order", order)).toMatchObject({ status, json: refusedBody(code) });
  });
});
