import type { ServiceImpl } from "@connectrpc/connect";
import { distros } from "@hostledger/core";
import type { server } from "@hostledger/protocol";
import { requireAccount, requestedSelection } from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import { distroMessage, planMessage, regionMessage, stockMessage } from "./server.message.ts";

export function catalogueRpc({
  agreedClock,
  queries,
}: ServerDependencies): ServiceImpl<typeof server.CatalogueService> {
  return {
    async listPlans({ page }, context) {
      requireAccount(context);
      return { plans: (await queries.plans(requestedSelection(page), agreedClock.now())).map(planMessage) };
    },

    async listRegions({ page }, context) {
      requireAccount(context);
      return { regions: (await queries.regions(requestedSelection(page))).map(regionMessage) };
    },

    listDistros(_request, context) {
      requireAccount(context);
      return { distros: distros.map(distroMessage) };
    },

    async listStock(_request, context) {
      requireAccount(context);
      const sold = (await queries.stock(agreedClock.now())).filter(({ plan }) => plan.retired === 0);
      return { entries: sold.map(stockMessage) };
    },
  };
}
