import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { canonicalJson, fingerprintOf } from "./fingerprint.ts";

const of = (text: string, method = "post", path = "/domains", params: unknown = {}): string => {
  const body: unknown = JSON.parse(text);
  return fingerprintOf({ method, path, params, body });
};

describe("the fingerprint of a request", () => {
  it("is 64 hexadecimal digits", () => {
    expect(of("{}")).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1 }'],
    ['{"a":1}', '{"a":1.0}'],
    ['{"a":"ü"}', '{"a":"\\u00fc"}'],
    ['{"a":{"x":1,"y":2}}', '{"a":{"y":2,"x":1}}'],
  ])("is the same for %s and %s", (one, other) => {
    expect(of(one)).toBe(of(other));
  });

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":1}', '{"a":1,"b":null}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":[]}', '{"a":{}}'],
    ['{"a":["b","c"]}', '{"a":["b,c"]}'],
    ['{"__proto__":1}', "{}"],
    ['{"a":null}', "{}"],
  ])("is another for %s and %s", (one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  it("is another for another method, path or id", () => {
    const all = [
      of("{}"),
      of("{}", "put"),
      of("{}", "post", "/order"),
      of("{}", "post", "/domains", { domain: "1" }),
      of("{}", "post", "/domains", { domain: "2" }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("canonical JSON", () => {
  it("is JSON of the same value, for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const plain: unknown = JSON.parse(text);
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      }),
    );
  });

  it("does not depend on the order of members", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const turned = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(turned)).toBe(canonicalJson(object));
      }),
    );
  });

  it("is written of arrays as deep and as long as a body can hold", () => {
    const deep = `${"[".repeat(32_000)}${"]".repeat(32_000)}`;
    expect(canonicalJson(JSON.parse(deep))).toBe(deep);
    const long = `[${Array.from({ length: 32_000 }, () => "1").join(",")}]`;
    expect(canonicalJson(JSON.parse(long))).toBe(long);
  });
});
