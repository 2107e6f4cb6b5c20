import { startStripeServer, type StripeServer } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startFleet, type Fleet } from "../support/fleet.ts";
import {
  eachIsCreditedOnce,
  openLatePayers,
  postUntilTaken,
  postWebhook,
  stripeEnvironment,
} from "../support/late-payers.ts";

/** Webhooks of Stripe come to gateways in processes of their own, which pass them on to the account service. */

let stripe: StripeServer;
let fleet: Fleet;
beforeAll(async () => {
  stripe = await startStripeServer({ nowMs: () => Date.now() });
  fleet = await startFleet({
    environment: { ...stripeEnvironment(stripe), HOSTLEDGER_PROVIDER_TIMEOUT_MS: "5000" },
  });
});
afterAll(async () => {
  await fleet.close();
  await stripe.close();
  expect(stripe.undocumented).toEqual([]);
});

describe("a webhook that comes to a gateway apart", () => {
  it("is credited once, whichever gateways get it and however often", async () => {
    const payers = await openLatePayers(fleet, stripe, 3);
    const answers = await Promise.all(
      payers.flatMap((payer) =>
        [...fleet.gateways, ...fleet.gateways].map(({ url }) => postWebhook(url, payer.webhook())),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await eachIsCreditedOnce(payers);
  });

  it("is refused with a wrong signature, an old one, and of a foreign account", async () => {
    const [{ url }] = fleet.gateways;
    const { body, signature } = stripe.event("charge.succeeded", { object: "charge" });
    for (const [what, event] of [
      ["wrong", { body: `${body} `, signature }],
      ["old", stripe.sign(body, Date.now() - 301_000)],
      ["foreign", stripe.event("charge.succeeded", { object: "charge" }, { account: "acct_2" })],
    ] as const)
      expect([what, (await postWebhook(url, event)).status]).toEqual([what, 400]);
  });

  it("is credited once if the gateway is killed between receiving and answering, and the webhook comes again", async () => {
    const [payer] = await openLatePayers(fleet, stripe, 1);
    if (payer === undefined) throw new Error("nobody pays");
    const [dying, other] = fleet.gateways;
    // The account service waits for Stripe while the gateway waits for the account service.
    stripe.fail(/^GET \/v1\/charges$/, "no-answer");
    const before = stripe.requests.length;
    const answer = postWebhook(dying.url, payer.webhook());
    await eventually(
      realTiming,
      () => {
        expect(stripe.requests.length).toBeGreaterThan(before);
        return Promise.resolve();
      },
      { limitMs: 10_000 },
    );
    await dying.kill();
    expect(await answer).toMatchObject({ status: 0 });
    await postUntilTaken(() => other.url, payer);
    await eachIsCreditedOnce([payer]);
    await dying.start();
    await dying.ready();
  });

  it("is credited once if the gateway is killed in the middle of many", async () => {
    const payers = await openLatePayers(fleet, stripe, 24);
    const [dying, other] = fleet.gateways;
    let answered = 0;
    let killed: Promise<void> | undefined;
    const first = await Promise.all(
      payers.map(async (payer) => {
        const { status } = await postWebhook(dying.url, payer.webhook());
        answered += 1;
        if (answered === 4) killed = dying.kill();
        return status;
      }),
    );
    await killed;
    expect(first.filter((status) => status === 0).length).toBeGreaterThan(0);
    await Promise.all(payers.map((payer, index) => postUntilTaken(() => other.url, payer, first[index])));
    await eachIsCreditedOnce(payers);
    await dying.start();
    await dying.ready();
  });
});
