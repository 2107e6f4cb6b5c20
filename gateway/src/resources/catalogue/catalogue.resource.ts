import { server as messages } from "@hostledger/protocol";
import { z } from "zod";

import { listed, pageQuery, type ServicePage } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import { euroAmount, id, shownText } from "../../http/values.schema.ts";
import { present, view } from "../../http/view.codec.ts";

/** A plan (specification §2.5). */
const plan = z
  .object({
    id,
    cores: z
      .int()
      .nonnegative()
      .meta({ examples: [4] }),
    price: euroAmount.meta({ description: "Gross price in euros per month.", examples: [9.99] }),
    title: shownText("VPS M"),
    memory: z
      .int()
      .nonnegative()
      .meta({ description: "Memory in GB.", examples: [8] }),
    storage: z
      .int()
      .nonnegative()
      .meta({ description: "Storage in GB.", examples: [160] }),
  })
  .meta({ id: "Plan", description: "A plan for servers." });

/** A region (specification §2.5). */
const region = z
  .object({
    id,
    region: z.string().meta({ description: "Short code.", examples: ["fra"] }),
    location: z.string().meta({ description: "Name of the place.", examples: ["Frankfurt"] }),
  })
  .meta({ id: "Region", description: "A location of servers." });

const distro = z
  .object({
    id,
    name: z.string().meta({ examples: ["Debian"] }),
    version: z.string().meta({ examples: ["13"] }),
  })
  .meta({ id: "Distro", description: "A distribution that can be installed on a server." });

/** Units of a plan in a region (specification §2.5). */
const stockEntry = z
  .object({
    stock: z.object({
      plan,
      stock: z
        .int()
        .nonnegative()
        .meta({ description: "Units in stock.", examples: [12] }),
      available: z.boolean(),
    }),
    region,
  })
  .meta({ id: "StockEntry", description: "Stock of a plan in a region." });

const planView = view(messages.PlanSchema, plan, {
  memory: ({ memoryGb }) => memoryGb,
  storage: ({ storageGb }) => storageGb,
});

const regionView = view(messages.RegionSchema, region, { region: ({ code }) => code });

const distroView = view(messages.DistroSchema, distro, {});

const stockEntryView = view(messages.StockEntrySchema, stockEntry, {
  stock: (entry) => ({
    plan: planView(present(entry.plan, "StockEntry.plan")),
    stock: entry.units,
    available: entry.units > 0,
  }),
  region: (entry) => regionView(present(entry.region, "StockEntry.region")),
});

/** Operations on plans, regions, distributions and stock. */
export const catalogueOperations = [
  operation({
    id: "listStock",
    scopes: ["servers", "read"],
    route: "GET /stock",
    summary: "List the stock of each plan in each region",
    description:
      "The list has no pages, because its entries have no ids. It has one entry per plan and region.",
    request: {},
    responses: { 200: z.array(stockEntry) },
    refusals: [],
    body: async (_request, { catalogue, call }) =>
      (await catalogue.listStock({}, call)).entries.map(stockEntryView),
  }),
  operation({
    id: "listPlans",
    scopes: ["servers", "read"],
    route: "GET /plans",
    summary: "List the plans, oldest first",
    request: { query: pageQuery },
    responses: { 200: z.array(plan) },
    refusals: [],
    answer: ({ query }, { catalogue, call }) =>
      listed("/plans", query, async (page) =>
        (await catalogue.listPlans({ page }, call)).plans.map(planView),
      ),
  }),
  operation({
    id: "listRegions",
    scopes: ["servers", "read"],
    route: "GET /regions",
    summary: "List the regions, oldest first",
    request: { query: pageQuery },
    responses: { 200: z.array(region) },
    refusals: [],
    answer: ({ query }, { catalogue, call }) =>
      listed("/regions", query, async (page) =>
        (await catalogue.listRegions({ page }, call)).regions.map(regionView),
      ),
  }),
  operation({
    id: "listDistros",
    scopes: ["servers", "read"],
    route: "GET /distros",
    summary: "List the distributions that can be installed on a server",
    request: { query: pageQuery },
    responses: { 200: z.array(distro) },
    refusals: [],
    answer: ({ query }, { catalogue, call }) =>
      // The service returns all distributions, a handful, so the page is cut here.
      listed("/distros", query, async (page) =>
        pageOf((await catalogue.listDistros({}, call)).distros, page).map(distroView),
      ),
  }),
];

function pageOf<Item extends { readonly id: bigint }>(
  items: readonly Item[],
  { afterId, limit, descending = false }: ServicePage,
): readonly Item[] {
  const ordered = descending ? items.toReversed() : items;
  const isAfter = (each: bigint) => (descending ? afterId === 0n || each < afterId : each > afterId);
  return ordered.filter((item) => isAfter(item.id)).slice(0, limit);
}
