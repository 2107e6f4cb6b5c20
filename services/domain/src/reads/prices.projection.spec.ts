import { projectionSpec } from "@hostledger/read/testing";
import { describe, it, test } from "vitest";

import { examples, stored } from "./domain-subscription.fixture.ts";
import { prices } from "./prices.projection.ts";

const money = { registration_cents: 1_000, renewal_cents: 1_200, transfer_cents: 900 };
const com = { tld: "com", ...money, active: 1, registrar: null };

describe("prices", () => {
  const { PriceSet, PriceAnnounced, ExtensionLifeCycleSet, ...others } = examples;

  test("PriceSet", () => {
    projectionSpec(prices)
      .when(stored(PriceSet))
      .then({ prices: [com], extension_life_cycles: [] });
  });

  test("PriceAnnounced", () => {
    const announced = { ...com, registration_cents: 1_100, renewal_cents: 1_300 };
    const validFrom = PriceAnnounced.data.validFrom;
    projectionSpec(prices)
      .given(stored(PriceSet))
      .when(stored(PriceAnnounced))
      .then({ prices: [com], announced_prices: [{ ...announced, valid_from: validFrom }] });
    // Setting prices withdraws the announced prices.
    projectionSpec(prices)
      .given(stored(PriceSet), stored(PriceAnnounced))
      .when(stored(PriceSet))
      .then({ prices: [com], announced_prices: [] });
  });

  test("ExtensionLifeCycleSet", () => {
    projectionSpec(prices)
      .given(stored(PriceSet))
      .when(stored(ExtensionLifeCycleSet))
      .then({
        prices: [com],
        extension_life_cycles: [
          { tld: "com", grace_days: 45, redemption_days: 30, pending_delete_days: 5, restore_cents: 8_000 },
        ],
      });
  });

  test.each(Object.values(others))("$type", (event) => {
    projectionSpec(prices)
      .given(stored(PriceSet))
      .when(stored(event))
      .then({ prices: [com], extension_life_cycles: [] });
  });

  it("are those in force: one row for each extension, also for one that is no longer sold", () => {
    const { data } = PriceSet;
    projectionSpec(prices)
      .given(stored(PriceSet), {
        event: { type: "PriceSet", data: { ...data, tld: "de", transferCents: "0", registrar: "other" } },
        stream: "pricelist-de",
      })
      .when(stored({ type: "PriceSet", data: { ...data, registrationCents: "99999999999", active: false } }))
      .then({
        prices: [
          { ...com, registration_cents: 99_999_999_999, active: 0 },
          { ...com, tld: "de", transfer_cents: 0, registrar: "other" },
        ],
        extension_life_cycles: [],
      });
  });
});
