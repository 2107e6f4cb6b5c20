import type { Client } from "@connectrpc/connect";
import type { server as messages } from "@hostledger/protocol";

import { listed, type ServicePage } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import { distroList, planList, regionList, stockList } from "../schemas/catalogue.schema.ts";
import { pageQuery } from "../schemas/page.schema.ts";
import { distroView, planView, regionView, stockEntryView } from "../views/catalogue.view.ts";

/** Operations on plans, regions, distributions and stock. */
export function catalogueRoutes(catalogue: Client<typeof messages.CatalogueService>): Operation[] {
  return [
    operation({
      id: "listStock",
      scopes: ["servers", "read"],
      tag: "Catalogue",
      method: "get",
      path: "/stock",
      summary: "List the units in stock of each plan in each region",
      description:
        "The list is whole, by plan and region: there is one entry for each plan that is sold in each region, and an entry has no id to page by.",
      request: {},
      responses: { 200: stockList },
      refusals: [],
      async handle(_request, { call }) {
        const list = await catalogue.listStock({}, call);
        return { status: 200, body: list.entries.map(stockEntryView) };
      },
    }),
    operation({
      id: "listPlans",
      scopes: ["servers", "read"],
      tag: "Catalogue",
      method: "get",
      path: "/plans",
      summary: "List the plans, oldest first",
      request: { query: pageQuery },
      responses: { 200: planList },
      refusals: [],
      handle: ({ query }, { call }) =>
        listed("/plans", query, async (page) => {
          const list = await catalogue.listPlans({ page }, call);
          return list.plans.map(planView);
        }),
    }),
    operation({
      id: "listRegions",
      scopes: ["servers", "read"],
      tag: "Catalogue",
      method: "get",
      path: "/regions",
      summary: "List the regions, oldest first",
      request: { query: pageQuery },
      responses: { 200: regionList },
      refusals: [],
      handle: ({ query }, { call }) =>
        listed("/regions", query, async (page) => {
          const list = await catalogue.listRegions({ page }, call);
          return list.regions.map(regionView);
        }),
    }),
    operation({
      id: "listDistros",
      scopes: ["servers", "read"],
      tag: "Catalogue",
      method: "get",
      path: "/distros",
      summary: "List the distributions a server can be set up with",
      request: { query: pageQuery },
      responses: { 200: distroList },
      refusals: [],
      handle: ({ query }, { call }) =>
        // The service returns all distributions, a handful, so the page is cut here.
        listed("/distros", query, async (page) =>
          pageOf((await catalogue.listDistros({}, call)).distros, page).map(distroView),
        ),
    }),
  ];
}

function pageOf<Item extends { readonly id: bigint }>(
  items: readonly Item[],
  { afterId, limit, descending = false }: ServicePage,
): readonly Item[] {
  const ordered = descending ? items.toReversed() : items;
  const isAfter = (id: bigint) => (descending ? afterId === 0n || id < afterId : id > afterId);
  return ordered.filter(({ id }) => isAfter(id)).slice(0, limit);
}
