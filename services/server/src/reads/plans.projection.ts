import type { Projection } from "@hostledger/read";

import {
  runsIgnored,
  serversIgnored,
  stockIgnored,
  type ServerSubscriptionEvent,
} from "./server.subscription.ts";
import { planTables } from "./server.tables.ts";

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
