import type { Command } from "commander";
import { addAuditOptions } from "../../audit/audit-address.ts";
import type { CommandContext } from "../../command-context.ts";
import { addBalanceCommand } from "./audit-balance.command.ts";
import { addEventsCommand } from "./audit-events.command.ts";
import { addExplainCommand } from "./audit-explain.command.ts";
import { addJournalCommand } from "./audit-journal.command.ts";
import { addStatementCommand } from "./audit-statement.command.ts";
import { addExportCommand } from "./export.command.ts";
import { addAuditKeyCommands, addAuditLogCommands } from "./key.command.ts";
import { addReconcileCommand } from "./reconcile.command.ts";
import { addStatusCommand } from "./status.command.ts";
import { addVerifyCommand } from "./verify.command.ts";

export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = addAuditOptions(
    program.command("audit").description("events, balances, proofs and books, for auditors"),
  );
  addEventsCommand(audit, context);
  addStatementCommand(audit, context);
  addBalanceCommand(audit, context);
  addExplainCommand(audit, context);
  addJournalCommand(audit, context);
  addVerifyCommand(audit, context);
  addReconcileCommand(audit, context);
  addExportCommand(audit, context);
  addAuditKeyCommands(audit, context);
  addAuditLogCommands(audit, context);
  addStatusCommand(audit, context);
}
