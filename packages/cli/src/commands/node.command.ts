import { defined, shareDataDirectory } from "@hostledger/runtime";
import type { Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { configurationOf } from "../start/configuration-of.ts";
import { serve } from "../start/serve.ts";

interface NodeFlags {
  readonly host?: string;
  readonly port?: string;
  readonly data?: string;
}

/** Adds `hostledger node`, which serves a data directory's embedded store over EventStoreDB's protocol until a signal. */
export function addNodeCommand(program: Command, { io, loadSystem }: CommandContext): void {
  program
    .command("node")
    .description("serve the embedded event store to EventStoreDB's clients, until SIGINT or SIGTERM")
    .option("--host <address>", "address to listen on (HOSTLEDGER_ESDB_HOST, else 127.0.0.1)", parseText)
    .option("--port <port>", "port, 0 takes a free one (HOSTLEDGER_ESDB_PORT, else 2113)", parseText)
    .option("--data <directory>", "data directory (HOSTLEDGER_DATA, else ./data)", parseText)
    .action(async ({ host, port, ...flags }: NodeFlags) => {
      const configuration = configurationOf(
        io.environment,
        { ...flags, ...defined({ esdbHost: host, esdbPort: port }) },
        { esdbHost: "--host", esdbPort: "--port" },
      );
      await serve(io, configuration, {
        claim: (path) => shareDataDirectory(path, "node"),
        bringUp: async (serving) => {
          const { startStandaloneNode } = await loadSystem();
          const node = await startStandaloneNode(serving);
          return {
            announce: () => Promise.resolve(`ready ${node.connectionString}\n`),
            close: () => node.close(),
          };
        },
      });
    });
}
