import type { Configuration } from "@hostledger/host/configuration";
import { createLogger, type DataDirectory, type Logger } from "@hostledger/runtime";
import { flushCompileCache } from "node:module";

import type { Io, ShutdownSignal } from "../io.ts";
import { startFailure } from "./start-failure.ts";

/** What a part of a deployment is brought up with. */
export interface Serving {
  /** Its `data` is the directory that was claimed. */
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly say: StartLog["say"];
  /** Ends the process: what the part keeps failed. */
  readonly onFatal: (error: Error) => void;
  /** Aborts at the first signal: a part that is not up yet need not come up. */
  readonly stopping: AbortSignal;
  /** Calls back at every SIGHUP. */
  readonly onHangup: Io["onHangup"];
}

/** A part that is up. */
export interface Running {
  /** Called once it can be told of. @returns what to print, the `ready` line first. */
  announce(): Promise<string>;
  /** Finishes what is running, then closes everything. */
  close(): Promise<void>;
  /** Takes back what `announce` left behind, also after a failure that nothing could be closed after. */
  forget?(): void;
}

/** How a part takes its data directory and comes up. */
export interface Part {
  readonly claim: (path: string) => DataDirectory;
  readonly bringUp: (serving: Serving) => Promise<Running>;
}

/** What a start that was told to stop ends with. */
class StoppedError extends Error {
  override readonly name = "StoppedError";
}

/**
 * How long a process has for its end after the first signal, in milliseconds: longer than what runs may take to finish, and
 * shorter than the time after which supervisors kill it.
 */
const stopLimitMs = 50_000;

/**
 * Runs a part of a deployment until a signal or a failure ends it.
 * @throws CommandFailure (1) when it cannot come up or cannot go on, (2) when the configuration is wrong.
 */
export async function serve(io: Io, configuration: Configuration, { claim, bringUp }: Part): Promise<void> {
  const { logger, say } = openStartLog(io, configuration);
  // From here on a signal waits for its turn instead of killing the process between two steps.
  const stopping = new AbortController();
  const untilSignal = firstShutdownSignal(io, stopLimitMs).then((signal) => {
    logger.info({ signal }, "shutting down");
    say("Finishing what is running; once more ends it at once.");
    stopping.abort(new StoppedError("it was told to stop before it was up"));
  });
  let directory: DataDirectory | undefined;
  try {
    directory = claim(configuration.data);
    const claimed = { ...configuration, data: directory.path };
    say(`Hostledger opens ${directory.path} and brings its read models up to the last fact.`);
    const { signal } = stopping;
    await runUntil(untilSignal, io, (onFatal) =>
      bringUp({ configuration: claimed, logger, say, onFatal, stopping: signal, onHangup: io.onHangup }),
    );
  } catch (error) {
    // That it did not come up is what was asked for.
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
  // It is waited for below, but may come before that: until then it must not count as unhandled.
  fatal.promise.catch(() => undefined);
  const running = await Promise.race([bringUp(fatal.reject), fatal.promise]);
  const serving = async (): Promise<void> => {
    try {
      // The line comes last of what a script may wait for: all files are there when it is read.
      io.out(await running.announce());
      // What was compiled is kept for the next start, also when this process does not come to its end.
      flushCompileCache();
      await signalled;
    } finally {
      await running.close();
    }
  };
  try {
    // A fatal failure leaves the rest behind: the log of facts is right as it is, and the next start replays it.
    await Promise.race([serving(), fatal.promise]);
  } finally {
    running.forget?.();
  }
}

/** Where a part that runs tells what it does. */
interface StartLog {
  readonly logger: Logger;
  /** A sentence for the person who looks on; where nobody does, nothing. */
  readonly say: (sentence: string) => void;
}

/**
 * The log of a part. At a terminal a person looks on, who is told in a few sentences, and in lines that can be read when something
 * is wrong; programs get JSON. Whoever sets the log's level or format has chosen, and is told nothing else.
 */
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

/**
 * One keypress can arrive twice: a terminal signals every process of its foreground group, and npm passes the signal
 * on to its child besides. Within this many milliseconds a repeated signal counts as the same one.
 */
const echoMilliseconds = 250;

/** What a shell shows for a process ended by a signal: 128 and the signal's number. */
const exitCodeBySignal: Readonly<Record<ShutdownSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Listens for shutdown signals until the process ends: the first is a wish, which the caller fulfils; a later one ends
 * the process at once. Nothing stops the listening, for an echo that comes after the last step must not kill the process
 * in the place of its exit code.
 * @param limitMs when the process has not ended so long after the first signal, it is ended as if by another one.
 * @returns settles at the first signal.
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
