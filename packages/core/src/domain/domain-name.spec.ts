import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { anyText } from "../testing/any-text.ts";
import { parseDomainName, parseNameservers, parseYears } from "./domain-name.ts";

const label = (length: number): string => "a".repeat(length);

describe("a name to register", () => {
  it.each([
    ["example.com", "example.com", "com"],
    ["EXAMPLE.CoM", "example.com", "com"],
    ["a.de", "a.de", "de"],
    ["1.de", "1.de", "de"],
    ["my-shop.eu", "my-shop.eu", "eu"],
    ["a--b.eu", "a--b.eu", "eu"],
    ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de", "de"],
    ["XN--MNCHEN-3YA.de", "xn--mnchen-3ya.de", "de"],
    ["xn--fa-hia.de", "xn--fa-hia.de", "de"],
    ["xn--wgv71a119e.com", "xn--wgv71a119e.com", "com"],
    ["xn--4dbrk0ce.com", "xn--4dbrk0ce.com", "com"],
    // A middle dot between two l, a joiner after a virama, a katakana dot beside a Han character.
    ["xn--ll-0ea.com", "xn--ll-0ea.com", "com"],
    ["xn--11b2ezcw70k.com", "xn--11b2ezcw70k.com", "com"],
    ["xn--vekv29f.com", "xn--vekv29f.com", "com"],
    ["xn.com", "xn.com", "com"],
    [`${label(63)}.com`, `${label(63)}.com`, "com"],
    [`a.${label(63)}`, `a.${label(63)}`, label(63)],
  ])("%j is taken as %j", (text, name, tld) => {
    expect(parseDomainName(text)).toEqual({ ok: true, value: { name, tld } });
  });

  it.each([
    ["a.d", "must be one label and one extension"],
    ["ab", "must be 3 to 253 characters long"],
    ["", "must be 3 to 253 characters long"],
    [`${label(250)}.com`, "must be 3 to 253 characters long"],
    [`${label(249)}.com`, "labels are at most 63 characters long"],
    [`${label(64)}.com`, "labels are at most 63 characters long"],
    [`a.${label(64)}`, "labels are at most 63 characters long"],
    ["www.example.com", "subdomains are refused"],
    ["example.co.uk", "subdomains are refused"],
    ["example", "must be one label and one extension"],
    ["-example.com", "must be one label"],
    ["example-.com", "must be one label"],
    [".com", "must be one label"],
    ["example.", "must be one label"],
    ["example.com.", "drop the dot and send example.com"],
    ["example.c0m", "must be one label"],
    ["example.xn--p1ai", "must be one label"],
    ["exa_mple.com", "must be one label"],
    ["exa mple.com", "must be one label"],
    ["example.com\n", "must be one label"],
    ["example\0.com", "must be one label"],
    ["münchen.de", "must be one label"],
    // The Kelvin sign and the long s become a plain "k" and "s" when the case changes.
    ["\u212Aiosk.de", "must be one label"],
    ["\u017Fhop.de", "must be one label"],
    ["\ud800.com", "must be one label"],
    ["exam\u202eple.com", "must be one label"],
    ["ab--cd.com", "must not have hyphens as its third and fourth characters"],
    ["AB--cd.com", "must not have hyphens as its third and fourth characters"],
    ["xn---cd.com", "must be valid IDNA 2008"],
    ["xn--zzzzzz.de", "must be valid IDNA 2008"],
    ["xn--abc-.de", "must be one label"],
    ["xn--a.de", "must be valid IDNA 2008"],
    // Emoji, symbols and a lone katakana dot, which UTS 46 alone would accept.
    ["xn--ls8h.la", "must be valid IDNA 2008"],
    ["xn--i-7iq.ws", "must be valid IDNA 2008"],
    ["xn--g6h.com", "must be valid IDNA 2008"],
    ["xn--ab-3n4a.com", "must be valid IDNA 2008"],
    // A middle dot after another letter, digits of two Arabic sets, a tatweel, a joiner after a Latin letter.
    ["xn--uba3g.de", "must be valid IDNA 2008"],
    ["xn--9hb20a.com", "must be valid IDNA 2008"],
    ["xn--mgb3c.com", "must be valid IDNA 2008"],
    ["xn--ab-m1t.com", "must be valid IDNA 2008"],
    ["__proto__", "must be one label"],
  ])("%j is refused: %s", (text, reason) => {
    const result = parseDomainName(text);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining(reason) as unknown });
  });

  test("law: any text is answered, and accepted text has the specification's form in lower case", () => {
    const pattern = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?\.[a-zA-Z]{2,}$/;
    const likely = fc.stringMatching(/^[a-zA-Z0-9.-]{1,8}\.[a-zA-Z0-9]{1,4}$/);
    fc.assert(
      fc.property(fc.oneof(anyText(), likely), (text) => {
        const result = parseDomainName(text);
        const isRight =
          pattern.test(text) &&
          text.split(".").every((part) => part.length <= 63 && !part.startsWith("--", 2)) &&
          text.length >= 3;
        expect(result.ok).toBe(isRight);
        if (result.ok) expect(result.value.name).toBe(text.toLowerCase());
      }),
    );
  });
});

