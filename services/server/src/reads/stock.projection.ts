import type { Projection } from "@hostledger/read";

import {
  plansIgnored,
  runsIgnored,
  serversIgnored,
  type ServerSubscriptionEvent,
} from "./server.subscription.ts";
import { stockTables } from "./server.tables.ts";

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
