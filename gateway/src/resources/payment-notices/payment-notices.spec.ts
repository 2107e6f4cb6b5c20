import { rejectionError, requestContextOf } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";

const signature = "t=1,v1=abc";

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

  it("takes 1 MiB, and refuses more before anybody reads it", async () => {
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