describe("a term in years", () => {
  it.each([1, 2, 10])("%s is taken", (years) => {
    expect(parseYears(years)).toEqual({ ok: true, value: years });
  });

  it.each([0, -1, 11, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("%s is refused", (years) => {
    expect(parseYears(years).ok).toBe(false);
  });
});

describe("a set of nameservers", () => {
  const hosts = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `ns${String(index + 1)}.example.net`);

  it.each([2, 3, 6])("of %s is taken", (count) => {
    expect(parseNameservers(hosts(count))).toEqual({ ok: true, value: hosts(count) });
  });

  it.each([0, 1, 7])("of %s is refused", (count) => {
    expect(parseNameservers(hosts(count))).toMatchObject({
      ok: false,
      error: "must name 2 to 6 nameservers",
    });
  });

  it("is folded to lower case", () => {
    expect(parseNameservers(["NS1.Example.NET", "ns2.example.net"])).toEqual({ ok: true, value: hosts(2) });
  });

  it("names no host twice, in whatever case", () => {
    expect(parseNameservers(["ns1.example.net", "NS1.example.net"])).toMatchObject({
      ok: false,
      error: "must not name a nameserver twice",
    });
  });

  it.each([
    "ns1.xn--mnchen-3ya.de",
    "1.example.net",
    "a.b.c.d.e.example.net",
    `${label(63)}.net`,
    `${label(63)}.${label(63)}.${label(63)}.${label(61)}`,
  ])("may hold %s", (host) => {
    expect(parseNameservers([host, "ns2.example.net"]).ok).toBe(true);
  });

  it.each([
    "localhost",
    "192.0.2.1",
    "2001:db8::1",
    "ns1.example.123",
    "-ns1.example.net",
    "ns1-.example.net",
    "ns_1.example.net",
    "ns1..example.net",
    "ns1.example.net..",
    "ns1.example.net:53",
    "http://ns1.example.net",
    "ns1.example.net ",
    "ns1.\u202eexample.net",
    "\u212A.example.net",
    "",
    `${label(64)}.net`,
    `${label(63)}.${label(63)}.${label(63)}.${label(62)}`,
  ])("may not hold %j", (host) => {
    const result = parseNameservers([host, "ns2.example.net"]);
    expect(result).toMatchObject({
      ok: false,
      error: expect.stringContaining("is not a host name") as unknown,
    });
  });

  it("answers a long wrong name with its beginning", () => {
    const result = parseNameservers(["!".repeat(10_000), "ns2.example.net"]);
    expect(result.ok || result.error.length).toBeLessThan(200);
  });
});
