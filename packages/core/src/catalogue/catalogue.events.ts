import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, count, id, instant, text } from "../kernel/fields.ts";

const units = z.int().min(0);
const key = { planId: id, regionId: id };

/** Events of a plan (stream `plan-<id>`). */
export const planEvents = defineEvents({
  PlanAdded: event("Staff added a plan to the catalogue.", {
    planId: id,
    title: text,
    cores: count,
    memoryGb: count,
    storageGb: count,
    /** Gross price of a month in cents (EUR). */
    monthGrossCents: cents,
    addedAt: instant,
  }),
  PlanEdited: event(
    "Staff changed a plan. Existing servers keep the resources with which they were ordered.",
    {
      planId: id,
      title: text,
      cores: count,
      memoryGb: count,
      storageGb: count,
      monthGrossCents: cents,
      editedAt: instant,
    },
  ),
  PlanPriceAnnounced: event(
    "Staff announced a new price of a plan and the time from which the price applies. An edit of the plan before then withdraws the announcement.",
    {
      planId: id,
      monthGrossCents: cents,
      validFrom: instant,
      announcedAt: instant,
    },
  ),
  PlanRetired: event("Staff ended the sale of a plan. Its existing servers go on and can be renewed.", {
    planId: id,
    reason: text,
    retiredAt: instant,
  }),
});

export type PlanEvent = EventOf<typeof planEvents>;

export const planCodec = eventCodec(planEvents);

/** Events of a region (stream `region-<id>`). */
export const regionEvents = defineEvents({
  RegionAdded: event("Staff added a region in which servers can be placed.", {
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
  StockSet: event("Staff set the number of units that can be ordered.", {
    ...key,
    units,
    setAt: instant,
  }),
  StockUnitReserved: event("One unit was reserved for an order.", {
    ...key,
    orderId: text,
    unitsLeft: units,
    reservedAt: instant,
  }),
  StockUnitReturned: event("The order ended without a server, so its unit can be ordered again.", {
    ...key,
    orderId: text,
    unitsLeft: units,
    returnedAt: instant,
  }),
});

export type StockEvent = EventOf<typeof stockEvents>;

export const stockCodec = eventCodec(stockEvents);
