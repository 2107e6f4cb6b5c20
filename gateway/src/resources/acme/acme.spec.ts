import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import { keyOfSeven } from "../../testing/fake-services.ts";
import { gatewayUnderTest, read, type GatewayUnderTestOptions } from "../../testing/gateway-under-test.ts";
import { refusing } from "../../testing/recording.ts";

const basic = (key: string, user = "anybody"): string =>
  `Basic ${Buffer.from(`${user}:${key}`).toString("base64")}`;

const value = { fqdn: "_acme-challenge.example.com.", value: "proof" };

async function acme(options: GatewayUnderTestOptions = {}) {
  const asked: unknown[] = [];
  const note =
    (step: string) =>
    ({ fqdn, value: text }: { readonly fqdn: string; readonly value: string }) => {
      asked.push([step, fqdn, text]);
      return {};
    };
  const gateway = await gatewayUnderTest({
    ...options,
    domain: { addTxtValue: note("add"), removeTxtValue: note("remove"), ...options.domain },
  });
  const post = async (step: string, body: unknown, authorization = basic(keyOfSeven)) =>
    read(
      await fetch(`${gateway.origin}/acme/${step}`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
  return { gateway, asked, post };
}

it("has a value come under a name, and go, for a key that is a password", async () => {
  const { asked, post } = await acme();
  for (const answer of [await post("present", value), await post("cleanup", value, basic(keyOfSeven, ""))]) {
    expect(answer).toMatchObject({ status: 200, json: { status: true, ...value } });
    // acme.sh's `dns_acmeproxy` searches the answer for the quoted value.
    expect(answer.text).toContain(`"${value.value}"`);
  }
  expect(asked).toEqual([
    ["add", value.fqdn, value.value],
    ["remove", value.fqdn, value.value],
  ]);
});

it("derives name and value from the CA's input, in the mode RAW (RFC 8555 §8.4)", async () => {
  const { asked, post } = await acme();
  await post("present", { domain: "example.com", token: "token", keyAuth: "token.thumb" });
  await post("present", { domain: "*.example.com", token: "token", keyAuth: "token.thumb" });
  const proof = createHash("sha256").update("token.thumb").digest("base64url");
  expect(asked).toEqual(Array(2).fill(["add", "_acme-challenge.example.com", proof]));
});

it("refuses with 400 a request of neither mode", async () => {
  const { asked, post } = await acme();
  const bodies = [
    {},
    { fqdn: "example.com" },
    { fqdn: 1, value: "x" },
    { ...value, value: "x".repeat(1_001) },
    { ...value, fqdn: "x".repeat(256) },
    { domain: "example.com", token: "t" },
    "{",
  ];
  for (const body of bodies)
    expect(await post("present", body)).toMatchObject({ status: 400, json: { code: "malformed_request" } });
  expect(asked).toEqual([]);
});

it.each(["", keyOfSeven, "Basic", "Basic !", basic(""), basic("wrong"), `Bearer ${keyOfSeven}`])(
  "requires name and password if it gets %j",
  async (authorization) => {
    const { asked, post } = await acme();
    const answer = await post("present", value, authorization);
    expect(answer).toMatchObject({ status: 401, json: { code: "unauthenticated" } });
    expect(answer.headers.get("www-authenticate")).toBe('Basic realm="hostledger"');
    expect(asked).toEqual([]);
  },
);

it.each([
  [["read"], 403],
  [["domains", "servers"], 403],
  [["dns:txt"], 200],
  [["dns"], 200],
  [[], 200],
] as const)("answers a key with the scopes %j with %d", async (scopes, status) => {
  const { post } = await acme({
    account: { resolveApiKey: () => ({ accountId: 7n, keyId: 1n, scopes: [...scopes] }) },
  });
  expect(await post("cleanup", value)).toMatchObject({ status });
});

it.each([
  ["not-found", 404],
  ["validation-failed", 400],
  ["custom-nameservers", 409],
  ["dns-unavailable", 502],
  ["quota-exceeded", 429],
] as const)("answers %s with %d", async (code, status) => {
  const { post } = await acme({ domain: { addTxtValue: refusing(code) } });
  expect(await post("present", value)).toMatchObject({ status });
});

it("answers no other method, and counts with the key's other requests", async () => {
  const { gateway, post } = await acme({ requestsPerMinute: 1 });
  const got = await fetch(`${gateway.origin}/acme/present`);
  expect(got).toMatchObject({ status: 405 });
  expect(got.headers.get("allow")).toBe("OPTIONS, POST");
  expect(await gateway.request("/domains")).toMatchObject({ status: 200 });
  expect(await post("present", value)).toMatchObject({ status: 429 });
});
