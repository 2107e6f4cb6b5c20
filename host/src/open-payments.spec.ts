import { createMetrics, systemClock } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { readConfiguration } from "./configuration/index.ts";
import { openPayments } from "./open-payments.ts";
import { createProviderBreakers } from "./provider-breakers.ts";

const keys = {
  HOSTLEDGER_STRIPE_SECRET_KEY: "sk_test_abcdefghijklmnop",
  HOSTLEDGER_STRIPE_WEBHOOK_SECRET: "whsec_abcdefghijklmnop",
  HOSTLEDGER_PAYMENT_ORIGINS: "https://hosting.example",
};

/** Opens the payment providers of an instance without simulated ones. */
function open(environment: Readonly<Record<string, string>>) {
  const clock = systemClock();
  const breakers = createProviderBreakers(createMetrics({ process: false }), clock);
  const opened = openPayments(readConfiguration(environment), { clock, breakers }, () => {
    throw new Error("the simulated providers are opened");
  });
  return (
    opened && {
      provider: opened.provider?.name,
      formerProvider: opened.formerProvider?.name,
      readsWebhooks: opened.notices !== undefined,
    }
  );
}

describe("payment providers", () => {
  it("are none without settings", () => {
    expect(open({})).toBeUndefined();
    expect(open({ HOSTLEDGER_PAYMENTS: "none" })).toBeUndefined();
  });

  it("are Stripe where it takes payments", () => {
    expect(open({ ...keys, HOSTLEDGER_PAYMENTS: "stripe" })).toEqual({
      provider: "stripe",
      formerProvider: undefined,
      readsWebhooks: true,
    });
  });

  it("are Stripe for older payments alone, with its webhooks, where nobody takes payments and its keys are kept", () => {
    expect(open(keys)).toEqual({ provider: undefined, formerProvider: "stripe", readsWebhooks: true });
    const { HOSTLEDGER_STRIPE_WEBHOOK_SECRET: _, ...withoutWebhooks } = keys;
    expect(open(withoutWebhooks)).toMatchObject({ formerProvider: "stripe", readsWebhooks: false });
  });

  it("are refused where Stripe takes payments without a key or a site", () => {
    expect(() => open({ HOSTLEDGER_PAYMENTS: "stripe" })).toThrow(/HOSTLEDGER_STRIPE_SECRET_KEY/);
    const { HOSTLEDGER_PAYMENT_ORIGINS: _, ...withoutOrigins } = keys;
    expect(() => open({ ...withoutOrigins, HOSTLEDGER_PAYMENTS: "stripe" })).toThrow(
      /HOSTLEDGER_PAYMENT_ORIGINS/,
    );
  });
});
