import type { AddRegion, PlanCommand, StockCommand } from "./catalogue.commands.ts";
import type { PlanEvent, RegionEvent, StockEvent } from "./catalogue.events.ts";

/** Examples of the catalogue, for specs: the order o-1 reserves a unit of plan 2 in region 3. */

export const at = "2026-01-31T10:00:00.000000Z";
const key = { planId: 2, regionId: 3 } as const;

export const commands = {
  AddPlan: {
    type: "AddPlan",
    data: { planId: 2, title: "S", cores: 2, memoryGb: 4, storageGb: 40, monthGrossCents: 999n, at },
  },
  EditPlan: { type: "EditPlan", data: { title: "S+", monthGrossCents: 1_099n, at } },
  AnnouncePlanPrice: {
    type: "AnnouncePlanPrice",
    data: { monthGrossCents: 1_299n, validFrom: "2027-01-01T00:00:00.000000Z", at },
  },
  RetirePlan: { type: "RetirePlan", data: { reason: "Sold out for good", at } },
  AddRegion: { type: "AddRegion", data: { regionId: 3, code: "nbg", location: "Nuremberg", at } },
  SetStock: { type: "SetStock", data: { ...key, units: 2, at } },
  ReserveStockUnit: { type: "ReserveStockUnit", data: { ...key, orderId: "o-1", at } },
  ReturnStockUnit: { type: "ReturnStockUnit", data: { ...key, orderId: "o-1", at } },
} as const satisfies {
  readonly [Type in (PlanCommand | AddRegion | StockCommand)["type"]]: Extract<
    PlanCommand | AddRegion | StockCommand,
    { type: Type }
  >;
};

export const samples = {
  PlanAdded: {
    type: "PlanAdded",
    data: {
      planId: 2,
      title: "S",
      cores: 2,
      memoryGb: 4,
      storageGb: 40,
      monthGrossCents: "999",
      addedAt: at,
    },
  },
  PlanEdited: {
    type: "PlanEdited",
    data: {
      planId: 2,
      title: "S+",
      cores: 2,
      memoryGb: 4,
      storageGb: 40,
      monthGrossCents: "1099",
      editedAt: at,
    },
  },
  PlanPriceAnnounced: {
    type: "PlanPriceAnnounced",
    data: {
      planId: 2,
      monthGrossCents: "1299",
      validFrom: "2027-01-01T00:00:00.000000Z",
      announcedAt: at,
    },
  },
  PlanRetired: {
    type: "PlanRetired",
    data: { planId: 2, reason: "Sold out for good", retiredAt: at },
  },
  RegionAdded: {
    type: "RegionAdded",
    data: { regionId: 3, code: "nbg", location: "Nuremberg", addedAt: at },
  },
  StockSet: { type: "StockSet", data: { ...key, units: 2, setAt: at } },
  StockUnitReserved: {
    type: "StockUnitReserved",
    data: { ...key, orderId: "o-1", unitsLeft: 1, reservedAt: at },
  },
  StockUnitReturned: {
    type: "StockUnitReturned",
    data: { ...key, orderId: "o-1", unitsLeft: 2, returnedAt: at },
  },
} as const satisfies {
  readonly [Type in (PlanEvent | RegionEvent | StockEvent)["type"]]: Extract<
    PlanEvent | RegionEvent | StockEvent,
    { type: Type }
  >;
};
