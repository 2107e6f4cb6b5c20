import { pino } from "pino";
import type { z } from "zod";

import { prettyLine } from "./pretty-line.ts";
import { withoutSecrets } from "./secrets.ts";
import type { runtimeSettings } from "./settings.ts";

/**
 * Writes lines with fields to the log: `logger.info({ domain }, "a sentence")`. Without pino's children, whose fields
 * would not be looked through for credentials.
 */
export type Logger = Pick<pino.Logger, "fatal" | "error" | "warn" | "info" | "debug" | "trace">;

/** Where lines go: one call for each line, with its line break. */
export interface LogSink {
  write(line: string): void;
}

/** How to log. */
export interface LoggingOptions {
  /** Least severity that is written. */
  readonly level: z.output<typeof runtimeSettings.logLevel>;
  /** One JSON object a line, or a form for people at a terminal. Default: `json`. */
  readonly format?: z.output<typeof runtimeSettings.logFormat>;
  /** Default: stderr, so that stdout stays free for what a command answers. */
  readonly sink?: LogSink;
}

/** A logger whose lines never hold credentials, whatever object it is given. */
export function createLogger({ level, format = "json", sink = fileSink(2) }: LoggingOptions): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
    serializers: { err: describeError, error: describeError },
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

/** An error as fields, with its cause; what was hung on it is looked through as everything else is. */
function describeError(error: Error): object {
  return withoutSecrets(pino.stdSerializers.err(error));
}

/** Writes nothing, for tests. */
export function silentLogger(): Logger {
  return pino({ level: "silent" });
}

/** So many characters of the log are kept while its file takes none. */
const keptCharacters = 1_048_576;

/**
 * Writes to an open file, synchronously, so that the last lines before a crash are there to read. A disk that is full ends no
 * process: the lines are written when there is room again, and what is beyond {@link keptCharacters} is lost.
 */
export function fileSink(fileDescriptor: number): LogSink {
  const destination = pino.destination({ dest: fileDescriptor, sync: true, maxLength: keptCharacters });
  destination.on("error", () => undefined);
  return destination;
}
