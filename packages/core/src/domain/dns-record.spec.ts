import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { anyText } from "../testing/any-text.ts";
import type { DnsRecordType } from "./dns-record-type.ts";
import { parseDnsRecord, parseRecordName, type DnsRecordFields, defaultZoneRecords } from "./dns-record.ts";

const zone = "example.com";
const text = (length: number): string => "a".repeat(length);

/** Reads a record that is valid except for the given fields. */
function parse(fields: Partial<DnsRecordFields>) {
  return parseDnsRecord({ type: "A", name: "www", value: "192.0.2.1", ...fields }, zone);
}

const right: Readonly<Record<DnsRecordType, readonly string[]>> = {
  A: ["192.0.2.1", "0.0.0.0", "255.255.255.255", "10.0.0.1"],
  AAAA: [
    "2001:db8::1",
    "::",
    "::1",
    "1::",
    "2001:DB8:0:0:0:0:0:1",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::",
    "::2:3:4:5:6:7:8",
    "::ffff:192.0.2.1",
    "64:ff9b::192.0.2.33",
    "1:2:3:4:5:6:192.0.2.1",
  ],
  CNAME: ["www.example.net", "s1._domainkey.mail.example", "xn--mnchen-3ya.de", "A.B"],
  MX: ["mail.example.com", "MAIL.example.com", "mx-1.example.co.uk"],
  TXT: [
    "v=spf1 -all",
    '"quoted"',
    " spaces ",
    "ümlaut \u{1f600}",
    "a\tb",
    text(1_000),
    "\u{1f600}".repeat(1_000),
    "\\",
    ";",
  ],
  NS: ["ns1.example.net"],
  SRV: ["5 443 www.example.net", "0 0 .", "65535 65535 a.b", "10 5060 sip.example.com"],
  CAA: [
    "0 issue letsencrypt.org",
    '0 issue "letsencrypt.org"',
    "128 issuewild ;",
    '0 issue ";"',
    '0 issue ""',
    "0 issue ca.example.net; account=230123",
    '0 issue "ca.example.net; validationmethods=dns-01; account=1"',
    "0 iodef mailto:security@example.com",
    '0 iodef "https://iodef.example.com/"',
    "255 ISSUE letsencrypt.org",
  ],
};

const wrong: Readonly<Record<DnsRecordType, readonly string[]>> = {
  A: [
    "192.0.2",
    "192.0.2.256",
    "192.0.2.01",
    "192.0.2.1.1",
    "192.0.2.1 ",
    " 192.0.2.1",
    "192.0.2.-1",
    "0x7f.0.0.1",
    "1",
    "localhost",
    "::1",
    "192.0.2.1\n",
    "１.2.3.4",
  ],
  AAAA: [
    ":",
    ":::",
    "1",
    "192.0.2.1",
    "2001:db8:::1",
    "2001::db8::1",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "::1:2:3:4:5:6:7:8",
    "12345::",
    "g::1",
    "fe80::1%eth0",
    "[::1]",
    "::192.0.2.256",
    "::192.0.2.1:1",
    "1:2:3:4:5:6:7:192.0.2.1",
    "2001:db8::1/64",
    "::1 ",
    "1:",
    ":1",
  ],
  CNAME: [
    "example",
    "192.0.2.1",
    "-a.example",
    "a-.example",
    "a..b",
    ".",
    "@",
    "*.example.com",
    "a b.c",
    `${text(64)}.de`,
  ],
  MX: [
    "mail",
    "10 mail.example.com",
    "192.0.2.1",
    "_mail.example.com",
    "mail..example",
    "::1",
    "mail.example.com..",
  ],
  TXT: ["\0", "a\nb", "\u007f", "\ud800", text(1_001), "\u{1f600}".repeat(1_001)],
  NS: ["ns1", "192.0.2.1", "_ns.example.com", `${`${text(63)}.`.repeat(4)}de`],
  SRV: [
    "443 www.example.net",
    "1 5 443 www.example.net",
    "5 443",
    "5  443 www.example.net",
    "65536 443 a.b",
    "5 65536 a.b",
    "-1 443 a.b",
    "05 443 a.b",
    "5 443 localhost",
    "5 443 192.0.2.1",
    "5 443 _sip.example.com",
    " 5 443 a.b",
  ],
  CAA: [
    "letsencrypt.org",
    "0 issue",
    "0 issue ",
    "256 issue letsencrypt.org",
    "-1 issue letsencrypt.org",
    "00 issue letsencrypt.org",
    "0 contactemail a@b.c",
    '0 issue "letsencrypt.org',
    "0 issue letsencrypt",
    "0 issue not a domain",
    "0 issue ca.example.net; =x",
    "0 iodef security@example.com",
    "0 iodef ftp://example.com",
    "0 issue lätsencrypt.org",
    "0  issue letsencrypt.org",
  ],
};

