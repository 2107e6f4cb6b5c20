import { pino } from "pino";
import type { z } from "zod";

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

/** Turns one line of the JSON log into one for people: time, level, sentence, then the other fields. */
function prettyLine(json: string): string {
  const { time, level, message, error, ...others } = parseFields(json);
  const stack = stackOf(error);
  const fields = Object.entries(stack === undefined && error !== undefined ? { error, ...others } : others);
  const shown = fields.map(([name, value]) => ` ${name}=${show(value)}`).join("");
  const trace = stack === undefined ? "" : `\n  ${stack.replaceAll("\n", "\n  ")}`;
  return `${show(time).slice(11, 23)} ${show(level).toUpperCase().padEnd(5)} ${show(message)}${shown}${trace}\n`;
}

function parseFields(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function stackOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("stack" in error)) return undefined;
  return typeof error.stack === "string" ? error.stack : undefined;
}

function show(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
