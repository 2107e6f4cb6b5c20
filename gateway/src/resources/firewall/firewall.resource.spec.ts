import type { server } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { sampleDigest } from "../../testing/fake-server-services.ts";
import { gatewayUnderTest, type GatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { fieldsOf, refusedBody, refusing, smuggled } from "../../testing/recording.ts";

const json = { "content-type": "application/json" };
const rule = { action: "ACCEPT", type: "in" };

describe("POST /servers/{server}/firewall/toggle", () => {
  it.each([
    [true, "Firewall enabled"],
    [false, "Firewall disabled"],
  ])("answers the state after the change (%s)", async (enable, message) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/servers/7/firewall/toggle", { enable });
    const body = { status: true, message, enabled: enable };
    expect(answer).toMatchObject({ status: 200, text: JSON.stringify(body) });
  });

  it.each([
    ["firewall-locked", 403],
    ["server-not-active", 409],
    ["compute-unavailable", 502],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ server: { toggleFirewall: refusing(code) } });
    const answer = await gateway.post("/servers/7/firewall/toggle", { enable: false });
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});

describe("GET /servers/{server}/firewall", () => {
  it("answers the rules of the specification and Proxmox VE's options, flags as numbers", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request("/servers/7/firewall");
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      JSON.stringify({
        status: true,
        rules: [
          {
            pos: 0,
            type: "in",
            action: "ACCEPT",
            proto: "tcp",
            dport: "443",
            sport: "",
            source: "198.51.100.0/24",
            dest: "",
            comment: "the web",
            enable: 1,
            provider: false,
          },
        ],
        options: {
          enable: 1,
          policy_in: "DROP",
          policy_out: "ACCEPT",
          log_level_in: "nolog",
          log_level_out: "nolog",
          macfilter: 1,
          dhcp: 0,
          ndp: 1,
          radv: 0,
          ipfilter: 0,
        },
        digest: sampleDigest,
      }),
    );
    expect(answer.headers.get("etag")).toBe(`"${sampleDigest}"`);
  });

  it.each([
    ["server-not-active", 409],
    ["compute-unavailable", 502],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ server: { getFirewall: refusing(code) } });
    const answer = await gateway.request("/servers/7/firewall");
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});

describe("POST /servers/{server}/firewall", () => {
  it("answers 201 with the rule", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/servers/7/firewall", { ...rule, enable: 0 });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      status: true,
      message: "Firewall rule added",
      rule: {
        ...rule,
        pos: 1,
        proto: "",
        dport: "",
        sport: "",
        source: "",
        dest: "",
        comment: "",
        enable: 0,
        provider: false,
      },
    });
  });

  it.each<[string, object]>([
    ['"comment":"x"', { comment: "x" }],
    [`"enable":true,${smuggled}`, { enable: true }],
    ['"enable":1', { enable: true }],
    ['"enable":0', { enable: false }],
    [
      '"proto":"","dport":"1,65535,8000:8010","sport":"","source":"2001:db8::/32","dest":"192.0.2.1"',
      { proto: "", dport: "1,65535,8000:8010", sport: "", source: "2001:db8::/32", dest: "192.0.2.1" },
    ],
  ])("passes on %s", async (fields, asked) => {
    const requests: server.AddFirewallRuleRequest[] = [];
    const gateway = await gatewayUnderTest({
      server: {
        addFirewallRule(request) {
          requests.push(request);
          return { rule };
        },
      },
    });
    const body = `{"action":"ACCEPT","type":"in",${fields}}`;
    await gateway.request("/servers/7/firewall", { method: "POST", headers: json, body });
    expect(requests.map(fieldsOf)).toEqual([{ serverId: 7n, ...rule, ...asked }]);
  });

  it.each<[string, unknown]>([
    ["action", "accept"],
    ["type", "forward"],
    ["proto", "TCP"],
    ["comment", "c".repeat(256)],
    ["comment", "two\nlines"],
    ["enable", 2],
    ["enable", "1"],
  ])("refuses the %s %j with 422", async (field, value) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/servers/7/firewall", { ...rule, [field]: value });
    expect(answer).toMatchObject({ status: 422, json: { errors: { [field]: [expect.any(String)] } } });
  });

  it.each([
    ["validation-failed", 422],
    ["server-not-active", 409],
    ["compute-unavailable", 502],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ server: { addFirewallRule: refusing(code) } });
    expect(await gateway.post("/servers/7/firewall", rule)).toMatchObject({
      status,
      json: refusedBody(code),
    });
  });
});

async function removing(): Promise<{ readonly asked: unknown[]; readonly gateway: GatewayUnderTest }> {
  const asked: unknown[] = [];
  const gateway = await gatewayUnderTest({
    server: {
      removeFirewallRule(request) {
        asked.push(fieldsOf(request));
        return {};
      },
    },
  });
  return { asked, gateway };
}

describe("DELETE /servers/{server}/firewall/{pos}", () => {
  it.each([0, 1, 9_999])("removes the rule at position %d", async (pos) => {
    const { asked, gateway } = await removing();
    const answer = await gateway.request(`/servers/7/firewall/${String(pos)}`, { method: "DELETE" });
    expect(answer).toMatchObject({ status: 200, json: { status: true, message: "Firewall rule deleted" } });
    expect(asked).toEqual([{ serverId: 7n, pos }]);
  });

  it("passes on which list was read", async () => {
    const { asked, gateway } = await removing();
    await gateway.request(`/servers/7/firewall/2?digest=${sampleDigest}`, { method: "DELETE" });
    expect(asked).toEqual([{ serverId: 7n, pos: 2, digest: sampleDigest }]);
  });

  it("accepts the list's tag in If-Match, and answers 412 for any other", async () => {
    const { asked, gateway } = await removing();
    const tag = (await gateway.request("/servers/7/firewall")).headers.get("etag") ?? "none";
    const remove = (condition: string) =>
      gateway.request("/servers/7/firewall/2", { method: "DELETE", headers: { "If-Match": condition } });
    for (const other of ["x", '"x"', sampleDigest, `W/${tag}`])
      expect(await remove(other)).toMatchObject({ status: 412, json: { code: "precondition_failed" } });
    expect(asked).toEqual([]);
    expect(await remove(tag)).toMatchObject({ status: 200 });
    expect(asked).toEqual([{ serverId: 7n, pos: 2 }]);
  });

  it.each(["-1", "1e0", "00", "01", "x", "10000", "4294967296"])("answers 404 for %s", async (pos) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request(`/servers/7/firewall/${pos}`, { method: "DELETE" });
    expect(answer).toMatchObject({ status: 404, json: { code: "not_found" } });
  });

  it.each([
    ["protected-port", 403],
    ["firewall-changed", 409],
    ["server-not-active", 409],
    ["compute-unavailable", 502],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ server: { removeFirewallRule: refusing(code) } });
    const answer = await gateway.request("/servers/7/firewall/0", { method: "DELETE" });
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});
