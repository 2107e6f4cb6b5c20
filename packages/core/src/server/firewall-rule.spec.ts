import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { anyText } from "../testing/any-text.ts";
import {
  initialFirewallRules,
  isProvidersRule,
  parseFirewallRule,
  type RequestedFirewallRule,
} from "./firewall-rule.ts";

const minimal: RequestedFirewallRule = { action: "ACCEPT", type: "in" };

function errorsOf(rule: Partial<RequestedFirewallRule>): Readonly<Record<string, string>> {
  const fields = Object.entries(parseFirewallRule({ ...minimal, ...rule }));
  return Object.fromEntries(fields.flatMap(([field, result]) => (result.ok ? [] : [[field, result.error]])));
}

function isTaken(rule: Partial<RequestedFirewallRule>): boolean {
  return Object.keys(errorsOf(rule)).length === 0;
}

describe("a rule that is asked for", () => {
  it("needs an action and a direction; a missing field means any, and the rule is enabled", () => {
    expect(parseFirewallRule(minimal)).toEqual({
      type: { ok: true, value: "in" },
      action: { ok: true, value: "ACCEPT" },
      proto: { ok: true, value: "" },
      dport: { ok: true, value: "" },
      sport: { ok: true, value: "" },
      source: { ok: true, value: "" },
      dest: { ok: true, value: "" },
      comment: { ok: true, value: "" },
      enable: { ok: true, value: true },
    });
  });

  it("may be out of force", () => {
    expect(parseFirewallRule({ ...minimal, enable: false }).enable).toEqual({ ok: true, value: false });
  });

  it.each(["ACCEPT", "DROP", "REJECT"])("may %s", (action) => {
    expect(isTaken({ action })).toBe(true);
  });

  it.each(["", "accept", "ALLOW", "ACCEPT ", "constructor"])("may not %j", (action) => {
    expect(errorsOf({ action })).toEqual({ action: "must be one of ACCEPT, DROP, REJECT" });
  });

  it.each(["", "IN", "both", "group", "__proto__"])("goes in or out, not %j", (type) => {
    expect(errorsOf({ type })).toEqual({ type: "must be one of in, out" });
  });

  it.each(["", "tcp", "udp", "icmp", "ipv6-icmp"])("may be for the protocol %j", (proto) => {
    expect(isTaken({ proto })).toBe(true);
  });

  it.each(["TCP", "any", "6", "tcp,udp", "http"])("may not be for the protocol %j", (proto) => {
    expect(errorsOf({ proto })).toEqual({ proto: "must be tcp, udp, icmp or ipv6-icmp" });
  });

  it("names every field that is wrong", () => {
    const wrong = errorsOf({
      action: "x",
      type: "x",
      proto: "x",
      source: "x",
      dest: "x",
      comment: "x\ny",
    });
    expect(Object.keys(wrong).sort()).toEqual(["action", "comment", "dest", "proto", "source", "type"]);
  });
});

describe("the ports of a rule", () => {
  const fifteen = Array.from({ length: 15 }, (_, index) => String(index + 1)).join(",");
  const sevenRanges = Array.from({ length: 7 }, (_, index) => `${String(index + 1)}:65535`).join(",");

  it.each([
    "1",
    "65535",
    "80",
    "80,443",
    "8000:8010",
    "80:80",
    "22,8000:8010,443",
    fifteen,
    `${sevenRanges},9`,
  ])("may be %s", (ports) => {
    expect(isTaken({ proto: "tcp", dport: ports, sport: ports })).toBe(true);
    expect(parseFirewallRule({ ...minimal, proto: "udp", dport: ports }).dport).toEqual({
      ok: true,
      value: ports,
    });
  });

  it.each([
    "0",
    "65536",
    "-1",
    "080",
    "80 ",
    " 80",
    "80,",
    ",80",
    "80,,443",
    "8010:8000",
    "80:",
    ":80",
    "1:2:3",
    "http",
    "80-90",
    "1e3",
    "٣",
    "80\n",
    "99999999999999999999",
    ":",
    ",",
  ])("may not be %j", (ports) => {
    const error = "must be ports from 1 to 65535, for example 80, 8000:8010 or 80,443";
    expect(errorsOf({ proto: "tcp", dport: ports, sport: ports })).toEqual({ dport: error, sport: error });
  });

  it.each([`${fifteen},16`, `${sevenRanges},8:9`])("may not be more than 15 numbers: %s", (dport) => {
    expect(errorsOf({ proto: "tcp", dport })).toEqual({
      dport: "must hold at most 15 numbers; a range counts as two",
    });
  });

  it.each(["", "icmp", "ipv6-icmp"])("have no meaning for the protocol %j", (proto) => {
    expect(errorsOf({ proto, dport: "80", sport: "80" })).toEqual({
      dport: "needs proto to be tcp or udp",
      sport: "needs proto to be tcp or udp",
    });
  });
});