describe.each(Object.entries(right))("a value of the type %s", (type, values) => {
  it.each(values)("%j is accepted unchanged", (value) => {
    expect(parse({ type, value }).value).toEqual({ ok: true, value });
  });
});

describe.each(Object.entries(wrong))("a value of the type %s", (type, values) => {
  it.each(values)("%j is refused", (value) => {
    expect(parse({ type, value }).value.ok).toBe(false);
  });

  it.each(["", text(1_001)])("has 1 to 1,000 characters", (value) => {
    expect(parse({ type, value }).value.ok).toBe(false);
  });
});

describe("the type of a record", () => {
  it.each(Object.keys(right))("%s is accepted", (type) => {
    expect(parse({ type }).type).toEqual({ ok: true, value: type });
  });

  it.each(["a", "mx", "Txt"])("%s is accepted in upper case", (type) => {
    expect(parse({ type }).type).toEqual({ ok: true, value: type.toUpperCase() });
  });

  it.each(["", "SOA", "PTR", "ANY", "A ", "__proto__", "TXT\n"])("%j is refused", (type) => {
    expect(parse({ type }).type.ok).toBe(false);
  });
});

describe("the name of a record", () => {
  it.each([
    ["@", "@"],
    ["www", "www"],
    ["WWW", "www"],
    ["_dmarc", "_dmarc"],
    ["s1._domainkey", "s1._domainkey"],
    ["_443._tcp", "_443._tcp"],
    ["*", "*"],
    ["*.sub", "*.sub"],
    ["a.b.c", "a.b.c"],
    ["xn--bcher-kva", "xn--bcher-kva"],
    ["1", "1"],
    ["a_b", "a_b"],
    [text(63), text(63)],
    ["example.com", "@"],
    ["example.com.", "@"],
    ["www.example.com", "www"],
    ["WWW.Example.com.", "www"],
    ["*.example.com", "*"],
    ["notexample.com", "notexample.com"],
  ])("%j is stored as %j", (name, expected) => {
    expect(parse({ name }).name).toEqual({ ok: true, value: expected });
  });

  it.each([
    "",
    ".",
    "www.",
    ".www",
    "a..b",
    "a.*",
    "a*",
    "**",
    "*.*",
    "-a",
    "a-",
    "a b",
    "@.www",
    "www.@",
    "bücher",
    "\u212A",
    "a/b",
    "a\n",
    text(64),
    text(256),
  ])("%j is refused", (name) => {
    expect(parse({ name }).name.ok).toBe(false);
  });

  it("is at most 253 characters long with its zone", () => {
    const labels = (length: number): string => `${`${text(59)}.`.repeat(4)}${text(length - 240)}`;
    expect(parseRecordName(labels(241), zone)).toMatchObject({ ok: true });
    expect(parseRecordName(labels(242), zone)).toMatchObject({ ok: false });
  });
});

