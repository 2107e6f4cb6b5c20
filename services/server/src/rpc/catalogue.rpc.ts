import type { ServiceImpl } from "@connectrpc/connect";
import type { server } from "@hostledger/protocol";
import { requireAccount, requestedPage } from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import { distroMessages, planMessage, regionMessage, stockMessage } from "./server.message.ts";

/** What can be ordered: one handler for each method. */
export function catalogueRpc({ queries }: ServerDependencies): ServiceImpl<typeof server.CatalogueService> {
  return {
    listPlans({ page }, context) {
      requireAccount(context);
      return { plans: queries.plans(requestedPage(page)).map(planMessage) };
    },

    listRegions({ page }, context) {
      requireAccount(context);
      return { regions: queries.regions(requestedPage(page)).map(regionMessage) };
    },

    listDistros(_request, context) {
      requireAccount(context);
      return { distros: distroMessages() };
    },

    listStock(_request, context) {
      requireAccount(context);
      return { entries: queries.stock().map(stockMessage) };
    },
  };
}
