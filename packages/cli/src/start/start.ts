import { claimDataDirectory, type Logger } from "@hostledger/runtime";
import type { CommandContext } from "../command-context.ts";
import { removeInstance, writeInstance } from "../staff/instance-file.ts";

import { configurationOf } from "./configuration-of.ts";
import { prepareDemo } from "./prepare-demo.ts";
import { serve, type Running, type Serving } from "./serve.ts";

/** The flags of `start`, as typed; the configuration's rules check them. */
export interface StartFlags {
  readonly demo: boolean;
  readonly takeOverStore: boolean;
  readonly host?: string;
  readonly port?: string;
  readonly adminPort?: string;
  readonly esdbPort?: string;
  readonly data?: string;
}

/**
 * Runs an instance until a signal or a failure ends it. The data directory is this process's alone meanwhile.
 * @throws CommandFailure (1) when it cannot come up or cannot go on, (2) when the configuration is wrong.
 */
export async function start(
  context: CommandContext,
  { demo, takeOverStore: takesOver, ...flags }: StartFlags,
): Promise<void> {
  await serve(context.io, configurationOf(context.io.environment, flags), {
    claim: claimDataDirectory,
    bringUp: (serving) => bringUpInstance(context, serving, { demo, takesOver }),
  });
}

async function bringUpInstance(
  { io, loadSystem }: CommandContext,
  { say, ...serving }: Serving,
  { demo, takesOver }: { readonly demo: boolean; readonly takesOver: boolean },
): Promise<Running> {
  const { logger } = serving;
  const { data } = serving.configuration;
  // What a killed process left behind names a port that may be another's by now.
  removeInstance(data);
  const { startStandalone } = await loadSystem();
  const standalone = await startStandalone({ ...serving, ...(takesOver && { storeClaim: "taken-over" }) });
  return {
    async announce() {
      const { baseUrl, adminUrl, rpcUrl, esdbUrl } = standalone;
      writeInstance(data, { base_url: baseUrl, admin_url: adminUrl, rpc_url: rpcUrl, pid: io.pid });
      say(`Staff and GET /metrics are served at ${adminUrl}; Ctrl-C ends it.`);
      const greeting = await prepareDemo(data, standalone, demo);
      const addresses = demo
        ? `customers ${new URL("/", baseUrl).href}\nstaff ${new URL("/", adminUrl).href}\n`
        : "";
      const node = esdbUrl === undefined ? "" : `event store ${esdbUrl}\n`;
      return `ready ${baseUrl}\n${node}${addresses}${greeting}`;
    },
    close: () => standalone.close(),
    forget: () => {
      forgetInstance(data, logger);
    },
  };
}

function forgetInstance(dataDirectory: string, logger: Logger): void {
  try {
    removeInstance(dataDirectory);
  } catch (error) {
    // A file left behind misleads nobody for long: whoever follows it finds nothing that listens.
    logger.warn({ err: error }, "instance.json could not be removed");
  }
}
