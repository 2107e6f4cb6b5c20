import type { Projection } from "@hostledger/projections";

import {
  runsIgnored,
  serversIgnored,
  stockIgnored,
  type ServerSubscriptionEvent,
} from "./server.subscription.ts";
import { planTables } from "./server.tables.ts";

/** The plans on offer. */
export const plans: Projection<ServerSubscriptionEvent, typeof planTables> = {
  name: "plans",
  version: 1,
  categories: ["plan"],
  tables: planTables,
  handlers: {
    PlanAdded: (db, { event: { data } }) => {
      db.insert("plans", {
        id: data.planId,
        title: data.title,
        cores: data.cores,
        memory_gb: data.memoryGb,
        storage_gb: data.storageGb,
        price_cents: BigInt(data.monthGrossCents),
      });
    },
    RegionAdded: "ignored",
    ...stockIgnored,
    ...serversIgnored,
    ...runsIgnored,
  },
};
