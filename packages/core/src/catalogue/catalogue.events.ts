import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, count, id, instant, text } from "../kernel/fields.ts";

/** What can be ordered, and how much of it there is. */

const units = z.int().min(0);
const key = { planId: id, regionId: id };

/** What happens to a plan that can be ordered (stream `plan-<id>`). */
export const planEvents = defineEvents({
  PlanAdded: event("A plan is on offer.", {
    planId: id,
    title: text,
    cores: count,
    memoryGb: count,
    storageGb: count,
    /** Gross price of a month in cents (EUR). */
    monthGrossCents: cents,
    addedAt: instant,
  }),
  PlanEdited: event("What is sold as a plan changed; servers keep what they were ordered with.", {
    planId: id,
    title: text,
    cores: count,
    memoryGb: count,
    storageGb: count,
    /** Gross price of a month in cents (EUR). */
    monthGrossCents: cents,
    editedAt: instant,
  }),
  PlanPriceAnnounced: event(
    "Another price of a plan was announced, in force from an instant on, unless the plan is edited before.",
    {
      planId: id,
      /** Gross price of a month in cents (EUR). */
      monthGrossCents: cents,
      validFrom: instant,
      announcedAt: instant,
    },
  ),
  PlanRetired: event("A plan is not sold any more; servers of it live and renew on.", {
    planId: id,
    /** Staff's words. */
    reason: text,
    retiredAt: instant,
  }),
});

/** Everything that happens to a plan. */
export type PlanEvent = EventOf<typeof planEvents>;

/** Reads and names a plan's events. */
export const planCodec = eventCodec(planEvents);

/** What happens to a region in which servers are placed (stream `region-<id>`). */
export const regionEvents = defineEvents({
  RegionAdded: event("Servers can be placed in a region.", {
    regionId: id,
    code: text,
    location: text,
    addedAt: instant,
  }),
});

/** Everything that happens to a region. */
export type RegionEvent = EventOf<typeof regionEvents>;

/** Reads and names a region's events. */
export const regionCodec = eventCodec(regionEvents);

/** What happens to the units of a plan in a region (stream `stock-<plan>-<region>`). */
export const stockEvents = defineEvents({
  StockSet: event("Staff counted the units that can be ordered.", {
    ...key,
    units,
    setAt: instant,
  }),
  StockUnitReserved: event("One unit was taken for an order.", {
    ...key,
    orderId: text,
    unitsLeft: units,
    reservedAt: instant,
  }),
  StockUnitReturned: event("The order ended without a server: its unit can be ordered again.", {
    ...key,
    orderId: text,
    unitsLeft: units,
    returnedAt: instant,
  }),
});

/** Everything that happens to the units of a plan in a region. */
export type StockEvent = EventOf<typeof stockEvents>;

/** Reads and names the events of stock. */
export const stockCodec = eventCodec(stockEvents);
