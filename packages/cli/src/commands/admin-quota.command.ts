import { maximumQuota } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import { InvalidArgumentError, type Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { listing, type Answer } from "../output/reply.ts";
import type { Column } from "../output/table.ts";
import { parseId } from "../arguments/value-parsers.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** The word for what accounts may use for which nothing is set. */
const standard = "standard";

/** `admin account quota`: what one account may use up. */
export function addQuotaCommand(account: Command, context: CommandContext): void {
  account
    .command("quota")
    .description("show what an account may use up, or set one of its quotas")
    .argument("<id>", "account id", parseId)
    .argument("[name]", "the quota to set, as listed", parseText)
    .argument("[value]", `what the account may use, or "${standard}"`, parseQuota)
    .option("--reason <text>", "why it is set, 1 to 1,000 characters", parseText)
    .action(
      async (
        accountId: bigint,
        quota: string | undefined,
        value: bigint | typeof standard | undefined,
        { reason }: { reason?: string },
        command: Command,
      ) => {
        if (quota === undefined) {
          if (reason !== undefined)
            throw wrongUsage("--reason is for a quota that is set: name the quota and its value too.");
          await answerFromStaff(context, command, async ({ accounts }) =>
            quotasAnswer((await accounts.listQuotas({ accountId })).quotas),
          );
          return;
        }
        if (value === undefined || reason === undefined)
          throw wrongUsage(`Setting the quota ${quota} needs <value> and --reason: name both.`);
        const asked = {
          accountId,
          quota,
          reason,
          ...defined({ value: value === standard ? undefined : value }),
        };
        await answerFromStaff(context, command, async ({ accounts }) => {
          const { quotas, repeated } = await accounts.setQuota(asked);
          const { document, text } = quotasAnswer(quotas);
          return { document, text: repeated ? `Nothing was done: all of it was so before.\n${text}` : text };
        });
      },
    );
}

function parseQuota(text: string): bigint | typeof standard {
  if (text === standard) return standard;
  if (!/^(0|[1-9]\d{0,12})$/.test(text) || BigInt(text) > BigInt(maximumQuota))
    throw new InvalidArgumentError(
      `It must be a whole number up to ${String(maximumQuota)}, or "${standard}".`,
    );
  return BigInt(text);
}

function quotasAnswer(quotas: readonly admin.AccountQuota[]): Answer {
  return listing(quotas.map(quotaRow), quotaColumns);
}

/** A quota as `--json` prints it. */
export function quotaRow(quota: admin.AccountQuota) {
  return {
    quota: quota.name,
    value: jsonInteger(quota.value),
    standard: jsonInteger(quota.standard),
    taken_today: quota.takenToday === undefined ? null : jsonInteger(quota.takenToday),
  };
}

/** Quotas as people read them. */
export const quotaColumns: readonly Column<ReturnType<typeof quotaRow>>[] = [
  { heading: "quota", cell: (row) => row.quota },
  { heading: "value", cell: (row) => row.value, align: "right" },
  { heading: "standard", cell: (row) => row.standard, align: "right" },
  { heading: "taken today", cell: (row) => row.taken_today, align: "right" },
];
