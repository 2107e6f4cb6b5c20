import { realTiming, type Timing } from "@hostledger/runtime";
import type { Writable } from "node:stream";

import { errorCodeOf } from "./error-code.ts";
import { exitCodes } from "./exit-code.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A signal that asks the process to end. */
export type ShutdownSignal = "SIGINT" | "SIGTERM";

/** Everything a command touches of the process around it, so that specs can run commands in process. */
export interface Io {
  /** Reads standard input, to its end. */
  readonly input: () => AsyncIterable<Uint8Array>;
  /** Writes to standard output: answers only. The caller ends its lines. */
  readonly out: (text: string) => void;
  /** Writes bytes to standard output that are no text, such as a PDF. */
  readonly outBytes: (bytes: Uint8Array) => void;
  /** Writes to standard error: sentences and logs. The caller ends its lines. */
  readonly err: (text: string) => void;
  /** How wide the terminal is that standard error goes to, in columns; undefined where it goes elsewhere. */
  readonly errColumns: number | undefined;
  /** Where colours are seen: at a terminal that shows them, unless the user wants none (`NO_COLOR`). */
  readonly colours: { readonly out: boolean; readonly err: boolean };
  readonly environment: Environment;
  readonly pid: number;
  /** What is waited by; also tells two signals from one that arrived twice. */
  readonly timing: Timing;
  /** Calls `listener` at every shutdown signal from now on. */
  readonly onSignal: (listener: (signal: ShutdownSignal) => void) => void;
  /** Calls `listener` at every SIGHUP from now on, which then no longer ends the process. */
  readonly onHangup: (listener: () => void) => void;
  /** Ends the process at once, without finishing what is running. */
  readonly exitNow: (code: number) => void;
}

const shutdownSignals: readonly ShutdownSignal[] = ["SIGINT", "SIGTERM"];

/** The real process. */
export function processIo(): Io {
  // A reader that has seen enough, such as `head`, is no failure; any other error of the stream still is.
  process.stdout.on("error", (error) => {
    if (errorCodeOf(error) !== "EPIPE") throw error;
    process.exit(exitCodes.done);
  });
  // A log that nobody reads any more, or whose disk is full, ends no instance: lines are lost until there is room again.
  process.stderr.on("error", () => undefined);
  return {
    input: () => process.stdin,
    out: (text) => void process.stdout.write(text),
    outBytes: (bytes) => void process.stdout.write(bytes),
    err: (text) => void process.stderr.write(text),
    errColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
    colours: { out: showsColours(process.stdout), err: showsColours(process.stderr) },
    environment: process.env,
    pid: process.pid,
    timing: realTiming,
    onSignal: (listener) => {
      for (const signal of shutdownSignals) process.on(signal, listener);
    },
    onHangup: (listener) => void process.on("SIGHUP", listener),
    exitNow: (code) => process.exit(code),
  };
}

/** `hasColors` knows the terminal by `TERM`, and honours `NO_COLOR`. */
function showsColours(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}

/**
 * Lets `hostledger … | head -1` end quietly: a reader that has seen enough closes the pipe, which is no failure of
 * the command. Any other error of the stream is a bug and stays one.
 */
export function tolerateClosedPipe(stream: Writable): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

/**
 * Ends the process once its answer has left. A plain `process.exitCode` would wait for every handle still open, such
 * as an idle connection; a plain `process.exit` could cut the answer off.
 */
export async function endProcess(exitCode: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => {
      if (stream.destroyed) resolve();
      else
        stream.write("", () => {
          resolve();
        });
    });
  }
  process.exit(exitCode);
}
