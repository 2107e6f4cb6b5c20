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
    "The net prices of an extension were set, in cents (EUR): a year's registration, a year's renewal, one transfer.",
    priceSetV2,
    { was: [shape(priceSetV1), (data) => ({ ...data, registrar: null })] },
  ),
  PriceAnnounced: event(
    "Other prices of an extension were announced, in force from an instant on; what was announced before and is not in force yet is withdrawn, as by prices that are set at once.",
    { ...priceSetV2, validFrom: instant },
  ),
  ExtensionLifeCycleSet: event(
    "What becomes of names of an extension that nobody renews was set: for how many days each, and what a restoration costs.",
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
