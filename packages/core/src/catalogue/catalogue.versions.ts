import { z } from "zod";

import { historyCodec, type EventVersions } from "../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../kernel/fields.ts";
import type { PlanEvent, RegionEvent, StockEvent } from "./catalogue.events.ts";

const unitsField = z.int().min(0);
const key = { planId: idField, regionId: idField };

/** The shapes a plan's events have had. */
export const planVersions: Readonly<Record<PlanEvent["type"], EventVersions>> = {
  PlanAdded: {
    schemas: [
      z.strictObject({
        planId: idField,
        title: textField,
        cores: z.int().positive(),
        memoryGb: z.int().positive(),
        storageGb: z.int().positive(),
        monthGrossCents: centsField,
        addedAt: instantField,
      }),
    ],
  },
};

/** The shapes a region's events have had. */
export const regionVersions: Readonly<Record<RegionEvent["type"], EventVersions>> = {
  RegionAdded: {
    schemas: [
      z.strictObject({ regionId: idField, code: textField, location: textField, addedAt: instantField }),
    ],
  },
};

/** The shapes the events of stock have had. */
export const stockVersions: Readonly<Record<StockEvent["type"], EventVersions>> = {
  StockSet: { schemas: [z.strictObject({ ...key, units: unitsField, setAt: instantField })] },
  StockUnitReserved: {
    schemas: [
      z.strictObject({ ...key, orderId: textField, unitsLeft: unitsField, reservedAt: instantField }),
    ],
  },
  StockUnitReturned: {
    schemas: [
      z.strictObject({ ...key, orderId: textField, unitsLeft: unitsField, returnedAt: instantField }),
    ],
  },
};

/** Reads and names a plan's events. */
export const planCodec = historyCodec<PlanEvent>(planVersions);

/** Reads and names a region's events. */
export const regionCodec = historyCodec<RegionEvent>(regionVersions);

/** Reads and names the events of stock. */
export const stockCodec = historyCodec<StockEvent>(stockVersions);
