import { describe, expect, it } from "vitest";

import { domainName, nameservers, resourceId, years, yearsText } from "./values.schema.ts";

const label63 = "a".repeat(63);

describe("domainName", () => {
  it.each(["a.de", "example.com", "EXAMPLE.Com", "a-b--c.org", "1.io", `${label63}.com`])(
    "accepts %s unchanged",
    (name) => {
      expect(domainName.parse(name)).toBe(name);
    },
  );

  it.each([
    "",
    "a.",
    ".de",
    "a.b",
    "example",
    "www.example.com",
    "example.co.uk",
    "-example.com",
    "example-.com",
    "exa_mple.com",
    "exämple.com",
    "example.c0m",
    "example.com.",
    "example.com\n",
    " example.com",
    "exam ple.com",
    "nul\u0000.com",
    "lone\ud800.com",
    `${label63}a.com`,
    `a.${label63}a`,
    `${"a".repeat(250)}.com`,
  ])("refuses %j", (name) => {
    expect(domainName.safeParse(name).success).toBe(false);
  });

  it.each([[undefined], [null], [5], [true], [["example.com"]], [{}]])(
    "refuses %j, which is no string",
    (value) => {
      expect(domainName.safeParse(value).success).toBe(false);
    },
  );
});

describe("years", () => {
  it.each([1, 10])("accepts %d", (value) => {
    expect(years.parse(value)).toBe(value);
    expect(yearsText.parse(String(value))).toBe(value);
  });

  it.each([[0], [11], [-1], [1.5], ["1"], [null], [true], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    "refuses %j in a body",
    (value) => {
      expect(years.safeParse(value).success).toBe(false);
    },
  );

  it.each(["", "0", "11", "1.0", "01", "1e0", "+1", " 1", "١"])("refuses %j in a query", (value) => {
    expect(yearsText.safeParse(value).success).toBe(false);
  });
});

describe("nameservers", () => {
  const names = (count: number): string[] =>
    Array.from({ length: count }, (_, at) => `ns${String(at)}.example.net`);

  it.each([
    [names(2)],
    [names(6)],
    [["A.example.net", "b-1.Example.NET"]],
    [["1.2.3.4.example", "4.example.net"]],
  ])("accepts %j unchanged", (value) => {
    expect(nameservers.parse(value)).toEqual(value);
  });

  it.each([
    ["none", []],
    ["one", names(1)],
    ["seven", names(7)],
    ["one twice", ["ns1.example.net", "NS1.example.net"]],
    ["a single label", ["ns1.example.net", "localhost"]],
    ["an IPv4 address", ["ns1.example.net", "192.0.2.1"]],
    ["an IPv6 address", ["ns1.example.net", "2001:db8::1"]],
    ["an underscore", ["ns1.example.net", "ns_2.example.net"]],
    ["an empty label", ["ns1.example.net", "ns2..net"]],
    ["two trailing dots", ["ns1.example.net", "ns2.example.net.."]],
    ["a label of 64", ["ns1.example.net", `${label63}a.net`]],
    ["a name of 254", ["ns1.example.net", `${`${label63}.`.repeat(3)}${"a".repeat(58)}.net`]],
    ["a number", ["ns1.example.net", 5]],
    ["text", "ns1.example.net"],
    ["null", null],
  ])("refuses %s", (_, value) => {
    expect(nameservers.safeParse(value).success).toBe(false);
  });
});

describe("resourceId", () => {
  it.each(["1", "42", "9007199254740991"])("accepts %s", (text) => {
    expect(resourceId.parse(text)).toBe(BigInt(text));
  });

  it.each([
    "",
    "0",
    "-1",
    "+1",
    "01",
    "1.0",
    "1e3",
    "0x1",
    "abc",
    "9007199254740992",
    "99999999999999999999",
    " 1",
    "１",
  ])("refuses %j", (text) => {
    expect(resourceId.safeParse(text).success).toBe(false);
  });
});
