import { realTiming, type Timing } from "@hostledger/runtime";
import type { Writable } from "node:stream";

import { errorCodeOf } from "./error-code.ts";
import { exitCodes } from "./exit-code.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type ShutdownSignal = "SIGINT" | "SIGTERM";

/** The parts of its process that a command uses; specs replace them. */
export interface Io {
  /** Reads standard input to its end. */
  readonly input: () => AsyncIterable<Uint8Array>;
  /** Writes an answer to standard output. The caller adds line ends. */
  readonly out: (text: string) => void;
  /** Writes binary data such as a PDF to standard output. */
  readonly outBytes: (bytes: Uint8Array) => void;
  /** Writes sentences and logs to standard error. The caller adds line ends. */
  readonly err: (text: string) => void;
  /** Width in columns of the terminal on standard error; undefined if it is no terminal. */
  readonly errColumns: number | undefined;
  /** True for terminals with colours, unless the user set `NO_COLOR`. */
  readonly colours: { readonly out: boolean; readonly err: boolean };
  readonly environment: Environment;
  readonly pid: number;
  /** Clock and timers. */
  readonly timing: Timing;
  /** Calls `listener` at every later shutdown signal. */
  readonly onSignal: (listener: (signal: ShutdownSignal) => void) => void;
  /** Calls `listener` at every later SIGHUP, which then no longer ends the process. */
  readonly onHangup: (listener: () => void) => void;
  /** Ends the process at once, without finishing running work. */
  readonly exitNow: (code: number) => void;
}

const shutdownSignals: readonly ShutdownSignal[] = ["SIGINT", "SIGTERM"];

export function processIo(): Io {
  // A reader such as `head` may close the pipe early, which is no failure.
  process.stdout.on("error", (error) => {
    if (errorCodeOf(error) !== "EPIPE") throw error;
    process.exit(exitCodes.done);
  });
  // Errors of the log's stream, such as a full disk, lose log lines but do not end the instance.
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

/** `hasColors` reads `TERM` and respects `NO_COLOR`. */
function showsColours(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}

/** Ignores a pipe that its reader closed early, as in `hostledger … | head -1`. Throws any other error. */
export function tolerateClosedPipe(stream: Writable): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

/** Ends the process after its output was written, without waiting for open handles such as idle connections. */
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
