import { systemCodeOf } from "@hostledger/runtime";
import type { Command } from "commander";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext, System } from "../command-context.ts";
import { failedPath, fileReason, messageOf } from "../error-code.ts";
import { CommandFailure, refused, unreachable } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { reply } from "../output/reply.ts";
import { fields, printable } from "../output/table.ts";
import { configurationOf } from "../start/configuration-of.ts";
import { startFailure } from "../start/start-failure.ts";

interface BackupFlags {
  readonly data?: string;
  readonly above?: bigint;
  readonly copy?: boolean;
  readonly json?: boolean;
}

/** Adds `hostledger backup` and `restore` of all files that cannot be recomputed, with their hashes. */
export function addBackupCommands(program: Command, context: CommandContext): void {
  program
    .command("backup")
    .argument("<directory>", "directory of the backup; an existing backup is brought up to date", parseText)
    .description(
      "back up events, keys, the audit log's checkpoints and the sandbox, even of a running instance",
    )
    .option("--data <directory>", "data directory (HOSTLEDGER_DATA, else ./data)", parseText)
    .option("--json", "print one JSON document")
    .action((set: string, flags: BackupFlags) =>
      answer(context, set, flags, {
        command: ({ makeBackup }) => makeBackup,
        sentence: (data) => `The data of ${data} is in the backup ${set}.`,
      }),
    );
  program
    .command("restore")
    .argument("<directory>", "directory of a backup", parseText)
    .description("check a backup and restore it into a new data directory")
    .option("--data <directory>", "new data directory (HOSTLEDGER_DATA, else ./data)", parseText)
    .option(
      "--above <id>",
      "continue every sequence of ids above this id; default: skip 10,000 ids after those of the backup",
      parseId,
    )
    .option("--copy", "make a test copy, whose orders at providers differ from those of the original")
    .option("--json", "print one JSON document")
    .action((set: string, flags: BackupFlags) =>
      answer(context, set, flags, {
        command: ({ restoreBackup }) => restoreBackup,
        sentence: (data) =>
          `${data} was restored from the backup ${set}${flags.copy === true ? ", as a test copy" : ""}.`,
      }),
    );
}

async function answer(
  { io, loadSystem }: CommandContext,
  set: string,
  { data, above, copy = false, json }: BackupFlags,
  {
    command,
    sentence,
  }: {
    readonly command: (system: System) => System["makeBackup"];
    readonly sentence: (data: string) => string;
  },
): Promise<void> {
  const configuration = configurationOf(io.environment, data === undefined ? {} : { data });
  const run = command(await loadSystem());
  try {
    const { position, events, files, notices } = await run({
      configuration,
      set,
      isCopy: copy,
      ...(above === undefined ? {} : { above: Number(above) }),
    });
    for (const notice of notices) io.err(`${notice}\n`);
    // A position of EventStoreDB may exceed the exact integers of JSON.
    const shown = position > BigInt(Number.MAX_SAFE_INTEGER) ? String(position) : jsonInteger(position);
    const document = { position: shown, events, files };
    reply(io, json, { document, text: `${printable(sentence(configuration.data))}\n${fields(document)}` });
  } catch (error) {
    throw failureOf(error, set, configuration.data);
  }
}

/** Names of errors whose message is a sentence for the operator. */
const sentences = new Set([
  "BackupError",
  "TransferError",
  "AuditLogError",
  "LogContradictionError",
  "EventStoreFailedError",
  "SubjectKeyError",
]);

function failureOf(error: unknown, set: string, data: string): CommandFailure {
  if (error instanceof CommandFailure) return error;
  const name = error instanceof Error ? error.name : "";
  if (sentences.has(name)) return refused(messageOf(error), error);
  if (name === "EventStoreUnavailableError" || name === "EventStoreDbError")
    return unreachable(messageOf(error), error);
  // SQLite does not name the failed file, and a database is copied from one disk to another.
  const place = failedPath(error) ?? `${set} or ${data}`;
  switch (systemCodeOf(error)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return refused(`This user must be able to write ${place}: ${fileReason(error)}.`, error);
    case "ENOSPC":
    case "EDQUOT":
      return refused(`The disk of ${place} is full. Existing files are unchanged.`, error);
    case "ENOTDIR":
    case "EEXIST":
      return refused(`${place} cannot be used, since ${fileReason(error)}: name directories.`, error);
    default:
      return startFailure(error, data).failure;
  }
}
