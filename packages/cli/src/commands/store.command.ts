import { counted } from "@hostledger/core";
import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Configuration } from "@hostledger/host/configuration";
import { defined, claimDataDirectory, DataDirectoryError } from "@hostledger/runtime";
import type { Command } from "commander";

import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext, System } from "../command-context.ts";
import { errorCodeOf, messageOf } from "../error-code.ts";
import { CommandFailure, refused, unreachable, wrongUsage } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { reply } from "../output/reply.ts";
import { fields, printable } from "../output/table.ts";
import { configurationOf } from "../start/configuration-of.ts";
import { startFailure } from "../start/start-failure.ts";

interface StoreFlags {
  readonly data?: string;
  readonly eventStore?: string;
  readonly json?: boolean;
}

type Transferred = Awaited<ReturnType<System["exportStoreFile"]>> &
  Partial<Awaited<ReturnType<System["importStoreFile"]>>>;
type StoreFileOptions = Parameters<System["exportStoreFile"]>[0];

/** Interval of progress messages in milliseconds. */
const progressMilliseconds = 1_000;

/** Adds `hostledger store …`, which exports and imports the event store, for backups and changes of engine. */
export function addStoreCommands(program: Command, context: CommandContext): void {
  const store = program
    .command("store")
    .description("export and import the event store, embedded or EventStoreDB")
    .option("--data <directory>", "data directory of the store (HOSTLEDGER_DATA, else ./data)", parseText)
    .option(
      "--event-store <url>",
      "esdb://, kurrentdb:// or one of these with +discover (HOSTLEDGER_EVENT_STORE, else embedded)",
      parseText,
    )
    .option("--json", "print one JSON document");
  store
    .command("export")
    .argument("<file>", "file to write; an existing file is replaced when the new one is complete", parseText)
    .description("write all events to a file")
    .action((file: string, _options: object, command: Command) =>
      transfer(context, command.optsWithGlobals(), file, "export"),
    );
  store
    .command("import")
    .argument("<file>", "the file to read", parseText)
    .description("fill an empty store from a file, or go on with an import of it that was interrupted")
    .action((file: string, _options: object, command: Command) =>
      transfer(context, command.optsWithGlobals(), file, "import"),
    );
}

async function transfer(
  { io, loadSystem }: CommandContext,
  flags: StoreFlags,
  file: string,
  direction: "export" | "import",
): Promise<void> {
  const configuration = storeOf(io, flags);
  const isEmbedded = configuration.eventStore === "embedded";
  if (isEmbedded && direction === "export" && !existsSync(join(configuration.data, "events.sqlite"))) {
    throw refused(`There is no event store in ${configuration.data}: name its data directory with --data.`);
  }
  // Checked before claiming the data directory, which would create the directory.
  if (direction === "import" && !existsSync(file)) throw refused(`There is no file ${file}.`);
  const { exportStoreFile, importStoreFile } = await loadSystem();
  const run: (options: StoreFileOptions) => Promise<Transferred> =
    direction === "export" ? exportStoreFile : importStoreFile;
  const directory = isEmbedded ? claim(configuration.data) : undefined;
  try {
    const data = directory?.path ?? configuration.data;
    const options = { configuration: { ...configuration, data }, file, onProgress: progress(io) };
    const { events, streams, sha256, alreadyThere = 0 } = await run(options);
    const figures = { events, streams, sha256 };
    const done =
      direction === "export"
        ? `The events of the store were written to ${file}.`
        : alreadyThere === events
          ? `Nothing was done: the store has the events of ${file} already.`
          : `The events of ${file} were written to the store.`;
    reply(io, flags.json, { document: figures, text: `${printable(done)}\n${fields(figures)}` });
  } catch (error) {
    throw failureOf(error, { file, data: configuration.data }, direction);
  } finally {
    directory?.release();
  }
}

function storeOf(io: Io, { data, eventStore }: StoreFlags): Configuration {
  if (data !== undefined && eventStore !== undefined)
    throw wrongUsage("--data names an embedded store, --event-store another one: give one of them.");
  return configurationOf(
    io.environment,
    { ...(data === undefined ? {} : { data, eventStore: "embedded" }), ...defined({ eventStore }) },
    { eventStore: "--event-store" },
  );
}

function claim(path: string): ReturnType<typeof claimDataDirectory> {
  try {
    return claimDataDirectory(path);
  } catch (error) {
    if (!(error instanceof DataDirectoryError)) throw error;
    const hint = error.message.includes("in use")
      ? " To reach the store of a running instance, use --event-store; the instance needs an --esdb-port."
      : "";
    throw refused(`${error.message}${hint}`, error);
  }
}

function progress(io: Io): (events: number) => void {
  let reportedAt = io.timing.monotonicMilliseconds();
  return (events) => {
    const now = io.timing.monotonicMilliseconds();
    if (now - reportedAt < progressMilliseconds) return;
    reportedAt = now;
    io.err(`${counted(events, "event")}\n`);
  };
}

/** Names of errors whose message is a sentence for the operator. */
const sentences = new Set(["TransferError", "EventStoreFailedError", "WrongExpectedRevisionError"]);

function failureOf(
  error: unknown,
  { file, data }: { readonly file: string; readonly data: string },
  direction: "export" | "import",
): CommandFailure {
  if (error instanceof CommandFailure) return error;
  const message = messageOf(error);
  const name = error instanceof Error ? error.name : "";
  if (sentences.has(name)) return refused(message, error);
  if (name === "EventStoreUnavailableError" || (name === "EventStoreDbError" && isUnreachable(error)))
    return unreachable(message, error);
  return fileFailure(error, file, direction) ?? startFailure(error, data).failure;
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === "unreachable";
}

function fileFailure(
  error: unknown,
  file: string,
  direction: "export" | "import",
): CommandFailure | undefined {
  switch (errorCodeOf(error)) {
    case "ENOENT":
      return refused(
        direction === "import" ? `There is no file ${file}.` : `The folder of ${file} does not exist.`,
        error,
      );
    case "EEXIST":
      return refused(
        `${file}.partial exists: another export is writing it, or an export was killed; in that case remove the file.`,
        error,
      );
    case "ENOSPC":
    case "EDQUOT":
      return refused(`The disk of ${file} is full: nothing was left behind.`, error);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return refused(
        `${file} may not be ${direction === "import" ? "read" : "written"} by this user.`,
        error,
      );
    case "EISDIR":
    case "ENOTDIR":
      return refused(`${file} is a directory, or lies below a file: name a file.`, error);
    default:
      return undefined;
  }
}
