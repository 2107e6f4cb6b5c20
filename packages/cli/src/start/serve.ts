import type { Configuration } from "@hostledger/host/configuration";
import { createLogger, type DataDirectory, type Logger } from "@hostledger/runtime";
import { flushCompileCache } from "node:module";

import type { Io, ShutdownSignal } from "../io.ts";
import { startFailure } from "./start-failure.ts";

export interface Serving {
  /** Configuration; `data` is the claimed directory. */
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly say: StartLog["say"];
  /** Ends the process after a fatal failure of the part. */
  readonly onFatal: (error: Error) => void;
  /** Aborts at the first signal, so that a starting part can stop early. */
  readonly stopping: AbortSignal;
  /** Calls back at every SIGHUP. */
  readonly onHangup: Io["onHangup"];
}

export interface Running {
  /** Publishes the addresses. @returns text to print, beginning with the `ready` line. */
  announce(): Promise<string>;
  /** Finishes running work, then closes everything. */
  close(): Promise<void>;
  /** Undoes `announce`; also called after a failure that prevents `close`. */
  forget?(): void;
}

/** Functions that claim the data directory and start the part. */
export interface Part {
  readonly claim: (path: string) => DataDirectory;
  readonly bringUp: (serving: Serving) => Promise<Running>;
}

/** Thrown if a signal stops the start. */
class StoppedError extends Error {
  override readonly name = "StoppedError";
}

/** Time limit of a shutdown in milliseconds: longer than running work, shorter than supervisors wait. */
const stopLimitMs = 50_000;

/** Runs a part until a signal or failure. @throws CommandFailure (1) if it fails, (2) for a wrong configuration */
export async function serve(io: Io, configuration: Configuration, { claim, bringUp }: Part): Promise<void> {
  const { logger, say } = openStartLog(io, configuration);
  // From here a signal is handled between steps instead of killing the process.
  const stopping = new AbortController();
  const untilSignal = firstShutdownSignal(io, stopLimitMs).then((signal) => {
    logger.info({ signal }, "shutting down");
    say("Finishing running work; another signal ends the process at once.");
    stopping.abort(new StoppedError("it got a signal to stop before it was ready"));
  });
  let directory: DataDirectory | undefined;
  try {
    directory = claim(configuration.data);
    const claimed = { ...configuration, data: directory.path };
    say(`Hostledger opens ${directory.path} and brings its read models up to the last event.`);
    const { signal } = stopping;
    await runUntil(untilSignal, io, (onFatal) =>
      bringUp({ configuration: claimed, logger, say, onFatal, stopping: signal, onHangup: io.onHangup }),
    );
  } catch (error) {
    // A stopped start is a success, because the signal requested it.
    if (error instanceof StoppedError) return;
    const { failure, explained } = startFailure(error, configuration.data);
    if (!explained) logger.fatal({ err: error }, "the instance failed");
    throw failure;
  } finally {
    directory?.release();
  }
}

async function runUntil(
  signalled: Promise<void>,
  io: Io,
  bringUp: (onFatal: Serving["onFatal"]) => Promise<Running>,
): Promise<void> {
  const fatal = Promise.withResolvers<never>();
  // Awaited below; until then a rejection must not count as unhandled.
  fatal.promise.catch(() => undefined);
  const running = await Promise.race([bringUp(fatal.reject), fatal.promise]);
  const serving = async (): Promise<void> => {
    try {
      // Printed after all files are written, because scripts wait for this line.
      io.out(await running.announce());
      // Saves the compile cache for the next start now, in case this process is killed.
      flushCompileCache();
      await signalled;
    } finally {
      await running.close();
    }
  };
  try {
    // A fatal failure skips the remaining work; the event store stays consistent, and the next start resumes.
    await Promise.race([serving(), fatal.promise]);
  } finally {
    running.forget?.();
  }
}

interface StartLog {
  readonly logger: Logger;
  /** Prints a sentence if a person watches a terminal; otherwise does nothing. */
  readonly say: (sentence: string) => void;
}

/** Opens the log: sentences for a person at a terminal, JSON for programs, or as explicitly configured. */
function openStartLog(io: Io, { logLevel, logFormat }: Configuration): StartLog {
  const { HOSTLEDGER_LOG_LEVEL: level, HOSTLEDGER_LOG_FORMAT: format } = io.environment;
  const isWatched = io.errColumns !== undefined && level === undefined && format === undefined;
  return {
    logger: createLogger({
      level: isWatched ? "warn" : logLevel,
      format: isWatched ? "pretty" : logFormat,
      sink: { write: io.err },
    }),
    say(sentence) {
      if (isWatched) io.err(`${sentence}\n`);
    },
  };
}

/** Milliseconds within which a repeated signal counts as one, because terminals and npm both send it. */
const echoMilliseconds = 250;

/** Exit codes as shells report signals: 128 plus the signal's number. */
const exitCodeBySignal: Readonly<Record<ShutdownSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Listens for shutdown signals until the process ends. The first requests a shutdown, a later one ends the process at
 * once. The listener stays, because a late duplicate signal would otherwise kill the process and replace its exit code.
 * @param limitMs time after the first signal until the process is ended.
 * @returns resolves at the first signal.
 */
function firstShutdownSignal(io: Io, limitMs: number): Promise<ShutdownSignal> {
  const { promise, resolve } = Promise.withResolvers<ShutdownSignal>();
  let requestedAt: number | undefined;
  io.onSignal((signal) => {
    const now = io.timing.monotonicMilliseconds();
    if (requestedAt === undefined) {
      requestedAt = now;
      io.timing.after(limitMs, () => {
        io.exitNow(exitCodeBySignal[signal]);
      });
      resolve(signal);
    } else if (now - requestedAt > echoMilliseconds) {
      io.exitNow(exitCodeBySignal[signal]);
    }
  });
  return promise;
}
