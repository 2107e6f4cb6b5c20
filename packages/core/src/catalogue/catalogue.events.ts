import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, count, id, instant, text } from "../kernel/fields.ts";

const units = z.int().min(0);
const key = { planId: id, regionId: id };

/** Events of a plan (stream `plan-<id>`). */
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
    monthGrossCents: cents,
    editedAt: instant,
  }),
  PlanPriceAnnounced: event(
    "Another price of a plan was announced, in force from an instant on, unless the plan is edited before.",
    {
      planId: id,
      monthGrossCents: cents,
      validFrom: instant,
      announcedAt: instant,
    },
  ),
  PlanRetired: event("A plan is not sold any more; servers of it live and renew on.", {
    planId: id,
    reason: text,
    retiredAt: instant,
  }),
});

export type PlanEvent = EventOf<typeof planEvents>;

export const planCodec = eventCodec(planEvents);

/** Events of a region (stream `region-<id>`). */
export const regionEvents = defineEvents({
  RegionAdded: event("Servers can be placed in a region.", {
    regionId: id,
    code: text,
    location: text,
    addedAt: instant,
  }),
});

export type RegionEvent = EventOf<typeof regionEvents>;

export const regionCodec = eventCodec(regionEvents);

/** Events of a plan's units in a region (stream `stock-<plan>-<region>`). */
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

export type StockEvent = EventOf<typeof stockEvents>;

export const stockCodec = eventCodec(stockEvents);
