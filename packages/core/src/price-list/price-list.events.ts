import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, instant, line } from "../kernel/fields.ts";
import { longestLifeCycleDays } from "../pricing/extension-life-cycle.ts";

export const registrarName = line(100);

const days = z.int().min(0).max(longestLifeCycleDays);

const priceSetV1 = {
  tld: z.string().regex(/^[a-z]{2,63}$/),
  registrationCents: cents,
  renewalCents: cents,
  transferCents: cents,
  /** False if the extension is no longer sold. */
  active: flag,
  setAt: instant,
};

const priceSetV2 = {
  ...priceSetV1,
  /** The registrar for orders of the extension; null for the configured default. */
  registrar: registrarName.nullable(),
};

/** Events of an extension's prices (stream `pricelist-<tld>`). */
export const priceListEvents = defineEvents({
  PriceSet: event(
    "Staff set the net prices of an extension in cents (EUR): registration per year, renewal per year, and one transfer.",
    priceSetV2,
    { was: [shape(priceSetV1), (data) => ({ ...data, registrar: null })] },
  ),
  PriceAnnounced: event(
    "Staff announced new prices of an extension and the time from which they apply. An earlier announcement that does not apply yet is withdrawn, as it is by PriceSet.",
    { ...priceSetV2, validFrom: instant },
  ),
  ExtensionLifeCycleSet: event(
    "Staff set the days of each stage of an expired name of an extension, and the price of a restoration.",
    {
      tld: z.string().regex(/^[a-z]{2,63}$/),
      graceDays: days,
      redemptionDays: days,
      pendingDeleteDays: days,
      /** Net price of a restoration in cents (EUR); null if restorations are not sold. */
      restoreCents: cents.nullable(),
      setAt: instant,
    },
  ),
});

export type PriceListEvent = EventOf<typeof priceListEvents>;
export type PriceSet = EventOf<typeof priceListEvents, "PriceSet">;

export type PriceAnnounced = EventOf<typeof priceListEvents, "PriceAnnounced">;

export type ExtensionLifeCycleSet = EventOf<typeof priceListEvents, "ExtensionLifeCycleSet">;

export const priceListCodec = eventCodec(priceListEvents);
