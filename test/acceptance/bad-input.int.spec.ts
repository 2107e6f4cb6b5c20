import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { positionOfLog } from "../support/log-position.ts";
import { anyText, objectOf } from "../support/matchers.ts";
import { openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** Whatever is wrong with a request: a clear 4xx that names the field, and nothing is written. */

let instance: Instance;
let client: Customer;

beforeAll(async () => {
  instance = await startInstance();
  await sell(instance.staff, "com");
  client = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 100_000n });
});

afterAll(() => instance.close());

const label = (length: number): string => "a".repeat(length);
const host = (index: number): string => `ns${String(index)}.example.org`;
const hosts = (count: number): string[] => Array.from({ length: count }, (_, index) => host(index + 1));

describe("a field that breaks its rule: the service answers 422, names the field and writes nothing", () => {
  it.each<[string, object, string]>([
    ["no domain", {}, "domain"],
    ["a domain that is a number", { domain: 7 }, "domain"],
    ["a domain of 2 characters", { domain: "a." }, "domain"],
    ["a domain of 254 characters", { domain: `${label(250)}.com` }, "domain"],
    ["a label of 64 characters", { domain: `${label(64)}.com` }, "domain"],
    ["a subdomain", { domain: "www.example.com" }, "domain"],
    ["no extension", { domain: "example" }, "domain"],
    ["a leading hyphen", { domain: "-example.com" }, "domain"],
    ["a trailing hyphen", { domain: "example-.com" }, "domain"],
    ["an underscore", { domain: "exa_mple.com" }, "domain"],
    ["a space", { domain: "exa mple.com" }, "domain"],
    ["a NUL", { domain: "exa\u0000mple.com" }, "domain"],
    ["a lone surrogate", { domain: "exa\ud800mple.com" }, "domain"],
    ["a numeric extension", { domain: "example.c0m" }, "domain"],
    ["a trailing dot", { domain: "example.com." }, "domain"],
    ["hyphens as third and fourth character", { domain: "ab--cd.com" }, "domain"],
    ["an xn-- label that encodes nothing", { domain: "xn--zzzzzz.com" }, "domain"],
    ["an xn-- label of an emoji", { domain: "xn--ls8h.com" }, "domain"],
    ["years 0", { domain: "years.com", years: 0 }, "years"],
    ["years 11", { domain: "years.com", years: 11 }, "years"],
    ["years 1.5", { domain: "years.com", years: 1.5 }, "years"],
    ["years as text", { domain: "years.com", years: "1" }, "years"],
    ["auto_renew as text", { domain: "renew.com", auto_renew: "true" }, "auto_renew"],
    ["one nameserver", { domain: "ns.com", nameservers: hosts(1) }, "nameservers"],
    ["seven nameservers", { domain: "ns.com", nameservers: hosts(7) }, "nameservers"],
    ["no nameserver in the list", { domain: "ns.com", nameservers: [] }, "nameservers"],
    [
      "a nameserver that is no host name",
      { domain: "ns.com", nameservers: [host(1), "not a host"] },
      "nameservers",
    ],
    [
      "a nameserver that is an address",
      { domain: "ns.com", nameservers: [host(1), "192.0.2.1"] },
      "nameservers",
    ],
    [
      "a nameserver twice",
      { domain: "ns.com", nameservers: [host(1), host(1).toUpperCase()] },
      "nameservers",
    ],
    ["nameservers as text", { domain: "ns.com", nameservers: host(1) }, "nameservers"],
  ])("%s", async (_case, body, field) => {
    const before = await positionOfLog(instance);
    const answer = await client.post("/domains", body);
    expect(answer).toMatchObject({
      status: 422,
      body: { status: false, code: "validation_failed", error: anyText },
    });
    const errors = Object.keys(objectOf(objectOf(answer.body).errors));
    expect(errors.some((name) => name.startsWith(field))).toBe(true);
    expect(await positionOfLog(instance)).toBe(before);
  });

  it("accepts values just within the limits", async () => {
    expect(
      await client.post("/domains", { domain: `${label(63)}.com`, years: 10, nameservers: hosts(6) }),
    ).toMatchObject({ status: 201 });
    expect(await client.post("/domains", { domain: "a.com", years: 1, nameservers: hosts(2) })).toMatchObject(
      { status: 201 },
    );
  });
});

describe("a body that does not match its headers", () => {
  const json = { "content-type": "application/json" };

  it.each<[string, RequestInit, number]>([
    ["not JSON", { body: "{", headers: json }, 400],
    ["empty", { body: "", headers: json }, 422],
    ["an array", { body: "[]", headers: json }, 422],
    ["a text", { body: '"x"', headers: json }, 422],
    ["null", { body: "null", headers: json }, 422],
    ["broken UTF-8", { body: Buffer.from([0x7b, 0xff, 0x7d]), headers: json }, 400],
    ["64 KiB and one byte", { body: padded(64 * 1024 + 1), headers: json }, 413],
    [
      "a form",
      { body: "domain=example.com", headers: { "content-type": "application/x-www-form-urlencoded" } },
      415,
    ],
    ["no content type", { body: Buffer.from('{"domain":"example.com"}') }, 415],
  ])("%s", async (_case, init, status) => {
    const before = await positionOfLog(instance);
    const answer = await client.send("/domains", { method: "POST", ...init });
    expect(answer).toMatchObject({
      status,
      body: { status: false, error: anyText, code: anyText },
    });
    expect(await positionOfLog(instance)).toBe(before);
  });

  it("accepts exactly 64 KiB", async () => {
    const answer = await client.send("/domains", { method: "POST", headers: json, body: padded(64 * 1024) });
    expect(answer.status).toBe(201);
  });

  it("ignores unknown fields, also __proto__ and constructor, and never stores them", async () => {
    const body =
      '{"domain":"proto.com","__proto__":{"years":9},"constructor":{"prototype":{"years":9}},"unknown":"needle-in-the-log"}';
    const answer = await client.send("/domains", { method: "POST", headers: json, body });
    expect(answer).toMatchObject({ status: 201, body: { years: 1 } });
    expect(JSON.stringify(answer.body)).not.toContain("needle");
    expect(Reflect.get({}, "years")).toBeUndefined();
  });

  function padded(bytes: number): string {
    const frame = '{"domain":"padded.com","filler":""}';
    return frame.replace('""', `"${"x".repeat(bytes - frame.length)}"`);
  }
});

describe("the conventions of every answer", () => {
  it("has X-Request-Id: the caller's trace id, or a new one", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traced = await client.send("/domains", {
      headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
    });
    expect(traced.headers.get("x-request-id")).toBe(trace);
    expect((await client.get("/nowhere")).headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
  });

  it("answers 404 for an unknown path, and 405 with Allow for a wrong method", async () => {
    expect(await client.get("/nowhere")).toMatchObject({
      status: 404,
      body: { status: false, code: "not_found" },
    });
    const answer = await client.send("/domains", { method: "PATCH" });
    expect(answer).toMatchObject({ status: 405, body: { status: false, code: "method_not_allowed" } });
    expect(answer.headers.get("allow")).toMatch(/GET.*POST/);
  });

  it("answers /healthz and /readyz without a key", async () => {
    const root = instance.baseUrl.replace(/\/api\/v1$/, "");
    expect((await fetch(`${root}/healthz`)).status).toBe(200);
    expect((await fetch(`${root}/readyz`)).status).toBe(200);
  });
});
