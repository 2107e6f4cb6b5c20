import type { Command } from "commander";
import { parseId, parseUnits } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { changed } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";
import { addStockLists } from "./admin-catalogue-lists.ts";

/** Options of `admin stock set`. */
interface SetOptions {
  readonly plan: bigint;
  readonly region: bigint;
  readonly units: number;
}

/** `admin stock …`: how many servers of a plan can be ordered in a region. */
export function addStockCommands(group: Command, context: CommandContext): void {
  const stock = group.command("stock").description("units of plans in regions");
  addStockLists(stock, context);
  stock
    .command("set")
    .description("set how many units of a plan can be ordered in a region from now on")
    .requiredOption("--plan <id>", "plan id", parseId)
    .requiredOption("--region <id>", "region id", parseId)
    .requiredOption("--units <n>", "units, zero or more", parseUnits)
    .action(async ({ plan, region, units: wanted }: SetOptions, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const set = await servers.setStock({ planId: plan, regionId: region, units: wanted });
        const { units, repeated } = set;
        return changed(repeated, {
          document: { plan_id: jsonInteger(plan), region_id: jsonInteger(region), units },
          text: `${String(units)} units of plan ${String(plan)} can be ordered in region ${String(region)}.\n`,
        });
      });
    });
}
