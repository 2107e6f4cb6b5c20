import { formatEuros, type Cents } from "@hostledger/core";
import type { Command } from "commander";
import { parseAmount, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin charge refund`: what staff return of a charge. */
export function addChargeCommands(group: Command, context: CommandContext): void {
  group
    .command("charge")
    .description("what was charged")
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
