import { formatEuros } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { Option, type Command } from "commander";
import { paged, type PageOptions } from "../arguments/page-options.ts";
import { parseId, parseText } from "../arguments/value-parsers.ts";
import { writeAnswer } from "../audit/output-file.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { listing } from "../output/reply.ts";
import { fields, table } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin invoice …`: customers' documents. */
export function addInvoiceCommands(group: Command, context: CommandContext): void {
  const invoice = group.command("invoice").description("customers' invoices, receipts and corrections");
  addList(invoice, context);
  addShow(invoice, context);
  addFetch(invoice, context);
}

/** Options of `admin invoice fetch`. */
interface FetchOptions {
  readonly format: "pdf" | "xml";
  readonly out?: string;
  readonly json?: boolean;
}

function addFetch(invoice: Command, context: CommandContext): void {
  invoice
    .command("fetch")
    .description("fetch an invoice, a receipt or a correction as its customer downloads it")
    .argument("<invoice>", "its number, or its id", parseText)
    .addOption(
      new Option("--format <format>", "a PDF, or the XML of an electronic invoice")
        .choices(["pdf", "xml"])
        .makeOptionMandatory(),
    )
    .option("--out <file>", "write to this file, which only its owner may read", parseText)
    .action(async (wanted: string, _options: object, command: Command) => {
      const { format, out, json } = command.optsWithGlobals<FetchOptions>();
      await answerFromStaff(context, command, async ({ documents }) => {
        const { fileName, mediaType, content } = await documents.fetchInvoice({ invoice: wanted, format });
        const document = { name: fileName, media_type: mediaType, bytes: content.length };
        if (json === true && out === undefined)
          return { document: { ...document, content: Buffer.from(content).toString("base64") }, text: "" };
        await writeAnswer(context.io, out, ({ write }) => {
          write(content);
          return Promise.resolve();
        });
        return {
          document: { ...document, file: out ?? null },
          text: out === undefined ? "" : `${fileName} is in ${out}.\n`,
        };
      });
    });
}

function addList(invoice: Command, context: CommandContext): void {
  paged(
    invoice
      .command("list")
      .description("list invoices, receipts and corrections, by id")
      .option("--account <id>", "only this account's", parseId),
  ).action(async (options: PageOptions & { account?: bigint }, command: Command) => {
    const { account: accountId, after: afterId = 0n, limit } = options;
    await answerFromStaff(context, command, async ({ accounts }) => {
      const page = { afterId, limit };
      const list = await accounts.listAllInvoices(accountId === undefined ? { page } : { page, accountId });
      return listing(list.invoices.map(documentOf), [
        { heading: "id", cell: (row) => row.invoice_id, align: "right" },
        { heading: "number", cell: (row) => row.number },
        { heading: "account", cell: (row) => row.account_id, align: "right" },
        { heading: "action", cell: (row) => row.action },
        { heading: "gross", cell: (row) => row.gross, align: "right" },
        { heading: "issued", cell: (row) => row.created_at },
        { heading: "for", cell: (row) => row.cause },
      ]);
    });
  });
}

function addShow(invoice: Command, context: CommandContext): void {
  invoice
    .command("show")
    .description("show an invoice, a receipt or a correction with its lines")
    .argument("<invoice>", "its number, or its id", parseText)
    .action(async (wanted: string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const { invoice: found, lines: frozen } = await accounts.showInvoice({ invoice: wanted });
        if (found === undefined) throw new Error("the instance answered without an invoice");
        const document = documentOf(found);
        const lines = frozen.map(({ description, quantity, unitCents, amountCents }) => ({
          description,
          quantity,
          unit: formatEuros(unitCents),
          amount: formatEuros(amountCents),
        }));
        const { invoice_id: id, corrects_number: corrects, created_at: issued, ...shown } = document;
        const head = fields({ invoice: id, ...shown, corrects, issued });
        const columns = [
          { heading: "line", cell: (row: (typeof lines)[number]) => row.description },
          { heading: "quantity", cell: (row: (typeof lines)[number]) => row.quantity, align: "right" },
          { heading: "unit", cell: (row: (typeof lines)[number]) => row.unit, align: "right" },
          { heading: "amount", cell: (row: (typeof lines)[number]) => row.amount, align: "right" },
        ] as const;
        return {
          document: { ...document, lines },
          text: lines.length === 0 ? head : `${head}\n${table(columns, lines)}`,
        };
      });
    });
}

function documentOf({ invoice, accountId, cause, correctsNumber, reason }: admin.StaffInvoice) {
  if (invoice === undefined) throw new Error("the instance answered without an invoice");
  return {
    invoice_id: jsonInteger(invoice.id),
    number: invoice.number,
    account_id: jsonInteger(accountId),
    action: invoice.action,
    gateway: invoice.gateway,
    net: formatEuros(invoice.netCents),
    vat: formatEuros(invoice.vatCents),
    vat_rate: invoice.vatRatePercent,
    gross: formatEuros(invoice.grossCents),
    duration: invoice.duration,
    delivered: invoice.delivered,
    domain_id: idOf(invoice.domainId),
    server_id: idOf(invoice.serverId),
    plan_id: idOf(invoice.planId),
    cause,
    corrects_number: correctsNumber ?? null,
    reason: reason ?? null,
    created_at: invoice.createdAt,
  };
}

function idOf(id: bigint | undefined) {
  return id === undefined ? null : jsonInteger(id);
}
