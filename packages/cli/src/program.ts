import { Command } from "commander";
import packageJson from "../package.json" with { type: "json" };
import type { CommandContext } from "./command-context.ts";
import { addAdminCommands } from "./commands/admin.command.ts";
import { addAuditCommands } from "./commands/audit/audit.command.ts";
import { addBackupCommands } from "./commands/backup.commands.ts";
import { addConfigCommand } from "./commands/config.command.ts";
import { addNodeCommand } from "./commands/node.command.ts";
import { addProjectionsCommands } from "./commands/projections.command.ts";
import { addServiceCommand } from "./commands/service.command.ts";
import { addStoreCommands } from "./commands/store.command.ts";
import { addStartCommand } from "./commands/start.command.ts";

/** The command `hostledger` with everything below it. One call parses one command line. */
export function createProgram(context: CommandContext): Command {
  const { io } = context;
  const program = new Command("hostledger")
    .description("Event-sourced billing and provisioning core for hosting providers.")
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Add "--help" for the way to use it.')
    .addHelpText("after", "\nExit codes: 0 done, 1 refused, 2 wrong usage, 3 could not reach the server.");
  // Settings above are inherited by the commands below, so they come first.
  addStartCommand(program, context);
  addServiceCommand(program, context);
  addNodeCommand(program, context);
  addAdminCommands(program, context);
  addAuditCommands(program, context);
  addProjectionsCommands(program, context);
  addStoreCommands(program, context);
  addBackupCommands(program, context);
  addConfigCommand(program, context);
  return program;
}
