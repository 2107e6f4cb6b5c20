import { counted, formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { parseCount, parseId, parsePrice, parseText, parseUnits } from "../arguments/value-parsers.ts";
import { refused, wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { type Document, documentOf, type ShownFields, viewOf } from "../output/message-document.ts";
import { type Answer, listing } from "../output/reply.ts";
import { shownTime } from "../output/table.ts";
import { argument, option, required } from "../staff/command-line.codec.ts";
import { call, type CommandRow, custom, noun } from "../staff/staff-table.ts";

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

const plans = viewOf(admin.CataloguePlanSchema, planShown, (plan) => ({
  ...documentOf(admin.CataloguePlanSchema, plan, {
    id: "plan_id",
    memoryGb: "memory",
    storageGb: "storage",
    announcedPriceCents: null,
    validFrom: null,
  }),
  announced: announcedPrice(plan),
}));

const regions = viewOf(
  admin.CatalogueRegionSchema,
  { region: "id", code: "code", location: "location" },
  { id: "region_id" },
);

const planLists: readonly CommandRow[] = [
  call(["list", "list plans, retired ones too"], showCatalogue, {
    answer: (catalogue) => plans.list(catalogue.plans),
  }),
  custom(
    ["show", "show a plan, and how many servers of it each region has in stock"],
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
      const stock = stockRows(catalogue).filter((row) => row.plan_id === jsonInteger(planId));
      return withStock(plans.document(found), plans.lines(shown, found), stock);
    },
  ),
];

const regionLists: readonly CommandRow[] = [
  call(["list", "list regions"], showCatalogue, { answer: (catalogue) => regions.list(catalogue.regions) }),
  custom(
    ["show", "show a region, and how many servers of each plan it has in stock"],
    { regionId: argument("<id>", "region id", parseId) },
    async ({ servers }, { regionId }) => {
      const catalogue = await servers.showCatalogue({});
      const found = catalogue.regions.find(({ id }) => id === regionId);
      if (found === undefined) throw refused(`There is no region ${String(regionId)}.`);
      const stock = stockRows(catalogue).filter((row) => row.region_id === jsonInteger(regionId));
      const lines = regions.lines({ region_id: "id", code: "code", location: "location" }, found);
      return withStock(regions.document(found), lines, stock);
    },
  ),
];

const stockLists: readonly CommandRow[] = [
  custom(
    ["list", "list the stock: how many servers of each plan can be ordered in each region"],
    {
      plan: option("--plan <id>", "only of this plan", parseId),
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
        text: `${counted(units, "server")} of plan ${String(plan)} can be ordered in region ${String(region)}.\n`,
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

function withStock(document: Document, lines: string, rows: readonly StockRow[]): Answer {
  const stock = listing(rows, stockColumns);
  return { document: { ...document, stock: stock.document }, text: `${lines}\n${stock.text}` };
}

type StockRow = ReturnType<typeof stockRows>[number];

const stockColumns = [
  { heading: "plan", cell: (row: StockRow) => row.plan_id, align: "right" },
  { heading: "title", cell: (row: StockRow) => row.plan },
  { heading: "region", cell: (row: StockRow) => row.region_id, align: "right" },
  { heading: "code", cell: (row: StockRow) => row.region },
  { heading: "units", cell: (row: StockRow) => row.units, align: "right" },
] as const;

const { addPlan, editPlan, retirePlan } = admin.ServerAdminService.method;

const planId = argument("<id>", "plan id", parseId);

const terms = {
  title: ["--title <text>", "name for customers", parseText],
  cores: ["--cores <n>", "processor cores", parseCount],
  memoryGb: ["--memory <gb>", "memory in GB", parseCount],
  storageGb: ["--storage <gb>", "storage in GB", parseCount],
  priceCents: ["--price <euros>", "price of a month, VAT included, for example 9.99", parsePrice],
} as const;

export const addPlanCommands = noun("plan", "plans of servers", [
  call(["add", "put a plan on offer"], addPlan, {
    inputs: {
      title: required(...terms.title),
      cores: required(...terms.cores),
      memoryGb: required(...terms.memoryGb),
      storageGb: required(...terms.storageGb),
      priceCents: required(...terms.priceCents),
    },
    text: (added) =>
      `Plan ${String(added.planId)} is on offer; \`admin stock set\` says how many there are.\n`,
  }),
  call(
    ["edit", "change a plan for new orders; existing servers keep the size they were ordered with"],
    editPlan,
    {
      inputs: {
        planId,
        title: option(...terms.title),
        cores: option(...terms.cores),
        memoryGb: option(...terms.memoryGb),
        storageGb: option(...terms.storageGb),
        priceCents: option(...terms.priceCents),
        validFrom: option(
          "--from <time>",
          "when the price comes into force, for example 2027-01-01T00:00:00Z; default: at once",
        ),
      },
      refuse({ title, cores, memoryGb, storageGb, priceCents }) {
        if ([title, cores, memoryGb, storageGb, priceCents].every((term) => term === undefined))
          throw wrongUsage("Name at least one of --title, --cores, --memory, --storage and --price.");
      },
      document: (sold, { planId: id = 0n }) => ({
        plan_id: jsonInteger(id),
        title: sold.title,
        cores: sold.cores,
        memory: sold.memoryGb,
        storage: sold.storageGb,
        price: formatEuros(sold.priceCents),
        ...(sold.announcedPriceCents === undefined
          ? {}
          : {
              announced: { valid_from: sold.validFrom ?? "", price: formatEuros(sold.announcedPriceCents) },
            }),
      }),
      text: ({ title, priceCents, announcedPriceCents: next, validFrom = "" }, { planId: id }) =>
        `Plan ${String(id)} is sold as ${title} for ${formatEuros(priceCents)} EUR a month` +
        (next === undefined ? "" : `, and for ${formatEuros(next)} from ${shownTime(validFrom)} on`) +
        "; servers keep what they were ordered with.\n",
    },
  ),
  call(["retire", "stop selling a plan for good; its servers go on and can be renewed"], retirePlan, {
    inputs: { planId, reason: required("--reason <text>", "why, 1 to 500 characters", parseText) },
    document: (_retired, { planId: id = 0n }) => ({ plan_id: jsonInteger(id), retired: true }),
    text: (_retired, { planId: id }) =>
      `Plan ${String(id)} is not sold any more; its servers go on and can be renewed.\n`,
  }),
  ...planLists,
]);

export const addRegionCommands = noun("region", "regions in which servers can be placed", [
  ...regionLists,
  call(["add", "add a region"], admin.ServerAdminService.method.addRegion, {
    inputs: {
      code: required("--code <code>", "short code, for example fra", parseText),
      location: required("--location <place>", "name of the place", parseText),
    },
    text: ({ regionId }, { code = "" }) => `Region ${String(regionId)} (${code}) is there.\n`,
  }),
]);

export const addStockCommands = noun("stock", "units of plans in regions", [
  ...stockLists,
  call(
    ["set", "set how many units of a plan can be ordered in a region from now on"],
    admin.ServerAdminService.method.setStock,
    {
      inputs: {
        planId: required("--plan <id>", "plan id", parseId),
        regionId: required("--region <id>", "region id", parseId),
        units: required("--units <n>", "units, zero or more", parseUnits),
      },
      document: ({ units }, { planId = 0n, regionId = 0n }) => ({
        plan_id: jsonInteger(planId),
        region_id: jsonInteger(regionId),
        units,
      }),
      text: ({ units }, { planId, regionId }) =>
        `${counted(units, "unit")} of plan ${String(planId)} can be ordered in region ${String(regionId)}.\n`,
    },
  ),
]);
