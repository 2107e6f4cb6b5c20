import { z } from "zod";

import { domainName, euroAmount, shownText, yearsText } from "./values.schema.ts";

export const searchDomainQuery = z.object({ domain: domainName, years: yearsText.optional() });

const currency = z.literal("EUR");

/** Net prices of an extension in euros, per year. */
export const prices = z.object({
  registration_price: euroAmount.meta({ examples: [10] }),
  renewal_price: euroAmount.meta({ examples: [12] }),
  transfer_price: euroAmount.meta({ examples: [10] }),
  /** Price to restore a name after its days of grace, including a year; null if not offered. */
  restore_price: euroAmount.nullable().meta({ examples: [80] }),
});

/** Price of a registration for an account over the term, in euros. */
export const quote = z.object({
  years: z.int(),
  net: euroAmount.meta({ examples: [10] }),
  vat: euroAmount.meta({ examples: [1.9] }),
  gross: euroAmount,
});

/** Answer of `GET /domains/search`. */
export const domainOffer = z.object({
  status: z.literal(true),
  domain: shownText("example.com"),
  available: z.boolean(),
  tld: shownText("com"),
  currency,
  pricing: prices,
  quote,
});

export const priceList = z.array(
  z
    .object({
      tld: shownText("com"),
      description: shownText("Commercial"),
      currency,
      ...prices.shape,
      searchable: z.boolean(),
    })
    .meta({ id: "ExtensionPrice", description: "An extension on sale, with its net prices of a year." }),
);
