import type { RpcLogger } from "../interceptors/logger.port.ts";

/** A logger whose entries a test can read. */
export interface RecordingLogger extends RpcLogger {
  readonly errors: readonly object[];
}

export function recordingLogger(): RecordingLogger {
  const errors: object[] = [];
  return { errors, info: () => undefined, error: (fields) => errors.push(fields) };
}
