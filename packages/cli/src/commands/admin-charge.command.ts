import { formatEuros, type Cents } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { paged, type PageOptions } from "../arguments/page-options.ts";
import { parseAmount, parseId, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { listing } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin charge …`: what was charged, and what staff return of it. */
export function addChargeCommands(group: Command, context: CommandContext): void {
  const charge = group.command("charge").description("what was charged");
  addList(charge, context);
  addShow(charge, context);
  addRefund(charge, context);
}

function addList(charge: Command, context: CommandContext): void {
  paged(
    charge
      .command("list")
      .description("list charges with what was returned of them, by the id of their invoices")
      .option("--account <id>", "only this account's", parseId),
  ).action(async (options: PageOptions & { account?: bigint }, command: Command) => {
    const { account: accountId, after: afterId = 0n, limit } = options;
    await answerFromStaff(context, command, async ({ accounts }) => {
      const { charges } = await accounts.listCharges({ page: { afterId, limit }, ...defined({ accountId }) });
      return listing(charges.map(chargeRow), [
        { heading: "charge", cell: (row) => row.charge_id },
        { heading: "account", cell: (row) => row.account_id, align: "right" },
        { heading: "id", cell: (row) => row.invoice_id, align: "right" },
        { heading: "invoice", cell: (row) => row.invoice_number },
        { heading: "action", cell: (row) => row.action },
        { heading: "gross", cell: (row) => row.gross, align: "right" },
        { heading: "refunded", cell: (row) => row.refunded, align: "right" },
        { heading: "charged", cell: (row) => row.charged_at },
      ]);
    });
  });
}

function addShow(charge: Command, context: CommandContext): void {
  charge
    .command("show")
    .description("show a charge with the corrections by which it was returned")
    .argument("<charge-or-invoice>", "id of the charge, or id or number of its invoice", parseText)
    .action(async (chargeOrInvoice: string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const { charge: found, corrections } = await accounts.showCharge({ chargeOrInvoice });
        if (found === undefined) throw new Error("the instance answered without a charge");
        const row = chargeRow(found);
        const rows = corrections.map(({ invoice, reason = null }) => ({
          correction_id: invoice === undefined ? null : jsonInteger(invoice.id),
          number: invoice?.number ?? null,
          gross: invoice === undefined ? null : formatEuros(invoice.grossCents),
          reason,
          created_at: invoice?.createdAt ?? null,
        }));
        const { text } = listing(rows, [
          { heading: "correction", cell: (each) => each.number },
          { heading: "gross", cell: (each) => each.gross, align: "right" },
          { heading: "issued", cell: (each) => each.created_at },
          { heading: "reason", cell: (each) => each.reason },
        ]);
        return { document: { ...row, corrections: rows }, text: `${fields(row)}\n${text}` };
      });
    });
}

function chargeRow(charge: admin.AccountCharge) {
  const { grossCents, refundedCents } = charge;
  return {
    charge_id: charge.chargeId,
    account_id: jsonInteger(charge.accountId),
    invoice_id: jsonInteger(charge.invoiceId),
    invoice_number: charge.invoiceNumber,
    action: charge.action,
    gross: formatEuros(grossCents),
    refunded: formatEuros(refundedCents),
    left_to_refund: formatEuros(grossCents - refundedCents),
    charged_at: charge.chargedAt,
  };
}

function addRefund(charge: Command, context: CommandContext): void {
  charge
    .command("refund")
    .description("return a charge in part or whole, with a credit note; the same amount and reason once")
    .argument("<charge-or-invoice>", "id of the charge, or id or number of its invoice", parseText)
    .option(
      "--amount <euros>",
      "how much, gross, for example 10.00; all that is left by default",
      parseAmount,
    )
    .requiredOption("--reason <text>", "why, 1 to 500 characters; it stands on the credit note", parseText)
    .action(
      async (chargeOrInvoice: string, options: { amount?: Cents; reason: string }, command: Command) => {
        await answerFromStaff(context, command, async ({ accounts }) => {
          const { amount, reason } = options;
          const asked = { chargeOrInvoice, reason };
          const { accountId, correctionId, amountCents, balanceCents, repeated } =
            await accounts.refundCharge(amount === undefined ? asked : { ...asked, amountCents: amount });
          const [returned, balance] = [formatEuros(amountCents), formatEuros(balanceCents)];
          return {
            document: {
              account_id: jsonInteger(accountId),
              correction_id: jsonInteger(correctionId),
              amount: returned,
              balance,
              repeated,
            },
            text: repeated
              ? `Nothing was done: ${returned} EUR went back before for this reason, with correction ${String(correctionId)}. The balance of account ${String(accountId)} is ${balance} EUR.\n`
              : `${returned} EUR went back with correction ${String(correctionId)}. The balance of account ${String(accountId)} is ${balance} EUR.\n`,
          };
        });
      },
    );
}
