import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openAccountService } from "../account-service.fixture.ts";
import { openStripeShop, type StripeShop } from "../stripe-shop.fixture.ts";

let shop: StripeShop;
beforeEach(async () => {
  shop = await openStripeShop({ isTimeTrusted: () => true });
});
afterEach(() => shop.close());

const march = { from: "2026-03-01T00:00:00Z", to: "2026-04-01T00:00:00Z" };
const refusalOf = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => ConnectError.from(reason),
  );
  return [error?.code, error?.rawMessage];
};

describe("the movements at the payment provider", () => {
  it("are listed to staff until now, and name what other installations ordered", async () => {
    const { orderId } = await shop.payer();
    const { account } = shop.stripe;
    account.pay(orderId);
    account.chargeElsewhere(900, "payment-zzzzzz-1");
    shop.clock.advance(60_000);
    const answer = await shop.service.bank().listProviderMovements(march);
    expect(answer).toMatchObject({
      provider: "stripe",
      from: "2026-03-01T00:00:00.000000Z",
      to: "2026-03-01T10:01:00.000000Z",
      next: "",
      movements: [
        { kind: "settlement", orderId: "payment-zzzzzz-1", amountCents: 900n, isForeign: true },
        {
          kind: "settlement",
          orderId,
          refundId: "",
          providerReference: account.chargeOf(orderId).id,
          amountCents: 5_000n,
          feeCents: 100n,
          currency: "EUR",
          valueDate: "2026-03-04",
          at: "2026-03-01T10:00:00.000000Z",
          isForeign: false,
        },
      ],
    });
  });

  it("come by page", async () => {
    for (let made = 0; made < 101; made += 1) shop.stripe.account.chargeElsewhere(900);
    shop.clock.advance(60_000);
    const bank = shop.service.bank();
    const first = await bank.listProviderMovements(march);
    expect([first.movements.length, first.next]).toEqual([100, first.movements.at(-1)?.id]);
    const { from, to, next: after, provider } = first;
    const second = await bank.listProviderMovements({ provider, from, to, after });
    expect([second.movements.length, second.next]).toEqual([1, ""]);
  });

  it.each([
    ["an end before the start", { from: march.to, to: march.from }, "to must be later than the start"],
    ["more than 400 days", { from: "2025-01-01T00:00:00Z", to: "2026-03-01T00:00:00Z" }, "400 days"],
    ["no time", { from: "March", to: march.to }, "from must be a time"],
    ["no end", { from: march.from }, "to must be a time"],
    ["a page that is none", { ...march, after: "a b" }, "after must be the name of a page"],
    ["a page that Stripe does not have", { ...march, after: "txn_nobody" }, "Stripe refuses"],
    ["another provider", { ...march, provider: "sandbox" }, "not configured"],
  ])("are refused for %s", async (_what, asked, sentence) => {
    const [code, message] = await refusalOf(shop.service.bank().listProviderMovements(asked));
    expect(code).toBe(Code.InvalidArgument);
    expect(message).toContain(sentence);
  });

  it.each(["no-answer", "cut-before", 500] as const)(
    "are unavailable after Stripe's fault %s",
    async (fault) => {
      shop.stripe.fail(/^GET \/v1\/balance_transactions$/, fault);
      const [code] = await refusalOf(shop.service.bank().listProviderMovements(march));
      expect(code).toBe(Code.Unavailable);
      expect((await shop.service.bank().listProviderMovements(march)).next).toBe("");
    },
  );

  it("are refused where no payment provider is configured", async () => {
    const service = await openAccountService();
    const [code, message] = await refusalOf(service.bank().listProviderMovements(march));
    expect([code, message]).toEqual([Code.InvalidArgument, expect.stringContaining("not configured")]);
    await service.close();
  });
});
