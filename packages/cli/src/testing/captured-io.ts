import type { Environment, Io, ShutdownSignal } from "../io.ts";

/** A process of a spec's own: what commands print is kept, signals come when the spec says so. */
export interface CapturedIo extends Io {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Delivers a signal, this many milliseconds after the one before. */
  readonly signal: (signal: ShutdownSignal, afterMilliseconds?: number) => void;
  /** The codes `exitNow` was called with; the real one would not return. */
  readonly exits: readonly number[];
}

export function capturedIo(environment: Environment = {}): CapturedIo {
  let stdout = "";
  let stderr = "";
  let now = 0;
  const listeners: ((signal: ShutdownSignal) => void)[] = [];
  const exits: number[] = [];
  return {
    out: (text) => (stdout += text),
    err: (text) => (stderr += text),
    environment,
    pid: 4711,
    monotonicMilliseconds: () => now,
    onSignal: (listener) => void listeners.push(listener),
    exitNow: (code) => exits.push(code),
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal, afterMilliseconds = 0) => {
      now += afterMilliseconds;
      for (const listener of listeners) listener(signal);
    },
    exits,
  };
}
