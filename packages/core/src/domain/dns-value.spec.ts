import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { canonicalDnsValue, parseDnsValue, txtStrings } from "./dns-value.ts";
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

describe("the dot at the end of a host name", () => {
  it.each([
    ["CNAME", "WWW.example.net.", "WWW.example.net"],
    ["MX", "mail.example.net.", "mail.example.net"],
    ["MX", ".", "."],
    ["NS", "ns1.example.net.", "ns1.example.net"],
    ["SRV", "5 443 www.example.net.", "5 443 www.example.net"],
    ["SRV", "0 0 .", "0 0 ."],
    ["CAA", "0 issue ca.example.net.", "0 issue ca.example.net"],
    ["CAA", '0 ISSUEWILD "ca.example.net.; account=1."', '0 ISSUEWILD "ca.example.net; account=1."'],
    ["CAA", "0 issue ;", "0 issue ;"],
    ["CAA", "0 iodef https://ca.example.net/.", "0 iodef https://ca.example.net/."],
    ["TXT", "a sentence.", "a sentence."],
  ] as const)("of %s %j is %j in the stored value", (type, written, value) => {
    expect(parseDnsValue(type, written)).toEqual({ ok: true, value });
  });
});

const lengthsOf = (text: string): number[] => txtStrings(text).map(({ length }) => length);

describe("a text on the wire", () => {
  it.each([
    ["", [0]],
    ["a", [1]],
    ["a".repeat(255), [255]],
    ["a".repeat(256), [255, 1]],
    ["a".repeat(510), [255, 255]],
    ["ü".repeat(128), [254, 2]],
    [`a${"ü".repeat(127)}`, [255]],
    ["€".repeat(85), [255]],
    ["€".repeat(86), [255, 3]],
    [`a${"€".repeat(85)}`, [253, 3]],
    ["\u{1f600}".repeat(64), [252, 4]],
  ])("%j has the strings %j", (text, lengths) => {
    expect(lengthsOf(text)).toEqual(lengths);
  });

  test("law: joined it is the text again, and each string is whole characters of at most 255 octets", () => {
    const anyText = fc.string({ unit: "grapheme", maxLength: 1_000, size: "max" });
    fc.assert(
      fc.property(anyText, (text) => {
        const strings = txtStrings(text);
        const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
        expect(strings.map((string) => decoder.decode(string)).join("")).toBe(text);
        expect(Math.max(...strings.map(({ length }) => length))).toBeLessThanOrEqual(255);
      }),
      { numRuns: 50 },
    );
  });
});
