import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { canonicalDnsValue } from "./dns-value.ts";
import { canonicalIpv6 } from "../kernel/ip-address.ts";

describe("two ways to write one value", () => {
  it.each([
    ["AAAA", "2001:db8::1", "2001:0DB8:0:0:0000:0:0:1"],
    ["AAAA", "::ffff:192.0.2.1", "::ffff:c000:201"],
    ["AAAA", "::", "0:0:0:0:0:0:0:0"],
    ["CNAME", "www.example.net", "WWW.Example.net."],
    ["MX", "mail.example.net", "mail.example.net."],
    ["NS", "ns1.example.net", "NS1.example.net"],
    ["SRV", "5 443 www.example.net", "5 443 WWW.example.net."],
    ["CAA", "0 issue letsencrypt.org", '0 ISSUE "letsencrypt.org"'],
  ] as const)("%s: %j and %j", (type, left, right) => {
    expect(canonicalDnsValue(type, left)).toBe(canonicalDnsValue(type, right));
  });

  it.each([
    ["A", "192.0.2.1", "192.0.2.11"],
    ["AAAA", "1::", "::1"],
    ["AAAA", "1:2::", "1::2"],
    ["TXT", "A", "a"],
    ["TXT", "a", "a."],
    ["SRV", "5 443 .", "5 444 ."],
    ["CAA", "0 issue ;", "0 issuewild ;"],
  ] as const)("%s: not %j and %j", (type, left, right) => {
    expect(canonicalDnsValue(type, left)).not.toBe(canonicalDnsValue(type, right));
  });

  test("law: an IPv6 address has one canonical form, which is an address of its own", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const canonical = canonicalIpv6(text) ?? "";
        expect(canonical).toMatch(/^[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}$/);
        expect(canonicalIpv6(canonical)).toBe(canonical);
        expect(canonicalIpv6(text.toUpperCase())).toBe(canonical);
      }),
    );
  });
});
