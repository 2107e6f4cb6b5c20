import { counted, formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { parseText } from "../arguments/value-parsers.ts";
import { wrongUsage } from "../exit-code.ts";
import { viewOf } from "../output/message-document.ts";
import { writeNewFile } from "../output/new-file.ts";
import { changed } from "../output/reply.ts";
import { option } from "../staff/command-line.codec.ts";
import { custom } from "../staff/staff-table.ts";

const payouts = viewOf(admin.BankPayoutSchema, {
  reference: "reference",
  account: "accountId",
  "amount EUR": "amountCents",
  IBAN: "iban",
  status: "status",
  file: "messageId",
});

/** `bank payouts` lists payouts, or writes a file of them for the bank. */
export const bankPayoutsCommand = custom(
  ["payouts", "list payouts, or write those that wait to a file of credit transfers (pain.001) for the bank"],
  {
    output: option(
      "--output <file>",
      "write waiting payouts to a new file; each payout is in one file only",
      parseText,
    ),
    again: option("--again <message>", "write the file with this message id again, to --output", parseText),
  },
  async ({ bank }, { output, again = "" }) => {
    if (output === undefined) {
      if (again !== "") throw wrongUsage("--again needs --output, which names the file to write.");
      return payouts.list((await bank.listPayouts({})).payouts);
    }
    const made = await bank.makePayoutFile({ again });
    const { messageId, file, amountCents, repeated } = made;
    if (messageId !== "")
      writeNewFile(
        output,
        file,
        ` Write the file with: hostledger bank payouts --again ${messageId} --output FILE`,
      );
    const document = {
      message_id: messageId === "" ? null : messageId,
      payouts: made.payouts,
      amount: formatEuros(amountCents),
    };
    const sentence =
      messageId === ""
        ? "No payout waits."
        : `${counted(made.payouts, "payout")} of ${formatEuros(amountCents)} EUR ${made.payouts === 1 ? "is" : "are"} in ${output}, message ${messageId}.`;
    return changed(repeated && again === "", { document, text: `${sentence}\n` });
  },
);
