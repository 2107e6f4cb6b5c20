import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, instant } from "../kernel/fields.ts";

/** What happens to one extension's prices (stream `pricelist-<tld>`). */
export const priceListEvents = defineEvents({
  PriceSet: event(
    "The net prices of an extension were set, in cents (EUR): a year's registration, a year's renewal, one transfer.",
    {
      tld: z.string().regex(/^[a-z]{2,63}$/),
      registrationCents: cents,
      renewalCents: cents,
      transferCents: cents,
      /** False: no longer sold. */
      active: flag,
      setAt: instant,
    },
  ),
});

/** Everything that happens to one extension's prices. */
export type PriceListEvent = EventOf<typeof priceListEvents>;
/** The net prices of an extension were set, in cents (EUR): a year's registration, a year's renewal, one transfer. */
export type PriceSet = EventOf<typeof priceListEvents, "PriceSet">;

/** Reads and names a price list's events. */
export const priceListCodec = eventCodec(priceListEvents);
