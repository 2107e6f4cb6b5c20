import { rejectionError, requestContextOf } from "@hostledger/rpc";
import { describe, expect, it, vi } from "vitest";

import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";

const signature = "t=1,v1=abc";

/** Thousands of requests take a while on a busy machine. */
const upToOneMinute = { timeout: 60_000 };

async function post(url: string, body: BodyInit, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(new URL("/payments/stripe", url), {
    method: "POST",
    headers: { "Stripe-Signature": signature, ...headers },
    body,
  });
  return { status: answer.status, body: await answer.json() };
}

describe("the endpoint for Stripe's webhooks", () => {
  it("passes the body on, octet by octet, with its signature, in the gateway's own name", async () => {
    const received: unknown[] = [];
    const { origin: url } = await gatewayUnderTest({
      paymentNotices: {
        receivePaymentNotice({ provider, body, signature: signed }, context) {
          received.push([
            provider,
            Buffer.from(body).toString("utf8"),
            signed,
            requestContextOf(context).actor,
          ]);
          return {};
        },
      },
    });
    const body = '{ "id" :"evt_1",\n"name":"Zoë" }';
    expect(await post(url, body, { "Content-Type": "application/json; charset=utf-8" })).toEqual({
      status: 200,
      body: { status: true },
    });
    expect(received).toEqual([["stripe", body, signature, expect.stringContaining("gateway")]]);
  });

  it("answers 200 with the reason to a webhook from which nothing follows", async () => {
    const ignoredBecause = "The event is about no payment.";
    const { origin: url } = await gatewayUnderTest({
      paymentNotices: { receivePaymentNotice: () => ({ ignoredBecause }) },
    });
    expect(await post(url, "{}")).toEqual({
      status: 200,
      body: { status: true, ignored_because: ignoredBecause },
    });
  });

  it("accepts 1 MiB, and refuses more before it is read", async () => {
    let calls = 0;
    const { origin: url } = await gatewayUnderTest({
      paymentNotices: {
        receivePaymentNotice() {
          calls += 1;
          return {};
        },
      },
    });
    expect(await post(url, new Uint8Array(1024 * 1024))).toMatchObject({ status: 200 });
    expect(await post(url, new Uint8Array(1024 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { code: "payload_too_large", error: expect.stringContaining("1 MiB") },
    });
    expect(calls).toBe(1);
  });

  it.each([
    ["no signature", { "Stripe-Signature": "" }, 200],
    ["a compressed body", { "Content-Encoding": "gzip" }, 415],
    ["a long signature", { "Stripe-Signature": "v".repeat(5_000) }, 400],
  ])("with %s", async (_what, headers, status) => {
    const { origin: url } = await gatewayUnderTest({ paymentNotices: { receivePaymentNotice: () => ({}) } });
    expect(await post(url, "{}", headers)).toMatchObject({ status });
  });

  it("is refused without the header, and by other methods", async () => {
    const { origin: url } = await gatewayUnderTest();
    const place = new URL("/payments/stripe", url);
    expect((await fetch(place, { method: "POST", body: "{}" })).status).toBe(400);
    expect((await fetch(place)).status).toBe(405);
  });

  it("has a limit of its own for each address, ten times that of an API key, and answers 429 before reading", async () => {
    let calls = 0;
    const { origin: url } = await gatewayUnderTest({
      requestsPerMinute: 2,
      trustedProxies: ["127.0.0.1"],
      paymentNotices: {
        receivePaymentNotice() {
          calls += 1;
          return {};
        },
      },
    });
    const from = (address: string) => post(url, "{}", { "X-Forwarded-For": address });
    for (let sent = 0; sent < 20; sent += 1) expect(await from("192.0.2.1")).toMatchObject({ status: 200 });
    const refused = await fetch(new URL("/payments/stripe", url), {
      method: "POST",
      headers: { "Stripe-Signature": signature, "X-Forwarded-For": "192.0.2.1" },
      body: new Uint8Array(1024 * 1024),
    });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      code: "rate_limited",
      error: expect.stringContaining("20 webhooks"),
    });
    expect(await from("192.0.2.2")).toMatchObject({ status: 200 });
    expect(calls).toBe(21);
  });

  it("accepts 16 webhooks of one address at a time, queues others, and refuses the rest with 503", async () => {
    let [inHand, most] = [0, 0];
    const gate = Promise.withResolvers<undefined>();
    const { origin: url } = await gatewayUnderTest({
      requestsPerMinute: 0,
      trustedProxies: ["127.0.0.1"],
      requestTimeoutMs: 60_000,
      paymentNotices: {
        async receivePaymentNotice({ signature: from }) {
          if (from === "other") return {};
          inHand += 1;
          most = Math.max(most, inHand);
          await gate.promise;
          inHand -= 1;
          return {};
        },
      },
    });
    const from = (address: string, signed = signature) =>
      post(url, "{}", { "X-Forwarded-For": address, "Stripe-Signature": signed });
    const sent = Array.from({ length: 2_016 }, () => from("192.0.2.1"));
    await vi.waitFor(() => {
      expect(inHand).toBe(16);
    }, upToOneMinute);
    // A place of another address is free, although thousands wait.
    expect(await from("192.0.2.2", "other")).toMatchObject({ status: 200 });
    const more = Promise.all(Array.from({ length: 300 }, () => from("192.0.2.1")));
    await vi.waitFor(async () => {
      const refused = await from("192.0.2.1");
      expect(refused).toMatchObject({ status: 503, body: { code: "overloaded" } });
    }, upToOneMinute);
    gate.resolve(undefined);
    const answers = [...(await Promise.all(sent)), ...(await more)];
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2_016);
    expect(most).toBe(16);
  }, 120_000);

  it.each([
    ["malformed-request", 400],
    ["not-found", 404],
    ["temporarily-unavailable", 503],
  ] as const)("answers %s with %i, so that Stripe shows or repeats it", async (code, status) => {
    const { origin: url } = await gatewayUnderTest({
      paymentNotices: {
        receivePaymentNotice() {
          throw rejectionError({ code, message: "Because." });
        },
      },
    });
    expect(await post(url, "{}")).toMatchObject({ status, body: { status: false } });
  });
});
