import {
  vatReport,
  vatReportCsv,
  vatReportDocument,
  vatReportText,
  vatReportTypes,
  type VatReport,
} from "@hostledger/audit/reports";
import { Option, type Command } from "commander";
import { askAudit, reportUnreadable } from "../../audit/audit-command.ts";
import { auditedEvents } from "../../audit/audited-events.ts";
import { parseDay } from "../../audit/instant-parsers.ts";
import { addOutputOption, writeAnswer } from "../../audit/output-file.ts";
import type { CommandContext } from "../../command-context.ts";
import { wrongUsage } from "../../exit-code.ts";

const formats = ["text", "csv", "json"] as const;

interface VatFlags {
  readonly from: string;
  readonly to: string;
  readonly format?: (typeof formats)[number];
  readonly output?: string;
  readonly json?: boolean;
}

/** Adds `audit vat`, which sums the VAT of a period for the returns of the seller. */
export function addVatCommand(audit: Command, context: CommandContext): void {
  const vat = audit
    .command("vat")
    .description(
      "sum the VAT of the documents of a period: lines of the German return, One Stop Shop by country and rate, recapitulative statement by VAT id",
    )
    .requiredOption("--from <date>", "first business date, for example 2026-01-01", parseDay)
    .requiredOption("--to <date>", "last business date, for example 2026-03-31", parseDay)
    .addOption(new Option("--format <format>", "format of the report (default: text)").choices(formats));
  addOutputOption(vat).action(async (_options: object, command: Command) => {
    const { from, to, format, output, json } = command.optsWithGlobals<VatFlags>();
    if (from > to) throw wrongUsage(`--from is after --to (${from} and ${to}): name the earlier date first.`);
    if (json === true && format !== undefined && format !== "json")
      throw wrongUsage(`--json and --format ${format} contradict each other: name one of them.`);
    const report = await askAudit(context, command, (client) =>
      // All times of storage: a clock that was ahead dated documents later. The law keeps the VAT ids of erased buyers.
      vatReport(
        auditedEvents(client, { types: [...vatReportTypes], withRetained: true }),
        { from, to },
        (sentence) => {
          reportUnreadable(context.io, "VAT report", [sentence]);
        },
      ),
    );
    const text = rendered(report, json === true ? "json" : (format ?? "text"));
    await writeAnswer(context.io, output, ({ write }) => {
      write(Buffer.from(text));
      return Promise.resolve();
    });
  });
}

function rendered(report: VatReport, format: (typeof formats)[number]): string {
  switch (format) {
    case "text":
      return vatReportText(report);
    case "csv":
      return vatReportCsv(report);
    case "json":
      return `${JSON.stringify(vatReportDocument(report), undefined, 2)}\n`;
  }
}
