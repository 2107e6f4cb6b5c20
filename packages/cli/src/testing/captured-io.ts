import { realTiming } from "@hostledger/runtime";

import type { Environment, Io, ShutdownSignal } from "../io.ts";

/** A process of a spec's own: what commands print is kept, signals come when the spec says so, waiting costs nothing. */
export interface CapturedIo extends Io {
  readonly stdout: () => string;
  /** What {@link stdout} reads as text. */
  readonly stdoutBytes: () => Uint8Array;
  readonly stderr: () => string;
  /** Delivers a signal, this many milliseconds after the one before. */
  readonly signal: (signal: ShutdownSignal, afterMilliseconds?: number) => void;
  /** The codes `exitNow` was called with; the real one would not return. */
  readonly exits: readonly number[];
}

/**
 * @param errColumns how wide the terminal of standard error is; without it there is none.
 * @param input what comes on standard input.
 * @param colours whether both streams go to a terminal that shows them.
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
