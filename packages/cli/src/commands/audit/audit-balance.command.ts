import { formatEuros } from "@hostledger/core";
import type { Command } from "commander";
import { parseId } from "../../arguments/value-parsers.ts";
import { answerFromAudit, tellUnreadable } from "../../audit/audit-command.ts";
import { parseUntil } from "../../audit/instant-parsers.ts";
import type { CommandContext } from "../../command-context.ts";
import { jsonInteger } from "../../output/json.ts";

/** Adds `audit balance ACCOUNT --as-of T`, which recomputes a balance from events. */
export function addBalanceCommand(audit: Command, context: CommandContext): void {
  audit
    .command("balance")
    .description("recompute the balance of an account at an instant")
    .argument("<account>", "account id", parseId)
    .requiredOption(
      "--as-of <instant>",
      "instant of the balance; a date means the end of that day, UTC",
      parseUntil,
    )
    .action(async (accountId: bigint, { asOf }: { asOf: string }, command: Command) => {
      await answerFromAudit(context, command, async (client) => {
        const { balanceCents, revision, unreadable } = await client.getBalanceAsOf({ accountId, asOf });
        tellUnreadable(context.io, "balance", unreadable);
        const balance = formatEuros(balanceCents);
        return {
          document: {
            account_id: jsonInteger(accountId),
            as_of: asOf,
            balance,
            revision: jsonInteger(revision),
          },
          text: `Account ${String(accountId)} had ${balance} EUR at ${asOf}, up to its fact ${String(revision)}.\n`,
        };
      });
    });
}
