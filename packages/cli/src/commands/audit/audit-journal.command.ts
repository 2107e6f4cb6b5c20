import {
  datevCharts,
  DatevError,
  journalFormats,
  journalTypesOf,
  writeJournal,
  type DatevSettings,
  type JournalFormat,
  type JournalOptions,
} from "@hostledger/audit/reports";
import { addMilliseconds } from "@hostledger/core";
import { defined } from "@hostledger/runtime";
import { Option, type Command } from "commander";
import { parseCount } from "../../arguments/value-parsers.ts";
import { askAudit, reportUnreadable } from "../../audit/audit-command.ts";
import { auditedEvents } from "../../audit/audited-events.ts";
import { parseDayOrInstant, refuseReversed } from "../../audit/instant-parsers.ts";
import { addOutputOption, writeAnswer } from "../../audit/output-file.ts";
import type { CommandContext } from "../../command-context.ts";
import { refused, wrongUsage } from "../../exit-code.ts";

interface JournalFlags {
  readonly format: JournalFormat;
  readonly from?: string;
  readonly to?: string;
  readonly output?: string;
  readonly datevConsultant?: number;
  readonly datevClient?: number;
  readonly datevAccountLength?: number;
  readonly datevChart?: DatevSettings["chart"];
}

/** Adds `audit journal`, which prints the events as double-entry bookkeeping for accounting programs. */
export function addJournalCommand(audit: Command, context: CommandContext): void {
  const journal = audit
    .command("journal")
    .description(
      "write double-entry books: customers, revenue, VAT, bank, payment providers; every transaction sums to zero",
    )
    .addOption(
      new Option("--format <format>", "language of the journal")
        .choices(journalFormats)
        .makeOptionMandatory(),
    )
    .option(
      "--from <time>",
      "first business date or instant; sums earlier movements of every account as opening balances (DATEV: none)",
      parseDayOrInstant,
    )
    .option("--to <time>", "last business date or instant", parseDayOrInstant)
    .option("--datev-consultant <number>", "DATEV: the tax consultant's number", parseCount)
    .option("--datev-client <number>", "DATEV: the client's number at the consultant's", parseCount)
    .option(
      "--datev-account-length <digits>",
      "DATEV: digits of a general account, 4 to 8 (default: 4)",
      parseCount,
    )
    .addOption(
      new Option("--datev-chart <chart>", "DATEV: chart of accounts (default: skr03)").choices(datevCharts),
    );
  addOutputOption(journal).action(async (_options: object, command: Command) => {
    const flags = command.optsWithGlobals<JournalFlags>();
    refuseReversed(flags.from, flags.to, "--to");
    const options = journalOptions(flags);
    await writeAnswer(context.io, flags.output, ({ write, nextFile }) =>
      askAudit(context, command, async (client) => {
        const events = auditedEvents(client, {
          types: [...journalTypesOf(options.format)],
          // The tax office asks for customers of documents that the law keeps, also after an erasure.
          withRetained: options.format === "datev" || options.format === "datev-customers",
          // All earlier events, which opening balances sum.
          ...defined({ toTime: lastTime(options.format, flags.to) }),
        });
        const written = writeJournal(events, { ...options, ...defined({ nextFile }) }, (sentence) => {
          reportUnreadable(context.io, "journal", [sentence]);
        });
        for await (const bytes of readable(written)) write(bytes);
      }),
    );
  });
}

/**
 * Returns the last time of storage to read; undefined for none: a statement that the bank sends later brings bookings of earlier days.
 * Customers, and journals up to an instant, end with the day after `to` in UTC: west of Greenwich, a document of `to` may have been
 * stored on that day.
 */
function lastTime(format: JournalFormat, to: string | undefined): string | undefined {
  if (to === undefined) return undefined;
  const isByStorage = format === "datev-customers" || (format !== "datev" && to.includes("T"));
  if (!isByStorage) return undefined;
  return addMilliseconds(`${to.slice(0, 10)}T00:00:00.000000Z`, 2 * 86_400_000);
}

async function* readable(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    if (error instanceof DatevError) throw refused(error.message, error);
    throw error;
  }
}

function journalOptions(flags: JournalFlags): JournalOptions {
  const { format, from, to, datevConsultant, datevClient, datevAccountLength, datevChart } = flags;
  if (format === "datev" || format === "datev-customers") return { format, datev: datevSettings(flags) };
  if ([datevConsultant, datevClient, datevAccountLength, datevChart].some((given) => given !== undefined))
    throw wrongUsage(
      `The --datev-… options are for --format datev and datev-customers, not for ${format}: leave them out.`,
    );
  return { format, from, to };
}

/** Checks the DATEV options: a batch belongs to one consultant, one client and one fiscal year. */
function datevSettings(flags: JournalFlags): DatevSettings {
  const { from, to, datevConsultant: consultant, datevClient: client } = flags;
  const { datevAccountLength = 4, datevChart: chart = "skr03" } = flags;
  if (consultant === undefined || consultant < 1001 || consultant > 9_999_999)
    throw wrongUsage(`A DATEV batch needs --datev-consultant, from 1001 to 9999999${notThat(consultant)}.`);
  if (client === undefined || client > 99_999)
    throw wrongUsage(`A DATEV batch needs --datev-client, from 1 to 99999${notThat(client)}.`);
  if (datevAccountLength < 4 || datevAccountLength > 8)
    throw wrongUsage(`--datev-account-length must be 4 to 8${notThat(datevAccountLength)}.`);
  if (from === undefined || to?.slice(0, 4) !== from.slice(0, 4))
    throw wrongUsage(
      "A DATEV batch needs --from and --to in one calendar year, for example 2026-01-01 and 2026-12-31.",
    );
  return {
    consultant,
    client,
    accountLength: datevAccountLength,
    chart,
    firstDay: from.slice(0, 10),
    lastDay: to.slice(0, 10),
    createdAt: new Date().toISOString(),
  };
}

function notThat(given: number | undefined): string {
  return given === undefined ? "" : `, not ${String(given)}`;
}
