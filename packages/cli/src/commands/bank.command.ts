import { readFileSync, statSync } from "node:fs";

import { counted, formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import type { Command } from "commander";

import { parseAmount, parseId, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { fileReason } from "../error-code.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { viewOf } from "../output/message-document.ts";
import { changed } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { addStaffOptions } from "../staff/staff-address.ts";
import { rebuildDeadlineMilliseconds } from "../staff/staff-command.ts";
import { bankPayoutsCommand } from "./bank-payouts.command.ts";
import { bankProviderListCommand } from "./bank-provider-list.command.ts";
import { argument, choice, option, optionalArgument, page, required } from "../staff/command-line.codec.ts";
import { call, type CommandRow, custom } from "../staff/staff-table.ts";

const { listBankEntries, matchBankEntry, reassignBankEntry, returnBankEntry, showTransferDetails } =
  admin.BankAdminService.method;

/** Maximum bytes of a file, as the instance takes: 16 MiB. */
const fileBytes = 16_777_216;

const columns = {
  id: "id",
  booked: "bookedOn",
  "amount EUR": "amountCents",
  status: "status",
  account: "accountId",
  proposed: ({ proposedAccountIds }: admin.BankEntry) => proposedAccountIds.join(", "),
  counterparty: "counterpartyName",
  text: "remittance",
  because: "because",
} as const;
const entries = viewOf(admin.BankEntrySchema, columns);

const statements = viewOf(admin.ImportedStatementSchema, {
  statement: "statementId",
  kind: "kind",
  payments: "entries",
  booked: "booked",
  matched: "matched",
  parked: "parked",
});

const entryId = argument("<entry>", "number of the payment, as bank list shows it", parseId);
const accountId = argument("<account>", "account id", parseId);
const reason = required("--reason <text>", "why, 1 to 500 characters", parseText);

/** Adds `hostledger bank …`, which imports the statements of the operator's bank account. */
export function addBankCommands(program: Command, context: CommandContext): void {
  const bank = addStaffOptions(
    program.command("bank").description("the bank account to which customers transfer money"),
  );
  for (const addRow of rows) addRow(bank, context);
}

const rows: readonly CommandRow[] = [
  custom(
    [
      "import",
      "import a CAMT.053 or CAMT.054 file; payments with an account's reference are credited, the others wait",
    ],
    { file: argument("<file>", "file of the bank", parseText) },
    async ({ bank }, { file }) => {
      const asked = { file: readStatementFile(file) };
      const done = await bank.importStatements(asked, { timeoutMs: rebuildDeadlineMilliseconds });
      const { document, text } = statements.list(done.statements);
      const parked = done.statements.reduce((sum, one) => sum + one.parked, 0);
      const hint =
        parked === 0
          ? ""
          : `\n${counted(parked, "payment")} to look at: hostledger bank list --status parked\n`;
      return changed(done.repeated, { document: { statements: document }, text: `${text}${hint}` });
    },
  ),
  call(["list", "list payments on the bank account, by number"], listBankEntries, {
    inputs: {
      status: choice("--status <status>", "only these payments", [
        "parked",
        "matched",
        "provider",
        "returned",
        "outgoing",
        "payout-returned",
      ]),
      page,
    },
    answer: (list) => entries.list(list.entries),
  }),
  call(
    ["match", "give a waiting payment to an account, which is credited once, or say that it is a provider's"],
    matchBankEntry,
    {
      inputs: {
        entryId,
        accountId: optionalArgument("[account]", "account id", parseId),
        provider: option(
          "--provider <name>",
          "payment provider that paid out or took the money, instead of an account",
        ),
      },
      refuse({ accountId: account, provider }) {
        if ((account === undefined) === (provider === undefined))
          throw wrongUsage("Name either an account or a --provider.");
      },
      answer: (done, { entryId: id = 0n, accountId: account = 0n, provider = "" }) =>
        provider === ""
          ? assignedAnswer(done, `Payment ${String(id)} is credited to account ${String(account)}.`)
          : providerAnswer(done, `Payment ${String(id)} is matched to the payment provider ${provider}.`),
    },
  ),
  call(
    [
      "reassign",
      "move a payment that was booked on the wrong account; the wrong account may be left with a debt",
    ],
    reassignBankEntry,
    {
      inputs: { entryId, accountId, reason },
      answer: (done, { entryId: id = 0n, accountId: account = 0n }) =>
        assignedAnswer(done, `Payment ${String(id)} is moved to account ${String(account)}.`),
    },
  ),
  call(
    ["return", "record that a waiting payment goes back to its payer; send the money at your bank"],
    returnBankEntry,
    {
      inputs: { entryId, reason },
      answer({ entry, repeated }, { entryId: id = 0n }) {
        if (entry === undefined) throw new Error("the instance answered no payment");
        const sent = `Send ${formatEuros(entry.amountCents)} EUR back at your bank${entry.counterpartyIban === "" ? "" : ` to ${entry.counterpartyIban}`}.`;
        return changed(repeated, {
          document: { entry: entries.document(entry) },
          text: `Payment ${String(id)} waits no longer. ${sent}\n`,
        });
      },
    },
  ),
  call(
    ["details", "show how a customer pays by bank transfer: IBAN, reference and QR code"],
    showTransferDetails,
    {
      inputs: {
        accountId,
        amountCents: option("--amount <euros>", "amount in the QR code, for example 100.00", parseAmount),
      },
      text: ({ iban, name, reference, epcQr }) =>
        `${fields({ name, IBAN: iban, reference })}\nContent of the QR code (EPC069-12):\n${epcQr}\n`,
    },
  ),
  bankPayoutsCommand,
  bankProviderListCommand,
];

function assignedAnswer(
  {
    entry,
    balanceCents,
    repeated,
  }: Pick<admin.MatchBankEntryResponse, "entry" | "balanceCents" | "repeated">,
  sentence: string,
) {
  if (entry === undefined) throw new Error("the instance answered no payment");
  const balance = formatEuros(balanceCents);
  return changed(repeated, {
    document: {
      entry_id: jsonInteger(entry.id),
      account_id: entry.accountId === undefined ? null : jsonInteger(entry.accountId),
      balance,
    },
    text: `${sentence} The balance is ${balance} EUR.\n`,
  });
}

function providerAnswer({ entry, repeated }: admin.MatchBankEntryResponse, sentence: string) {
  if (entry === undefined) throw new Error("the instance answered no payment");
  return changed(repeated, { document: { entry: entries.document(entry) }, text: `${sentence}\n` });
}

/** Reads the file of the bank. @throws CommandFailure `wrongUsage` */
function readStatementFile(path: string): Uint8Array<ArrayBuffer> {
  try {
    if (statSync(path).size <= fileBytes) return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw wrongUsage(`<file> must name a file that can be read, not ${path}: ${fileReason(error)}.`);
  }
  throw wrongUsage(`${path} is larger than 16 MiB: export a shorter period.`);
}
