import type { Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { start, type StartFlags } from "../start/start.ts";

/** `hostledger start`: everything in one process, until a signal. */
export function addStartCommand(program: Command, context: CommandContext): void {
  program
    .command("start")
    .description("run everything in one process, until SIGINT or SIGTERM")
    .option("--demo", "on an empty store, open an account to try things with", false)
    .option("--host <address>", "address of the REST API (HOSTLEDGER_HOST, else 127.0.0.1)", parseText)
    .option(
      "--port <port>",
      "port of the REST API, 0 takes a free one (HOSTLEDGER_PORT, else 8080)",
      parseText,
    )
    .option("--admin-port <port>", "port of the staff listener (HOSTLEDGER_ADMIN_PORT, else 8081)", parseText)
    .option(
      "--esdb-port <port>",
      "port on which EventStoreDB's clients reach the store, 0 takes a free one (HOSTLEDGER_ESDB_PORT, else none)",
      parseText,
    )
    .option(
      "--take-over-store",
      "use an event store whose data directory is lost for good; texts of its customers stay unreadable",
      false,
    )
    .option("--data <directory>", "data directory (HOSTLEDGER_DATA, else ./data)", parseText)
    .action(async (flags: StartFlags) => {
      await start(context, flags);
    });
}
