import type { Projection } from "@hostledger/read";

import {
  plansIgnored,
  runsIgnored,
  serversIgnored,
  stockIgnored,
  type ServerSubscriptionEvent,
} from "./server.subscription.ts";
import { planTables, regionTables, stockTables } from "./server.tables.ts";

/** Plans on sale and retired plans. */
export const plans: Projection<ServerSubscriptionEvent, typeof planTables> = {
  name: "plans",
  version: 3,
  categories: ["plan"],
  tables: planTables,
  handlers: {
    PlanAdded: (db, { event: { data } }) => {
      db.insert("plans", { id: data.planId, ...termsOf(data), retired: false });
    },
    PlanEdited: (db, { event: { data } }) => {
      db.update("plans", { id: data.planId }, termsOf(data));
      db.delete("announced_plan_prices", { id: data.planId });
    },
    PlanPriceAnnounced: (db, { event: { data } }) => {
      const { planId, monthGrossCents, validFrom } = data;
      const announced = { announced_cents: BigInt(monthGrossCents), valid_from: validFrom };
      db.upsert("announced_plan_prices", { id: planId, ...announced });
    },
    PlanRetired: (db, { event: { data } }) => {
      db.update("plans", { id: data.planId }, { retired: true });
    },
    RegionAdded: "ignored",
    ...stockIgnored,
    ...serversIgnored,
    ...runsIgnored,
  },
};

export const regions: Projection<ServerSubscriptionEvent, typeof regionTables> = {
  name: "regions",
  version: 1,
  categories: ["region"],
  tables: regionTables,
  handlers: {
    ...plansIgnored,
    RegionAdded: (db, { event: { data } }) => {
      db.insert("regions", { id: data.regionId, code: data.code, location: data.location });
    },
    ...stockIgnored,
    ...serversIgnored,
    ...runsIgnored,
  },
};

export const stock: Projection<ServerSubscriptionEvent, typeof stockTables> = {
  name: "stock",
  version: 1,
  categories: ["stock"],
  tables: stockTables,
  handlers: {
    ...plansIgnored,
    RegionAdded: "ignored",
    StockSet: (db, { event: { data } }) => {
      db.upsert("stock", { plan_id: data.planId, region_id: data.regionId, units: data.units });
    },
    StockUnitReserved: (db, { event: { data } }) => {
      db.update("stock", { plan_id: data.planId, region_id: data.regionId }, { units: data.unitsLeft });
    },
    StockUnitReturned: (db, { event: { data } }) => {
      db.update("stock", { plan_id: data.planId, region_id: data.regionId }, { units: data.unitsLeft });
    },
    ...serversIgnored,
    ...runsIgnored,
  },
};

interface StoredTerms {
  readonly title: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly storageGb: number;
  readonly monthGrossCents: string;
}

function termsOf({ title, cores, memoryGb, storageGb, monthGrossCents }: StoredTerms) {
  return {
    title,
    cores,
    memory_gb: memoryGb,
    storage_gb: storageGb,
    price_cents: BigInt(monthGrossCents),
  };
}
