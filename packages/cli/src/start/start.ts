import { claimDataDirectory, createLogger, type DataDirectory, type Logger } from "@hostledger/runtime";
import type { Standalone, StandaloneOptions } from "@hostledger/standalone";
import type { CommandContext } from "../command-context.ts";
import type { ShutdownSignal } from "../io.ts";
import { removeInstance, writeInstance } from "../staff/instance-file.ts";

import { configurationOf } from "./configuration-of.ts";
import { prepareDemo } from "./prepare-demo.ts";
import { firstShutdownSignal } from "./shutdown-signals.ts";
import { startFailure } from "./start-failure.ts";

/** The flags of `start`, as typed; the configuration's rules check them. */
export interface StartFlags {
  readonly demo: boolean;
  readonly host?: string;
  readonly port?: string;
  readonly adminPort?: string;
  readonly data?: string;
}

/**
 * Runs an instance until a signal or a failure ends it. The data directory is this process's alone meanwhile.
 * @throws CommandFailure (1) when it cannot come up or cannot go on, (2) when the configuration is wrong.
 */
export async function start(context: CommandContext, { demo, ...flags }: StartFlags): Promise<void> {
  const { io } = context;
  const configuration = configurationOf(io.environment, flags);
  const logger = createLogger({
    level: configuration.logLevel,
    format: configuration.logFormat,
    sink: { write: io.err },
  });
  // From here on a signal waits for its turn instead of killing the process between two steps.
  const shutdownSignal = firstShutdownSignal(io);
  let directory: DataDirectory | undefined;
  try {
    directory = claimDataDirectory(configuration.data);
    await runInstance(context, { configuration, directory, logger, shutdownSignal, demo });
  } catch (error) {
    const { failure, explained } = startFailure(error, configuration.data);
    if (!explained) logger.fatal({ err: error }, "the instance failed");
    throw failure;
  } finally {
    directory?.release();
  }
}

/** What the steps below share. */
interface Claimed {
  readonly configuration: StandaloneOptions["configuration"];
  readonly directory: DataDirectory;
  readonly logger: Logger;
  readonly shutdownSignal: Promise<ShutdownSignal>;
  readonly demo: boolean;
}

async function runInstance(context: CommandContext, claimed: Claimed): Promise<void> {
  const { directory, logger } = claimed;
  const fatal = Promise.withResolvers<never>();
  // It is waited for below, but may come before that: until then it must not count as unhandled.
  fatal.promise.catch(() => undefined);
  const configuration = { ...claimed.configuration, data: directory.path };
  try {
    // What a killed process left behind names a port that may be another's by now.
    removeInstance(directory.path);
    const startStandalone = await context.loadStandalone();
    const starting = startStandalone({ configuration, logger, onFatal: fatal.reject });
    const standalone = await Promise.race([starting, fatal.promise]);
    // A fatal failure leaves the rest behind: the log of facts is right as it is, and the next start replays it.
    await Promise.race([serveUntilSignal(context, claimed, standalone), fatal.promise]);
  } finally {
    forgetInstance(directory.path, logger);
  }
}

async function serveUntilSignal(
  { io }: CommandContext,
  claimed: Claimed,
  standalone: Standalone,
): Promise<void> {
  const { directory, logger, shutdownSignal, demo } = claimed;
  try {
    const { baseUrl, adminUrl, rpcUrl } = standalone;
    writeInstance(directory.path, { base_url: baseUrl, admin_url: adminUrl, rpc_url: rpcUrl, pid: io.pid });
    const greeting = await prepareDemo(directory.path, standalone, demo);
    // The line comes last of what a script may wait for: all files are there when it is read.
    io.out(`ready ${baseUrl}\n${greeting}`);
    const signal = await shutdownSignal;
    logger.info({ signal }, "shutting down");
  } finally {
    await standalone.close();
  }
}

function forgetInstance(dataDirectory: string, logger: Logger): void {
  try {
    removeInstance(dataDirectory);
  } catch (error) {
    // A file left behind misleads nobody for long: whoever follows it finds nothing that listens.
    logger.warn({ err: error }, "instance.json could not be removed");
  }
}
