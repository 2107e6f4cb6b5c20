import { z } from "zod";

import { domainName, euroAmount, shownText, yearsText } from "./values.schema.ts";

/** Query of `GET /domains/search`. */
export const searchDomainQuery = z.object({ domain: domainName, years: yearsText.optional() });

const currency = z.literal("EUR");

/** What an extension costs, net, for a year. */
export const prices = z.object({
  registration_price: euroAmount.meta({ examples: [10] }),
  renewal_price: euroAmount.meta({ examples: [12] }),
  transfer_price: euroAmount.meta({ examples: [10] }),
  /** To have a name back after its days of grace, a year included; null where that is not sold. */
  restore_price: euroAmount.nullable().meta({ examples: [80] }),
});

/** What a registration of so many years would cost an account. */
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

/** Answer of `GET /domains/pricing`. */
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
