import { formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { parseId } from "../arguments/value-parsers.ts";
import { refused } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { documentOf, telling, type ShownFields } from "../output/message-document.ts";
import { listing } from "../output/reply.ts";
import { argument, option, required } from "../staff/command-line.codec.ts";
import { call, custom, type CommandRow } from "../staff/staff-table.ts";

const { showCatalogue } = admin.ServerAdminService.method;

const announcedPrice = ({ announcedPriceCents: cents, validFrom }: admin.CataloguePlan) =>
  cents === undefined || validFrom === undefined
    ? null
    : { valid_from: validFrom, price: formatEuros(cents) };

const planShown: ShownFields<admin.CataloguePlan> = {
  plan: "id",
  title: "title",
  cores: "cores",
  "memory GB": "memoryGb",
  "storage GB": "storageGb",
  "EUR a month": "priceCents",
  sold: ({ retired }) => !retired,
  "announced EUR": { right: (plan) => announcedPrice(plan)?.price },
  from: (plan) => announcedPrice(plan)?.valid_from,
};

const plans = telling(admin.CataloguePlanSchema, planShown, (plan) => ({
  ...documentOf(admin.CataloguePlanSchema, plan, {
    id: "plan_id",
    memoryGb: "memory",
    storageGb: "storage",
    announcedPriceCents: null,
    validFrom: null,
  }),
  announced: announcedPrice(plan),
}));

const regions = telling(
  admin.CatalogueRegionSchema,
  { region: "id", code: "code", location: "location" },
  { id: "region_id" },
);

/** `admin plan list` and `show`. */
export const planLists: readonly CommandRow[] = [
  call(["list", "list plans, also those that are not sold any more"], showCatalogue, {
    answer: (catalogue) => plans.list(catalogue.plans),
  }),
  custom(
    ["show", "show a plan, and how many of it can be ordered where"],
    { planId: argument("<id>", "plan id", parseId) },
    async ({ servers }, { planId }) => {
      const catalogue = await servers.showCatalogue({});
      const found = catalogue.plans.find(({ id }) => id === planId);
      if (found === undefined) throw refused(`There is no plan ${String(planId)}.`);
      const shown: ShownFields<admin.CataloguePlan> = {
        plan_id: "id",
        title: "title",
        cores: "cores",
        memory: "memoryGb",
        storage: "storageGb",
        price: "priceCents",
        sold: ({ retired }) => !retired,
        announced: (plan) => announcedPrice(plan)?.price,
        from: (plan) => announcedPrice(plan)?.valid_from,
      };
      const stock = listing(
        stockRows(catalogue).filter((row) => row.plan_id === jsonInteger(planId)),
        stockColumns,
      );
      return {
        document: { ...plans.document(found), stock: stock.document },
        text: `${plans.lines(shown, found)}\n${stock.text}`,
      };
    },
  ),
];

/** `admin region list` and `show`. */
export const regionLists: readonly CommandRow[] = [
  call(["list", "list regions"], showCatalogue, { answer: (catalogue) => regions.list(catalogue.regions) }),
  custom(
    ["show", "show a region, and how many servers of which plan can be ordered there"],
    { regionId: argument("<id>", "region id", parseId) },
    async ({ servers }, { regionId }) => {
      const catalogue = await servers.showCatalogue({});
      const found = catalogue.regions.find(({ id }) => id === regionId);
      if (found === undefined) throw refused(`There is no region ${String(regionId)}.`);
      const stock = listing(
        stockRows(catalogue).filter((row) => row.region_id === jsonInteger(regionId)),
        stockColumns,
      );
      return {
        document: { ...regions.document(found), stock: stock.document },
        text: `${regions.lines({ region_id: "id", code: "code", location: "location" }, found)}\n${stock.text}`,
      };
    },
  ),
];

/** `admin stock list` and `show`. */
export const stockLists: readonly CommandRow[] = [
  custom(
    ["list", "list how many servers of which plan can be ordered where"],
    {
      plan: option("--plan <id>", "only this plan's", parseId),
      region: option("--region <id>", "only in this region", parseId),
    },
    async ({ servers }, { plan, region }) => {
      const rows = stockRows(await servers.showCatalogue({}));
      const wanted = rows.filter(
        (row) =>
          (plan === undefined || row.plan_id === jsonInteger(plan)) &&
          (region === undefined || row.region_id === jsonInteger(region)),
      );
      return listing(wanted, stockColumns);
    },
  ),
  custom(
    ["show", "show how many servers of a plan can be ordered in a region"],
    {
      plan: required("--plan <id>", "plan id", parseId),
      region: required("--region <id>", "region id", parseId),
    },
    async ({ servers }, { plan, region }) => {
      const catalogue = await servers.showCatalogue({});
      if (!catalogue.plans.some(({ id }) => id === plan)) throw refused(`There is no plan ${String(plan)}.`);
      if (!catalogue.regions.some(({ id }) => id === region))
        throw refused(`There is no region ${String(region)}.`);
      const found = catalogue.stock.find((each) => each.planId === plan && each.regionId === region);
      const units = found?.units ?? 0;
      return {
        document: { plan_id: jsonInteger(plan), region_id: jsonInteger(region), units },
        text: `${String(units)} servers of plan ${String(plan)} can be ordered in region ${String(region)}.\n`,
      };
    },
  ),
];

function stockRows({ plans: sold, regions: places, stock }: admin.ShowCatalogueResponse) {
  const titles = new Map(sold.map(({ id, title }) => [id, title]));
  const codes = new Map(places.map(({ id, code }) => [id, code]));
  return stock.map(({ planId, regionId, units }) => ({
    plan_id: jsonInteger(planId),
    plan: titles.get(planId) ?? null,
    region_id: jsonInteger(regionId),
    region: codes.get(regionId) ?? null,
    units,
  }));
}

type StockRow = ReturnType<typeof stockRows>[number];

const stockColumns = [
  { heading: "plan", cell: (row: StockRow) => row.plan_id, align: "right" },
  { heading: "title", cell: (row: StockRow) => row.plan },
  { heading: "region", cell: (row: StockRow) => row.region_id, align: "right" },
  { heading: "code", cell: (row: StockRow) => row.region },
  { heading: "units", cell: (row: StockRow) => row.units, align: "right" },
] as const;
