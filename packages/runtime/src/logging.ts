import { pino } from "pino";

import type { Configuration } from "./configuration.schema.ts";
import { prettyLine } from "./pretty-line.ts";

/** Writes lines with fields to the log: `logger.info({ domain }, "a sentence")`. */
export type Logger = pino.Logger;

/** Where lines go: one call for each line, with its line break. */
export interface LogSink {
  write(line: string): void;
}

/** How to log. */
export interface LoggingOptions {
  /** Least severity that is written. */
  readonly level: Configuration["logLevel"];
  /** One JSON object a line, or a form for people at a terminal. Default: `json`. */
  readonly format?: Configuration["logFormat"];
  /** Default: stderr, so that stdout stays free for what a command answers. */
  readonly sink?: LogSink;
}

/** What ties a line to the request that caused it; the metadata of events holds the same. */
export interface RequestFields {
  readonly requestId: string;
  readonly correlationId: string;
}

const secretNames = [
  "authorization",
  "Authorization",
  "apiKey",
  "api_key",
  "token",
  "adminToken",
  "callerSecret",
];

/** Pino redacts by path; secrets stand at the top, in a named object, or in that object's headers. */
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** A logger whose lines never hold credentials, whatever object it is given. */
export function createLogger({ level, format = "json", sink = stderr() }: LoggingOptions): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
    redact: { paths: secretPaths, censor: "(hidden)" },
    messageKey: "message",
    errorKey: "error",
  };
  if (format === "json") return pino(options, sink);
  return pino(options, {
    write: (line) => {
      sink.write(prettyLine(line));
    },
  });
}

/** The logger of one request: every line carries the request's ids. */
export function requestLogger(logger: Logger, { requestId, correlationId }: RequestFields): Logger {
  return logger.child({ requestId, correlationId });
}

/** Writes nothing, for tests. */
export function silentLogger(): Logger {
  return pino({ level: "silent" });
}

/** Synchronous, so that the last lines before a crash are there to read. */
function stderr(): LogSink {
  return pino.destination({ dest: 2, sync: true });
}
