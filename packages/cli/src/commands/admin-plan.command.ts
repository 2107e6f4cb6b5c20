import type { Cents } from "@hostledger/core";
import type { Command } from "commander";
import { parseCount, parsePrice, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** Options of `admin plan add`; the price is gross cents a month. */
interface AddOptions {
  readonly title: string;
  readonly cores: number;
  readonly memory: number;
  readonly storage: number;
  readonly price: Cents;
}

/** `admin plan …`: what servers can be ordered. */
export function addPlanCommands(group: Command, context: CommandContext): void {
  group
    .command("plan")
    .description("plans of servers")
    .command("add")
    .description("put a plan on offer")
    .requiredOption("--title <text>", "name for customers", parseText)
    .requiredOption("--cores <n>", "processor cores", parseCount)
    .requiredOption("--memory <gb>", "memory in GB", parseCount)
    .requiredOption("--storage <gb>", "storage in GB", parseCount)
    .requiredOption("--price <euros>", "price of a month, VAT included, for example 9.99", parsePrice)
    .action(async (options: AddOptions, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const { title, cores, memory: memoryGb, storage: storageGb, price: priceCents } = options;
        const { planId } = await servers.addPlan({ title, cores, memoryGb, storageGb, priceCents });
        return {
          document: { plan_id: jsonInteger(planId) },
          text: `Plan ${String(planId)} is on offer; \`admin stock set\` says how many there are.\n`,
        };
      });
    });
}
