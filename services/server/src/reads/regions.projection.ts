import type { Projection } from "@hostledger/read";

import {
  plansIgnored,
  runsIgnored,
  serversIgnored,
  stockIgnored,
  type ServerSubscriptionEvent,
} from "./server.subscription.ts";
import { regionTables } from "./server.tables.ts";

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
