import type { Configuration } from "@hostledger/host/configuration";
import { partNames, type PartName } from "@hostledger/rpc";
import { shareDataDirectory, type DataDirectory } from "@hostledger/runtime";
import { Argument, type Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { wrongUsage } from "../exit-code.ts";
import { configurationOf } from "../start/configuration-of.ts";
import { serve, type Running, type Serving } from "../start/serve.ts";

interface ServiceFlags {
  readonly host?: string;
  readonly port?: string;
  readonly adminPort?: string;
  readonly data?: string;
}

/** Adds `hostledger service …`, which runs one part of a deployment in its own process until a signal. */
export function addServiceCommand(program: Command, context: CommandContext): void {
  program
    .command("service")
    .description("run one part of a deployment alone, until SIGINT or SIGTERM")
    .addArgument(new Argument("<part>", "the part").choices(partNames))
    .option(
      "--host <address>",
      "address (HOSTLEDGER_RPC_HOST, else 127.0.0.1; of gateway and audit HOSTLEDGER_HOST)",
      parseText,
    )
    .option(
      "--port <port>",
      "port, 0 takes a free one (HOSTLEDGER_RPC_PORT; of gateway and audit HOSTLEDGER_PORT)",
      parseText,
    )
    .option("--admin-port <port>", "port of the gateway's staff listener (HOSTLEDGER_ADMIN_PORT)", parseText)
    .option("--data <directory>", "data directory (HOSTLEDGER_DATA, else ./data)", parseText)
    .action(async (part: PartName, { host, port, ...flags }: ServiceFlags) => {
      if (flags.adminPort !== undefined && part !== "gateway")
        throw wrongUsage(`--admin-port is for the gateway; ${part} has no staff listener: leave it out.`);
      const place =
        part === "gateway" || part === "audit" ? { host, port } : { rpcHost: host, rpcPort: port };
      const configuration = configurationOf(
        context.io.environment,
        { ...flags, ...place },
        { rpcHost: "--host", rpcPort: "--port" },
      );
      refuseUnshared(configuration, part);
      await serve(context.io, configuration, {
        claim: (path) => claim(configuration, part, path),
        bringUp: (serving) => bringUp(context, part, serving),
      });
    });
}

/** Refuses settings that the processes of a deployment must share but that are missing. */
function refuseUnshared({ adminToken, eventStore }: Configuration, part: PartName): void {
  const mistakes = [
    // A gateway forwards the credential of staff and needs none itself.
    ...(adminToken === undefined && part !== "gateway"
      ? ["HOSTLEDGER_ADMIN_TOKEN must be set: the parts of a deployment share it."]
      : []),
    ...(eventStore === "embedded" && part !== "gateway"
      ? [
          'HOSTLEDGER_EVENT_STORE must be esdb://…: parts that run alone share a store ("hostledger node" is one).',
        ]
      : []),
  ];
  if (mistakes.length > 0) throw wrongUsage(mistakes.join("\n"));
}

/** Claims the data directory: exclusively per part for SQLite read models, shared for PostgreSQL. */
function claim({ database }: Configuration, part: PartName, path: string): DataDirectory {
  return shareDataDirectory(path, part !== "gateway" && database === "sqlite" ? part : undefined);
}

async function bringUp({ loadSystem }: CommandContext, part: PartName, serving: Serving): Promise<Running> {
  const { startParts } = await loadSystem();
  const started = await startParts([part], serving);
  return {
    announce: () => Promise.resolve(`ready ${started.baseUrl}\n`),
    close: () => started.close(),
  };
}
