import packageJson from "../../../package.json" with { type: "json" };
import { counted, renderEventDocuments } from "@hostledger/core";
import { defined } from "@hostledger/runtime";
import {
  type BundleContents,
  type BundledEvent,
  damageOf,
  eventPlace,
  writeBundle,
} from "@hostledger/audit/verification";
import type { Command } from "commander";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

import { parseText } from "../../arguments/value-parsers.ts";
import type { AuditOptions } from "../../audit/audit-address.ts";
import type { AuditClient } from "../../audit/audit-client.ts";
import { askAudit } from "../../audit/audit-command.ts";
import { type LiveLog, openLiveLog } from "../../audit/live-log.ts";
import { readCheckpointFile, refusingBundleErrors } from "../../audit/verification-options.ts";
import type { CommandContext } from "../../command-context.ts";
import { errorCodeOf, fileReason } from "../../error-code.ts";
import { CommandFailure, refused } from "../../exit-code.ts";
import { type ProgressBar, progressBar } from "../../output/progress-bar.ts";
import { reply } from "../../output/reply.ts";

/** Maximum lines printed about damaged events; the bundle contains all. */
const shownDamage = 20;

interface ExportFlags extends AuditOptions {
  readonly since?: string;
}

/** Adds `audit export`, which writes the log and everything needed to verify it to a directory. */
export function addExportCommand(audit: Command, context: CommandContext): void {
  audit
    .command("export")
    .description("write the log as a bundle, which is verified without an instance")
    .argument("<directory>", "an empty directory, or a new one", parseText)
    .option("--since <file>", "file with an earlier checkpoint, copied into the bundle", parseText)
    .action(async (directory: string, _options: object, command: Command) => {
      const { json, since } = command.optsWithGlobals<ExportFlags>();
      const earlierNotes = since === undefined ? [] : [await readCheckpointFile(since)];
      const bar = progressBar(context.io, "events");
      const damage: string[] = [];
      const write = async (client: AuditClient) => {
        const log = await openLiveLog(client, context.io.timing);
        const sign = async (manifestSha256: Uint8Array) =>
          (
            await client.signBundle({
              size: BigInt(log.size),
              manifestSha256: Uint8Array.from(manifestSha256),
            })
          ).note;
        return fillBundleDirectory(directory, (unfinished) =>
          writeLog(unfinished, log, { earlierNotes, sign, damage, onProgress: bar.report }),
        );
      };
      try {
        const size = await refusingBundleErrors(() => askAudit(context, command, write));
        bar.end();
        reply(context.io, json, {
          document: { directory, size, ...(damage.length === 0 ? {} : { damage }) },
          ...refusalOf(damage),
          text: `${counted(size, "event is", "events are")} in ${directory}; verify them with: hostledger audit verify ${directory}\n`,
        });
      } finally {
        bar.end();
      }
    });
}

/** Returns the refusal of a damaged store, which is exported anyway because an investigation needs it. */
function refusalOf(damage: readonly string[]): { readonly refusal?: string } {
  if (damage.length === 0) return {};
  const lines = damage.slice(0, shownDamage).map((line) => `${line}\n`);
  const count = counted(damage.length, "event is", "events are");
  return {
    refusal: `${lines.join("")}${count} not as the log has recorded; damage.json in the bundle names each.`,
  };
}

function damageLine(index: number, event: BundledEvent): readonly string[] {
  const damage = damageOf(event);
  if (damage === undefined) return [];
  const place = event.stream === "" ? "" : ` ${eventPlace(event)}`;
  return [`event ${String(index)}${place}: ${damage}`];
}

async function writeLog(
  directory: string,
  log: LiveLog,
  {
    onProgress,
    ...rest
  }: Pick<BundleContents, "earlierNotes" | "sign"> & {
    readonly damage: string[];
    readonly onProgress: ProgressBar["report"];
  },
): Promise<number> {
  const balances = new Map<number, bigint>();
  const verifier = await verifierText();
  const contents = {
    note: log.note,
    verifierKeys: log.verifierKeys,
    ...rest,
    balances,
    events: filling(log, balances, rest.damage),
    schemas: renderEventDocuments(),
    createdAt: new Date().toISOString(),
    program: `hostledger ${packageJson.version}`,
    ...defined({ verifier }),
  };
  return await writeBundle(directory, contents, onProgress);
}

/** Yields the log's events. Fills `balances` from the read model before the last batch. */
async function* filling(
  log: LiveLog,
  balances: Map<number, bigint>,
  damage: string[],
): AsyncGenerator<readonly BundledEvent[]> {
  const fill = async (): Promise<void> => {
    for (const [accountId, cents] of await log.shownBalances()) balances.set(accountId, cents);
  };
  let read = 0;
  for await (const batch of log.eventsAsFound()) {
    for (const [at, event] of batch.entries()) damage.push(...damageLine(read + at, event));
    const isLast = read < log.size && read + batch.length >= log.size;
    read += batch.length;
    if (isLast) await fill();
    yield batch;
  }
  if (log.size === 0) await fill();
}

/** Returns the stand-alone verifier from the checkout, to include in the bundle; undefined if absent. */
async function verifierText(): Promise<string | undefined> {
  try {
    return await readFile(new URL("../../../../../tools/verify-bundle", import.meta.url), "utf8");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** File whose presence makes a directory a bundle. */
const manifest = "manifest.json";

/**
 * Fills an empty or new directory with the output of `write`. Files are written to a subdirectory named as unfinished
 * and moved up at the end, the manifest last. So an interruption, even a power cut, never leaves a directory that looks
 * like a bundle; an error restores the previous state.
 * @throws CommandFailure (1) if the directory is not empty or cannot be written.
 */
async function fillBundleDirectory<Result>(
  directory: string,
  write: (unfinished: string) => Promise<Result>,
): Promise<Result> {
  const made = await guarded(directory, () => mkdir(directory, { recursive: true }));
  const unfinished = join(directory, `.unfinished-${randomUUID()}`);
  let moved: readonly string[] = [];
  try {
    if ((await guarded(directory, () => readdir(directory))).length > 0)
      throw refused(`${directory} is not empty: name an empty directory, or a new one.`);
    await guarded(directory, () => mkdir(unfinished));
    const result = await write(unfinished);
    const names = (await readdir(unfinished)).filter((name) => name !== manifest);
    moved = [...names, manifest];
    for (const name of moved)
      await guarded(directory, () => rename(join(unfinished, name), join(directory, name)));
    await guarded(directory, () => rmdir(unfinished));
    return result;
  } catch (error) {
    for (const path of [...moved.map((name) => join(directory, name)), unfinished])
      await rm(path, { recursive: true, force: true });
    // Removes the directory only if this command made it; `rmdir` fails if it contains other files.
    if (made !== undefined) await rmdir(directory).catch(() => undefined);
    throw error;
  }
}

async function guarded<Result>(directory: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw refused(`${directory} could not be written: ${fileReason(error)}.`, error);
  }
}
