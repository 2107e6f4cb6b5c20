import { formatEuros } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import type { Command } from "commander";

import { parseId } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { refused } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { listing } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin plan list` and `show`. */
export function addPlanLists(plan: Command, context: CommandContext): void {
  plan
    .command("list")
    .description("list plans, also those that are not sold any more")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const { plans } = await servers.showCatalogue({});
        return listing(plans.map(planRow), [
          { heading: "plan", cell: (row) => row.plan_id, align: "right" },
          { heading: "title", cell: (row) => row.title },
          { heading: "cores", cell: (row) => row.cores, align: "right" },
          { heading: "memory GB", cell: (row) => row.memory, align: "right" },
          { heading: "storage GB", cell: (row) => row.storage, align: "right" },
          { heading: "EUR a month", cell: (row) => row.price, align: "right" },
          { heading: "sold", cell: (row) => !row.retired },
          { heading: "announced EUR", cell: (row) => row.announced?.price ?? null, align: "right" },
          { heading: "from", cell: (row) => row.announced?.valid_from ?? null },
        ]);
      });
    });
  plan
    .command("show")
    .description("show a plan, and how many of it can be ordered where")
    .argument("<id>", "plan id", parseId)
    .action(async (planId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const catalogue = await servers.showCatalogue({});
        const found = catalogue.plans.find(({ id }) => id === planId);
        if (found === undefined) throw refused(`There is no plan ${String(planId)}.`);
        const stock = stockRows(catalogue).filter((row) => row.plan_id === jsonInteger(planId));
        const { announced, retired, ...row } = planRow(found);
        return {
          document: { ...planRow(found), stock },
          text: `${fields({ ...row, sold: !retired, announced: announced?.price, from: announced?.valid_from })}\n${listing(stock, stockColumns).text}`,
        };
      });
    });
}

/** `admin region list` and `show`. */
export function addRegionLists(region: Command, context: CommandContext): void {
  region
    .command("list")
    .description("list regions")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const { regions } = await servers.showCatalogue({});
        return listing(regions.map(regionRow), [
          { heading: "region", cell: (row) => row.region_id, align: "right" },
          { heading: "code", cell: (row) => row.code },
          { heading: "location", cell: (row) => row.location },
        ]);
      });
    });
  region
    .command("show")
    .description("show a region, and how many servers of which plan can be ordered there")
    .argument("<id>", "region id", parseId)
    .action(async (regionId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const catalogue = await servers.showCatalogue({});
        const found = catalogue.regions.find(({ id }) => id === regionId);
        if (found === undefined) throw refused(`There is no region ${String(regionId)}.`);
        const stock = stockRows(catalogue).filter((row) => row.region_id === jsonInteger(regionId));
        return {
          document: { ...regionRow(found), stock },
          text: `${fields(regionRow(found))}\n${listing(stock, stockColumns).text}`,
        };
      });
    });
}

/** `admin stock list` and `show`. */
export function addStockLists(group: Command, context: CommandContext): void {
  group
    .command("list")
    .description("list how many servers of which plan can be ordered where")
    .option("--plan <id>", "only this plan's", parseId)
    .option("--region <id>", "only in this region", parseId)
    .action(async ({ plan, region }: { plan?: bigint; region?: bigint }, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const rows = stockRows(await servers.showCatalogue({}));
        const wanted = rows.filter(
          (row) =>
            (plan === undefined || row.plan_id === jsonInteger(plan)) &&
            (region === undefined || row.region_id === jsonInteger(region)),
        );
        return listing(wanted, stockColumns);
      });
    });
  group
    .command("show")
    .description("show how many servers of a plan can be ordered in a region")
    .requiredOption("--plan <id>", "plan id", parseId)
    .requiredOption("--region <id>", "region id", parseId)
    .action(async ({ plan, region }: { plan: bigint; region: bigint }, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const catalogue = await servers.showCatalogue({});
        if (!catalogue.plans.some(({ id }) => id === plan))
          throw refused(`There is no plan ${String(plan)}.`);
        if (!catalogue.regions.some(({ id }) => id === region))
          throw refused(`There is no region ${String(region)}.`);
        const [planId, regionId] = [jsonInteger(plan), jsonInteger(region)];
        const found = stockRows(catalogue).find(
          (row) => row.plan_id === planId && row.region_id === regionId,
        );
        const units = found?.units ?? 0;
        return {
          document: { plan_id: planId, region_id: regionId, units },
          text: `${String(units)} servers of plan ${String(plan)} can be ordered in region ${String(region)}.\n`,
        };
      });
    });
}

function planRow(plan: admin.CataloguePlan) {
  const { announcedPriceCents: cents, validFrom } = plan;
  return {
    plan_id: jsonInteger(plan.id),
    title: plan.title,
    cores: plan.cores,
    memory: plan.memoryGb,
    storage: plan.storageGb,
    price: formatEuros(plan.priceCents),
    retired: plan.retired,
    announced:
      cents === undefined || validFrom === undefined
        ? null
        : { valid_from: validFrom, price: formatEuros(cents) },
  };
}

function regionRow({ id, code, location }: admin.CatalogueRegion) {
  return { region_id: jsonInteger(id), code, location };
}

function stockRows({ plans, regions, stock }: admin.ShowCatalogueResponse) {
  const titles = new Map(plans.map(({ id, title }) => [id, title]));
  const codes = new Map(regions.map(({ id, code }) => [id, code]));
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
