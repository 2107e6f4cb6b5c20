import { pino } from "pino";
import type { z } from "zod";

import type { runtimeSettings } from "./settings.ts";

/** Logger with fields: `logger.info({ domain }, "a sentence")`. Child loggers are omitted, as they bypass redaction. */
export type Logger = Pick<pino.Logger, "fatal" | "error" | "warn" | "info" | "debug" | "trace">;

/** Output of the log: one call per line, with its line end. */
export interface LogSink {
  write(line: string): void;
}

export interface LoggingOptions {
  /** Minimum severity written. */
  readonly level: z.output<typeof runtimeSettings.logLevel>;
  /** One JSON object per line, or text for terminals. Default: `json`. */
  readonly format?: z.output<typeof runtimeSettings.logFormat>;
  /** Default: stderr, because stdout is for a command's answer. */
  readonly sink?: LogSink;
}

/** Creates a logger that removes credentials from logged objects. */
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

function describeError(error: Error): object {
  return withoutSecrets(pino.stdSerializers.err(error));
}

export function silentLogger(): Logger {
  return pino({ level: "silent" });
}

/** Maximum characters buffered while the log file cannot be written. */
const keptCharacters = 1_048_576;

/** Writes synchronously to a file. While its disk is full, {@link keptCharacters} are buffered, others lost. */
export function fileSink(fileDescriptor: number): LogSink {
  const destination = pino.destination({ dest: fileDescriptor, sync: true, maxLength: keptCharacters });
  destination.on("error", () => undefined);
  return destination;
}

/** Formats a JSON log line for people: time, level, sentence, then the other fields. */
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

const secretNames: ReadonlySet<string> = new Set([
  "authorization",
  "Authorization",
  "apiKey",
  "api_key",
  "token",
  "adminToken",
  "callerSecret",
]);

/** Depth of the search: secrets are at the top, in a named object, or in its headers. */
const searchDepth = 3;

/** Replaces credentials by `(hidden)`. Pino's own redaction would make a line ten times as expensive. */
function withoutSecrets<Value extends object>(object: Value, depth = searchDepth): Value {
  let copy: Value | undefined;
  for (const [name, member] of Object.entries(object)) {
    const shown = withoutSecret(name, member, depth);
    if (shown === member) continue;
    copy ??= Object.assign(Array.isArray(object) ? [] : {}, object);
    Object.assign(copy, { [name]: shown });
  }
  return copy ?? object;
}

function withoutSecret(name: string, member: unknown, depth: number): unknown {
  if (member === undefined) return member;
  if (secretNames.has(name)) return "(hidden)";
  const isSearched = typeof member === "object" && member !== null && depth > 1;
  // Errors are searched when converted to fields; binary data have no names.
  if (!isSearched || member instanceof Error || ArrayBuffer.isView(member)) return member;
  return withoutSecrets(member, depth - 1);
}