describe("the addresses of a rule", () => {
  it.each([
    "192.0.2.1",
    "0.0.0.0",
    "255.255.255.255",
    "192.0.2.0/24",
    "0.0.0.0/0",
    "192.0.2.1/32",
    "2001:db8::1",
    "::",
    "::1",
    "2001:db8::/32",
    "::/0",
    "2001:DB8::a/128",
    "1:2:3:4:5:6:7:8",
  ])("may be %s", (address) => {
    expect(isTaken({ source: address, dest: address })).toBe(true);
  });

  it.each([
    "192.0.2",
    "192.0.2.256",
    "192.0.2.01",
    "192.0.2.1/33",
    "192.0.2.1/-1",
    "192.0.2.1/",
    "192.0.2.1-192.0.2.9",
    "192.0.2.1,192.0.2.2",
    "2001:db8::1::2",
    "2001:db8::/129",
    "12345::",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "[::1]",
    "fe80::1%eth0",
    "localhost",
    "+dc/net",
    " 192.0.2.1",
    "192.0.2.1\n",
    "٣.0.2.1",
  ])("may not be %j", (address) => {
    const error = "must be an IPv4 or IPv6 address, or a network such as 192.0.2.0/24";
    expect(errorsOf({ source: address, dest: address })).toEqual({ source: error, dest: error });
  });
});

describe("a rule about ICMP", () => {
  it.each([
    ["icmp", { source: "192.0.2.1" }],
    ["icmp", { dest: "192.0.2.0/24" }],
    ["ipv6-icmp", { source: "2001:db8::1" }],
    ["ipv6-icmp", { dest: "::/0" }],
  ])("%s may have %j", (proto, addresses) => {
    expect(isTaken({ proto, ...addresses })).toBe(true);
  });

  it.each([
    ["icmp", { source: "2001:db8::1" }, "must be ipv6-icmp with the address 2001:db8::1"],
    ["icmp", { dest: "2001:db8::/32" }, "must be ipv6-icmp with the address 2001:db8::/32"],
    ["ipv6-icmp", { source: "192.0.2.1" }, "must be icmp with the address 192.0.2.1"],
    ["ipv6-icmp", { dest: "0.0.0.0/0" }, "must be icmp with the address 0.0.0.0/0"],
  ])("%s may not have %j", (proto, addresses, error) => {
    expect(errorsOf({ proto, ...addresses })).toEqual({ proto: expect.stringContaining(error) });
  });
});

describe("the comment of a rule", () => {
  it("is trimmed, and has at most 255 characters in one line", () => {
    expect(parseFirewallRule({ ...minimal, comment: " Büro \u{1F3E2} " }).comment).toEqual({
      ok: true,
      value: "Büro \u{1F3E2}",
    });
    expect(isTaken({ comment: "x".repeat(255) })).toBe(true);
    expect(isTaken({ comment: "\u{1F3E2}".repeat(255) })).toBe(true);
    expect(isTaken({ comment: "\u{1F3E2}".repeat(256) })).toBe(false);
    expect(errorsOf({ comment: "x".repeat(256) })).toEqual({
      comment: "must be at most 255 characters long",
    });
  });

  it.each(["two\nlines", "a\0b", "\ud800", "a\u0085b"])("is not %j", (comment) => {
    expect(errorsOf({ comment })).toEqual({ comment: "must be one line of well-formed text" });
  });
});

describe("a rule of the provider's own", () => {
  it.each([
    ["o-1/mail", true],
    ["o-1/monitoring", true],
    ["o-1", false],
    ["o-10/mail", false],
    ["c-rule", false],
  ])("has an id that begins with the order's: %s", (ruleId, expected) => {
    expect(isProvidersRule("o-1", { ruleId })).toBe(expected);
  });
});

describe("the rules of a new server", () => {
  it("are the provider's, each with its own id, and allowed for customers too", () => {
    const rules = initialFirewallRules("o-1");
    expect(rules.map(({ ruleId, dport }) => [ruleId, dport])).toEqual([
      ["o-1/mail", "25"],
      ["o-1/monitoring", "5000"],
    ]);
    for (const { ruleId, ...fields } of rules) {
      expect(isProvidersRule("o-1", { ruleId })).toBe(true);
      expect(errorsOf(fields)).toEqual({});
    }
  });
});

test("law: any rule is answered", () => {
  const anyRule = fc.record({
    action: anyText(),
    type: anyText(),
    proto: fc.constantFrom("tcp", "udp", ""),
    dport: fc.oneof(anyText(), fc.stringMatching(/^[0-9:,]{0,20}$/)),
    source: fc.oneof(anyText(), fc.stringMatching(/^[0-9a-f:./]{0,20}$/)),
    comment: anyText(),
  });
  fc.assert(
    fc.property(anyRule, (rule) => {
      for (const result of Object.values(parseFirewallRule(rule))) {
        if (!result.ok) expect(result.error).toMatch(/^(must|needs)/);
      }
    }),
  );
});
