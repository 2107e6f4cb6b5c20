import { manualClock, realTiming, type ManualClock } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  startStripeServer,
  type SignedEvent,
  type StripeServer,
} from "../../testing/stripe/stripe-server.ts";
import { StripeNotices } from "./stripe-notices.ts";
import { StripePayments } from "./stripe-payments.adapter.ts";

const minute = 60_000;
let clock: ManualClock;
let server: StripeServer;
let notices: StripeNotices;
beforeEach(async () => {
  clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  server = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
  const { url, secretKey, webhookSecret, account } = server;
  const access = { url, secretKey, clock, timeLimitMs: 300 };
  notices = new StripeNotices({ ...access, webhookSecret });
  const payments = new StripePayments({ ...access, homeUrl: "https://hosting.example/" });
  await payments.order({ orderId: "payment-a", method: "card", amountCents: 5_000n, returnUrl: "" });
  account.pay("payment-a");
  account.chargeBack("payment-a");
});
afterEach(async () => {
  await server.close();
  expect(server.undocumented).toEqual([]);
});

const read = ({ body, signature }: SignedEvent) => notices.read(Buffer.from(body), signature);
const paid = (more = {}) =>
  server.event("checkout.session.completed", server.account.objectOf("session", "payment-a"), more);

describe("a webhook of Stripe", () => {
  it.each([
    ["checkout.session.completed", "session"],
    ["charge.succeeded", "charge"],
    ["charge.dispute.created", "dispute"],
  ] as const)("%s names the order", async (type, kind) => {
    const event = server.event(type, server.account.objectOf(kind, "payment-a"));
    expect(await read(event)).toMatchObject({ outcome: "done", value: { orderId: "payment-a", type } });
  });

  it("is accepted for five minutes, and refused later", async () => {
    const event = paid();
    clock.advance(5 * minute);
    expect(await read(event)).toMatchObject({ outcome: "done" });
    clock.advance(1_000);
    expect(await read(event)).toMatchObject({
      outcome: "refused",
      message: "The signature is older than five minutes.",
    });
  });

  it.each([
    ["09:55:00", { outcome: "done" }],
    ["09:54:59", { outcome: "refused", message: "The signature is more than five minutes in the future." }],
  ])("signed at 10:00:00 is answered at %s", async (now, answer) => {
    const { url, secretKey, webhookSecret } = server;
    const behind = manualClock(`2026-03-01T${now}.000000Z`, realTiming);
    const early = new StripeNotices({ url, secretKey, webhookSecret, clock: behind, timeLimitMs: 300 });
    const { body, signature } = paid();
    expect(await early.read(Buffer.from(body), signature)).toMatchObject(answer);
  });

  it("is refused with a signature that is not Stripe's", async () => {
    const { body, signature } = paid();
    const wrong = "The signature is not that of the configured webhook secret.";
    for (const forged of [
      { body: `${body} `, signature },
      { body, signature: signature.replace(/v1=..../, "v1=0000") },
      { body, signature: signature.replace("v1=", "v0=") },
      { body, signature: "" },
      { body, signature: "t=1,v1=" },
    ])
      expect(await read(forged)).toMatchObject({ outcome: "refused", message: wrong });
  });

  it("is refused if it is no event, of another account, or of the other mode", async () => {
    const refused = async (event: SignedEvent) => {
      const answer = await read(event);
      return answer.outcome === "refused" ? answer.message : answer;
    };
    expect(await refused(server.sign("{"))).toBe("The body is not valid JSON.");
    for (const body of ["{}", "[]", "null", '"text"', '{"object":"event"}'])
      expect(await refused(server.sign(body))).toBe("The body is no event of Stripe.");
    expect(await refused(paid({ account: "acct_other" }))).toContain("another account");
    expect(await refused(paid({ livemode: true }))).toContain("other mode");
  });

  it("about no payment, or about a foreign one, names no order", async () => {
    const none = { outcome: "done", value: { orderId: "", why: expect.stringMatching(/./) } };
    expect(await read(server.event("balance.available", { object: "balance" }))).toMatchObject(none);
    expect(await read(server.event("charge.succeeded", { object: "charge", id: "ch_1" }))).toMatchObject(
      none,
    );
    const unknownCharge = { object: "dispute", id: "dp_1", charge: "ch_unknown" };
    expect(await read(server.event("charge.dispute.created", unknownCharge))).toMatchObject(none);
  });

  it("is unknown while Stripe does not return the order of a dispute", async () => {
    server.fail(/^GET \/v1\/charges\//, 500);
    const event = server.event("charge.dispute.created", server.account.objectOf("dispute", "payment-a"));
    expect(await read(event)).toMatchObject({ outcome: "unknown" });
    expect(await read(event)).toMatchObject({ outcome: "done", value: { orderId: "payment-a" } });
  });
});
