import {
  ConfigurationError,
  DataDirectoryError,
  dataDirectorySentence,
  sqliteCodeOf,
} from "@hostledger/runtime";
import { z } from "zod";

import { errorCodeOf, messageOf } from "../error-code.ts";
import { CommandFailure, refused, wrongUsage } from "../exit-code.ts";

/** Sentences for SQLite's result codes about disk and files (sqlite.org/rescode.html). */
const sqliteSentences: Readonly<Record<number, string>> = {
  8: "A database in the data directory cannot be written: the disk or the file is read-only.",
  10: "The disk failed while a database in the data directory was read or written.",
  11: "A database in the data directory is damaged: restore it from a backup.",
  13: "The disk of the data directory is full.",
  14: "A database in the data directory cannot be opened: this user must be able to read and write there.",
  26: "A file in the data directory is no database: restore it from a backup, or choose another directory.",
};

const listenSentences: Readonly<Record<string, (place: string) => string>> = {
  EADDRINUSE: (place) => `${place} is taken: choose another port with --port or --admin-port.`,
  EADDRNOTAVAIL: (place) => `${place} is no address of this machine: choose another with --host.`,
  ENOTFOUND: (place) => `${place} is an unknown host name: choose another with --host.`,
  EACCES: (place) => `${place} needs a permission that this user lacks: choose a port of 1024 or more.`,
};

export interface StartFailure {
  /** Exit code 1 with one sentence, or exit code 2 with a sentence per mistake of the configuration. */
  readonly failure: CommandFailure;
  /** False if the sentence only quotes the error, which may be a bug and is therefore logged completely. */
  readonly explained: boolean;
}

/** Explains in a sentence why an instance did not start or could not continue. */
export function startFailure(error: unknown, dataDirectory: string): StartFailure {
  if (error instanceof CommandFailure) return { failure: error, explained: true };
  // Parts check some settings themselves, after the configuration was read.
  if (error instanceof ConfigurationError) return { failure: wrongUsage(error.message), explained: true };
  const tooFewFiles = openFilesSentence(error);
  if (tooFewFiles !== undefined) return { failure: refused(tooFewFiles, error), explained: true };
  const isNamed = error instanceof Error && !namesOfBugs.has(error.name);
  const causes = isNamed ? [error] : causesOf(error);
  const sentence = causes
    .map((cause) => operatingSentence(cause, dataDirectory))
    .find((each) => each !== undefined);
  if (sentence !== undefined) return { failure: refused(sentence, error), explained: true };
  const failure = refused(`Hostledger had to stop: ${messageOf(error)}`, error);
  return { failure, explained: isNamed };
}

/** Names of general errors. Errors of our own classes have messages for operators. */
const namesOfBugs = new Set([
  "Error",
  "TypeError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "AggregateError",
]);

/** Maximum length of a chain of causes. */
const causesMaximum = 8;

function causesOf(error: unknown): readonly unknown[] {
  const causes = [error];
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined && causes.length < causesMaximum) {
    cause = cause.cause;
    causes.push(cause);
  }
  return causes;
}

/** Number of open files that suffices for an instance. */
const fewestOpenFiles = 256;

/** Explains a limit on open files. SQLite reports such a limit only as "unable to open". */
function openFilesSentence(error: unknown): string | undefined {
  const isOfFiles = causesOf(error).some(
    (cause) => errorCodeOf(cause) === "EMFILE" || sqliteCodeOf(cause) === 14,
  );
  const limit = isOfFiles ? openFileLimit() : undefined;
  if (limit === undefined || limit >= fewestOpenFiles) return undefined;
  return `This process may open ${String(limit)} files only, which are too few: raise the limit (ulimit -n) to 1024 or more.`;
}

/** Returns the process's limit of open files; undefined if unlimited or unknown. */
function openFileLimit(): number | undefined {
  const report: unknown = process.report.getReport();
  const limits = z.object({ userLimits: z.object({ open_files: z.object({ soft: z.number() }) }) });
  const read = limits.safeParse(report);
  return read.success ? read.data.userLimits.open_files.soft : undefined;
}

/** Returns the sentence for an error of the machine or its configuration; undefined for other errors. */
function operatingSentence(error: unknown, dataDirectory: string): string | undefined {
  if (error instanceof DataDirectoryError) return error.message;
  const code = errorCodeOf(error);
  if (code === undefined) return undefined;
  const { syscall, path } = propertiesOf(error);
  if (syscall === "listen" || syscall === "getaddrinfo") return listenSentences[code]?.(placeOf(error));
  const sqliteCode = sqliteCodeOf(error);
  if (sqliteCode !== undefined) return sqliteSentences[sqliteCode];
  return syscall === undefined
    ? undefined
    : dataDirectorySentence(typeof path === "string" ? path : dataDirectory, error);
}

function placeOf(error: unknown): string {
  const { address, hostname, port } = propertiesOf(error);
  const host = [address, hostname].find((name) => typeof name === "string") ?? "";
  if (typeof port !== "number" || port < 0) return host;
  return `Port ${String(port)}${host === "" ? "" : ` of ${host}`}`;
}

function propertiesOf(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof Error ? Object.fromEntries(Object.entries(error)) : {};
}
