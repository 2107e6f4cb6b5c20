import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, instant, line } from "../kernel/fields.ts";
import { longestLifeCycleDays } from "../pricing/extension-life-cycle.ts";

/** How registrars are called in the configuration, and so in facts. */
export const registrarName = line(100);

const days = z.int().min(0).max(longestLifeCycleDays);

const priceSetV1 = {
  tld: z.string().regex(/^[a-z]{2,63}$/),
  registrationCents: cents,
  renewalCents: cents,
  transferCents: cents,
  /** False: no longer sold. */
  active: flag,
  setAt: instant,
};

const priceSetV2 = {
  ...priceSetV1,
  /** The registrar that gets orders of the extension; null: the one that is configured for all. */
  registrar: registrarName.nullable(),
};

/** What happens to one extension's prices (stream `pricelist-<tld>`). */
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
      /** Net price of a restoration in cents (EUR); null: none is sold. */
      restoreCents: cents.nullable(),
      setAt: instant,
    },
  ),
});

/** Everything that happens to one extension's prices. */
export type PriceListEvent = EventOf<typeof priceListEvents>;
/** The net prices of an extension were set, in cents (EUR): a year's registration, a year's renewal, one transfer. */
export type PriceSet = EventOf<typeof priceListEvents, "PriceSet">;

/** Other prices of an extension were announced, in force from an instant on. */
export type PriceAnnounced = EventOf<typeof priceListEvents, "PriceAnnounced">;

/** What becomes of names of an extension that nobody renews was set. */
export type ExtensionLifeCycleSet = EventOf<typeof priceListEvents, "ExtensionLifeCycleSet">;

/** Reads and names a price list's events. */
export const priceListCodec = eventCodec(priceListEvents);
