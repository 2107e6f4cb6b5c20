import { partNames } from "@hostledger/rpc";
import { claimDataDirectory, type Logger } from "@hostledger/runtime";
import type { Command } from "commander";

import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { removeInstance, writeInstance } from "../staff/instance-file.ts";
import type { Environment } from "../io.ts";
import { configurationOf } from "../start/configuration-of.ts";
import { prepareDemo } from "../start/demo.ts";
import { type Running, serve, type Serving } from "../start/serve.ts";

/** Adds `hostledger start`, which runs everything in one process until a signal. */
export function addStartCommand(program: Command, context: CommandContext): void {
  program
    .command("start")
    .description("run everything in one process, until SIGINT or SIGTERM")
    .option("--demo", "open a demo account if the store is empty", false)
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
      "use an event store whose data directory is lost; nobody can read its customers' texts again",
      false,
    )
    .option("--data <directory>", "data directory (HOSTLEDGER_DATA, else ./data)", parseText)
    .action(async (flags: StartFlags) => {
      await start(context, flags);
    });
}

interface StartFlags {
  readonly demo: boolean;
  readonly takeOverStore: boolean;
  readonly host?: string;
  readonly port?: string;
  readonly adminPort?: string;
  readonly esdbPort?: string;
  readonly data?: string;
}

/** Runs an instance until a signal or failure. @throws CommandFailure (1) if it fails, (2) for a wrong configuration */
async function start(
  context: CommandContext,
  { demo, takeOverStore: takesOver, ...flags }: StartFlags,
): Promise<void> {
  const environment = demo ? demoEnvironment(context.io.environment) : context.io.environment;
  await serve(context.io, configurationOf(environment, flags), {
    claim: claimDataDirectory,
    bringUp: (serving) => bringUpInstance(context, serving, { demo, takesOver }),
  });
}

/** A demo with simulated providers takes simulated payments, unless the operator chooses otherwise. */
function demoEnvironment(environment: Environment): Environment {
  const { HOSTLEDGER_REGISTRAR: registrar = "sandbox", HOSTLEDGER_COMPUTE: compute = "sandbox" } =
    environment;
  const isSimulated = registrar === "sandbox" && compute === "sandbox";
  return isSimulated ? { HOSTLEDGER_PAYMENTS: "sandbox", ...environment } : environment;
}

async function bringUpInstance(
  { io, loadSystem }: CommandContext,
  { say, ...serving }: Serving,
  { demo, takesOver }: { readonly demo: boolean; readonly takesOver: boolean },
): Promise<Running> {
  const { logger } = serving;
  const { data } = serving.configuration;
  // The file of a killed process may name a port that another process uses now.
  removeInstance(data);
  const { startParts } = await loadSystem();
  const started = await startParts(partNames, { ...serving, ...(takesOver && { storeClaim: "taken-over" }) });
  return {
    async announce() {
      const { baseUrl, adminUrl, rpcUrl, esdbUrl } = started;
      writeInstance(data, { base_url: baseUrl, admin_url: adminUrl, rpc_url: rpcUrl, pid: io.pid });
      say(`Staff and GET /metrics are served at ${adminUrl}; Ctrl-C ends it.`);
      const greeting = await prepareDemo(data, started, demo);
      const addresses = demo
        ? `customers ${new URL("/", baseUrl).href}\nstaff ${new URL("/", adminUrl).href}\n`
        : "";
      const node = esdbUrl === undefined ? "" : `event store ${esdbUrl}\n`;
      return `ready ${baseUrl}\n${node}${addresses}${greeting}`;
    },
    close: () => started.close(),
    forget: () => {
      forgetInstance(data, logger);
    },
  };
}

function forgetInstance(dataDirectory: string, logger: Logger): void {
  try {
    removeInstance(dataDirectory);
  } catch (error) {
    // A remaining file is harmless, because nothing listens at its address.
    logger.warn({ err: error }, "instance.json could not be removed");
  }
}
