import { realTiming } from "@hostledger/runtime";

import type { Environment, Io, ShutdownSignal } from "../io.ts";

/** A spec's process: captures output, sends signals on request, and advances its clock without waiting. */
export interface CapturedIo extends Io {
  readonly stdout: () => string;
  readonly stdoutBytes: () => Uint8Array;
  readonly stderr: () => string;
  /** Sends a signal this many milliseconds after the previous signal. */
  readonly signal: (signal: ShutdownSignal, afterMilliseconds?: number) => void;
  /** Codes passed to `exitNow`, which returns here, unlike the real function. */
  readonly exits: readonly number[];
}

/**
 * @param errColumns width of the terminal on standard error; absent if none.
 * @param input standard input.
 * @param colours whether both streams are terminals with colours.
 */
export function capturedIo(
  environment: Environment = {},
  errColumns?: number,
  input: readonly Uint8Array[] = [],
  colours = false,
): CapturedIo {
  const written: Uint8Array[] = [];
  let stderr = "";
  let now = 0;
  const listeners: ((signal: ShutdownSignal) => void)[] = [];
  const exits: number[] = [];
  return {
    // oxlint-disable-next-line typescript/require-await
    async *input() {
      yield* input;
    },
    out: (text) => void written.push(Buffer.from(text)),
    outBytes: (bytes) => void written.push(bytes),
    err: (text) => (stderr += text),
    errColumns,
    colours: { out: colours, err: colours },
    environment,
    pid: 4711,
    timing: {
      ...realTiming,
      monotonicMilliseconds: () => now,
      sleep(milliseconds) {
        now += milliseconds;
        return Promise.resolve();
      },
    },
    onSignal: (listener) => void listeners.push(listener),
    onHangup: () => undefined,
    exitNow: (code) => exits.push(code),
    stdout: () => Buffer.concat(written).toString("utf8"),
    stdoutBytes: () => Buffer.concat(written),
    stderr: () => stderr,
    signal: (signal, afterMilliseconds = 0) => {
      now += afterMilliseconds;
      for (const listener of listeners) listener(signal);
    },
    exits,
  };
}
