import { formatEuros, type Cents } from "@hostledger/core";
import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { parseCount, parseId, parsePrice, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { shownTime } from "../output/table.ts";
import { changed } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";
import { addPlanLists } from "./admin-catalogue-lists.ts";

/** What is said of a plan; the price is gross cents a month. */
interface PlanOptions {
  readonly title: string;
  readonly cores: number;
  readonly memory: number;
  readonly storage: number;
  readonly price: Cents;
}

/** What of it changes. */
interface EditOptions extends Partial<PlanOptions> {
  /** An instant. */
  readonly from?: string;
}

/** `admin plan …`: what servers can be ordered. */
export function addPlanCommands(group: Command, context: CommandContext): void {
  const plan = group.command("plan").description("plans of servers");
  addAdd(plan, context);
  addEdit(plan, context);
  addRetire(plan, context);
  addPlanLists(plan, context);
}

function addAdd(plan: Command, context: CommandContext): void {
  plan
    .command("add")
    .description("put a plan on offer")
    .requiredOption("--title <text>", "name for customers", parseText)
    .requiredOption("--cores <n>", "processor cores", parseCount)
    .requiredOption("--memory <gb>", "memory in GB", parseCount)
    .requiredOption("--storage <gb>", "storage in GB", parseCount)
    .requiredOption("--price <euros>", "price of a month, VAT included, for example 9.99", parsePrice)
    .action(async (options: PlanOptions, command: Command) => {
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

function addEdit(plan: Command, context: CommandContext): void {
  plan
    .command("edit")
    .description("change what is sold as a plan from now on; servers keep what they were ordered with")
    .argument("<id>", "plan id", parseId)
    .option("--title <text>", "name for customers", parseText)
    .option("--cores <n>", "processor cores", parseCount)
    .option("--memory <gb>", "memory in GB", parseCount)
    .option("--storage <gb>", "storage in GB", parseCount)
    .option("--price <euros>", "price of a month, VAT included, for example 9.99", parsePrice)
    .option(
      "--from <time>",
      "when that price comes into force, for example 2027-01-01T00:00:00Z; at once without it",
    )
    .action(async (planId: bigint, options: EditOptions, command: Command) => {
      const {
        title,
        cores,
        memory: memoryGb,
        storage: storageGb,
        price: priceCents,
        from: validFrom,
      } = options;
      const changes = defined({ title, cores, memoryGb, storageGb, priceCents });
      if (Object.keys(changes).length === 0)
        throw wrongUsage("Say what changes: --title, --cores, --memory, --storage or --price.");
      await answerFromStaff(context, command, async ({ servers }) => {
        const sold = await servers.editPlan({ planId, ...changes, ...defined({ validFrom }) });
        const price = formatEuros(sold.priceCents);
        const { announcedPriceCents, validFrom: from = "" } = sold;
        const next = announcedPriceCents === undefined ? undefined : formatEuros(announcedPriceCents);
        const later = next === undefined ? "" : `, and for ${next} from ${shownTime(from)} on`;
        return changed(sold.repeated, {
          document: {
            plan_id: jsonInteger(planId),
            title: sold.title,
            cores: sold.cores,
            memory: sold.memoryGb,
            storage: sold.storageGb,
            price,
            ...(next === undefined ? {} : { announced: { valid_from: from, price: next } }),
          },
          text: `Plan ${String(planId)} is sold as ${sold.title} for ${price} EUR a month${later}; servers keep what they were ordered with.\n`,
        });
      });
    });
}

function addRetire(plan: Command, context: CommandContext): void {
  plan
    .command("retire")
    .description("sell a plan no more, for good; servers of it live and renew on")
    .argument("<id>", "plan id", parseId)
    .requiredOption("--reason <text>", "why, 1 to 500 characters", parseText)
    .action(async (planId: bigint, { reason }: { readonly reason: string }, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const { repeated } = await servers.retirePlan({ planId, reason });
        return changed(repeated, {
          document: { plan_id: jsonInteger(planId), retired: true },
          text: `Plan ${String(planId)} is not sold any more; its servers live and renew on.\n`,
        });
      });
    });
}