describe("the null MX (RFC 7505)", () => {
  it("has the value . and the priority 0", () => {
    const nullMx = { type: "MX", value: "." };
    expect(parse({ ...nullMx, priority: 0 })).toMatchObject({ value: { ok: true }, priority: { ok: true } });
    for (const priority of [undefined, 10]) expect(parse({ ...nullMx, priority }).priority.ok).toBe(false);
  });
});

describe("a CNAME", () => {
  it.each([
    ["www", "www.example.com"],
    ["WWW.example.com.", "www.EXAMPLE.com."],
    ["@", "example.com"],
  ])("of %s does not point to itself as %s", (name, value) => {
    expect(parse({ type: "CNAME", name, value }).value.ok).toBe(false);
  });
});

describe("the TTL of a record", () => {
  it.each([
    [undefined, 3_600],
    [60, 60],
    [86_400, 86_400],
  ])("%s is stored as %s", (ttl, expected) => {
    expect(parse({ ttl }).ttl).toEqual({ ok: true, value: expected });
  });

  it.each([0, 59, 86_401, 60.5, -1, Number.NaN])("%s is refused", (ttl) => {
    expect(parse({ ttl }).ttl.ok).toBe(false);
  });
});

describe("the priority of a record", () => {
  it.each(["MX", "SRV"])("is required for %s", (type) => {
    expect(parse({ type }).priority).toEqual({ ok: false, error: `is required for ${type}` });
    for (const priority of [0, 10, 65_535])
      expect(parse({ type, priority }).priority).toEqual({ ok: true, value: priority });
    for (const priority of [-1, 65_536, 0.5]) expect(parse({ type, priority }).priority.ok).toBe(false);
  });

  it.each(["A", "AAAA", "CNAME", "TXT", "NS", "CAA"])("is in its range for %s, and left out", (type) => {
    expect(parse({ type }).priority).toEqual({ ok: true, value: null });
    expect(parse({ type, priority: 10 }).priority).toEqual({ ok: true, value: null });
    expect(parse({ type, priority: 65_536 }).priority.ok).toBe(false);
  });
});

describe("the laws of records", () => {
  const anyFields = fc.record({
    type: fc.oneof(fc.constantFrom(...Object.keys(right)), fc.string()),
    name: fc.oneof(anyText(), fc.stringMatching(/^[a-zA-Z0-9._*@-]{0,20}$/)),
    value: fc.oneof(
      anyText({ maxLength: 1_100 }),
      fc.ipV4(),
      fc.ipV6(),
      fc.domain(),
      fc.stringMatching(/^[0-9a-f:.]{0,40}$/),
      fc.stringMatching(/^\d{1,4} [a-z0-9]{1,9} [a-z.;="]{0,20}$/),
    ),
  });

  test("any fields get an answer, and accepted fields are accepted again unchanged", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const { name, value } = parseDnsRecord(fields, zone);
        if (value.ok) expect(parseDnsRecord({ ...fields, value: value.value }, zone).value).toEqual(value);
        if (!name.ok) return;
        expect(parseRecordName(name.value, zone)).toEqual(name);
        expect(name.value).toMatch(/^(?:@|[a-z0-9_.*-]{1,241})$/);
      }),
    );
  });

  test("an IPv4 address is no IPv6 address, and the reverse", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), (v4, v6) => {
        expect(
          [parse({ type: "A", value: v4 }), parse({ type: "AAAA", value: v6 })].every(
            ({ value }) => value.ok,
          ),
        ).toBe(true);
        expect(
          [parse({ type: "AAAA", value: v4 }), parse({ type: "A", value: v6 })].some(({ value }) => value.ok),
        ).toBe(false);
      }),
    );
  });
});

it("a new zone has the apex and www, type A, for an hour, at the parking address", () => {
  expect(defaultZoneRecords("192.0.2.1")).toEqual([
    { type: "A", name: "@", value: "192.0.2.1", ttlSeconds: 3_600 },
    { type: "A", name: "www", value: "192.0.2.1", ttlSeconds: 3_600 },
  ]);
});
