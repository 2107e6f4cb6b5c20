import type { Command } from "commander";
import { formatEuros } from "@hostledger/core";

import { addAuditOptions } from "../../audit/audit-address.ts";
import type { CommandContext } from "../../command-context.ts";
import { addEventsCommand } from "./audit-events.command.ts";
import { addExplainCommand } from "./audit-explain.command.ts";
import { addJournalCommand } from "./audit-journal.command.ts";
import { addStatementCommand } from "./audit-statement.command.ts";
import { addExportCommand } from "./export.command.ts";
import { addAuditKeyCommands, addAuditLogCommands } from "./key.command.ts";
import { addReconcileCommand } from "./reconcile.command.ts";
import { addStatusCommand } from "./status.command.ts";
import { addVatCommand } from "./audit-vat.command.ts";
import { addVerifyCommand } from "./verify.command.ts";
import { parseId } from "../../arguments/value-parsers.ts";
import { answerFromAudit, reportUnreadable } from "../../audit/audit-command.ts";
import { parseUntil } from "../../audit/instant-parsers.ts";
import { jsonInteger } from "../../output/json.ts";

export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = addAuditOptions(
    program.command("audit").description("events, balances, proofs and books, for auditors"),
  );
  addEventsCommand(audit, context);
  addStatementCommand(audit, context);
  addBalanceCommand(audit, context);
  addExplainCommand(audit, context);
  addJournalCommand(audit, context);
  addVatCommand(audit, context);
  addVerifyCommand(audit, context);
  addReconcileCommand(audit, context);
  addExportCommand(audit, context);
  addAuditKeyCommands(audit, context);
  addAuditLogCommands(audit, context);
  addStatusCommand(audit, context);
}

/** Adds `audit balance ACCOUNT --as-of T`, which recomputes a balance from events. */
function addBalanceCommand(audit: Command, context: CommandContext): void {
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
        reportUnreadable(context.io, "balance", unreadable);
        const balance = formatEuros(balanceCents);
        return {
          document: {
            account_id: jsonInteger(accountId),
            as_of: asOf,
            balance,
            revision: jsonInteger(revision),
          },
          text: `Account ${String(accountId)} had ${balance} EUR at ${asOf}, up to its event ${String(revision)}.\n`,
        };
      });
    });
}
