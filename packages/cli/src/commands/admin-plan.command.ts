import { formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { parseCount, parseId, parsePrice, parseText } from "../arguments/value-parsers.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { shownTime } from "../output/table.ts";
import { argument, option, required } from "../staff/command-line.codec.ts";
import { call, noun } from "../staff/staff-table.ts";
import { planLists } from "./admin-catalogue-lists.ts";

const { addPlan, editPlan, retirePlan } = admin.ServerAdminService.method;

const planId = argument("<id>", "plan id", parseId);

/** What is said of a plan: the option, what it means and how it is read. */
const terms = {
  title: ["--title <text>", "name for customers", parseText],
  cores: ["--cores <n>", "processor cores", parseCount],
  memoryGb: ["--memory <gb>", "memory in GB", parseCount],
  storageGb: ["--storage <gb>", "storage in GB", parseCount],
  priceCents: ["--price <euros>", "price of a month, VAT included, for example 9.99", parsePrice],
} as const;

/** `admin plan …`: what servers can be ordered. */
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
    ["edit", "change what is sold as a plan from now on; servers keep what they were ordered with"],
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
          "when that price comes into force, for example 2027-01-01T00:00:00Z; at once without it",
        ),
      },
      refuse({ title, cores, memoryGb, storageGb, priceCents }) {
        if ([title, cores, memoryGb, storageGb, priceCents].every((term) => term === undefined))
          throw wrongUsage("Say what changes: --title, --cores, --memory, --storage or --price.");
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
  call(["retire", "sell a plan no more, for good; servers of it live and renew on"], retirePlan, {
    inputs: { planId, reason: required("--reason <text>", "why, 1 to 500 characters", parseText) },
    document: (_retired, { planId: id = 0n }) => ({ plan_id: jsonInteger(id), retired: true }),
    text: (_retired, { planId: id }) =>
      `Plan ${String(id)} is not sold any more; its servers live and renew on.\n`,
  }),
  ...planLists,
]);
