import { formatEuros } from "@hostledger/core";

import { plainLine } from "../render/text.ts";
import { accountName, commonAccounts } from "./journal-accounts.ts";
import type { JournalEntry, Transaction } from "./transaction.ts";

/** Opening date of the common accounts, before every event. */
const beginning = "1970-01-01";

export function beancountHead(): string {
  return [
    'option "title" "Hostledger"\n',
    'option "operating_currency" "EUR"\n\n',
    ...commonAccounts.map((name) => `${beginning} open ${name} EUR\n`),
    "\n",
  ].join("");
}

export function beancountEntry(entry: JournalEntry): string {
  if (entry.kind === "transaction") return transactionText(entry.transaction);
  if (entry.kind === "account") return `${beginning} open ${accountName(entry.account)} EUR\n\n`;
  const name = accountName({ kind: "customer", accountId: entry.accountId });
  // The account opens in 1970, because a clock set back could date a movement before the account.
  return `${beginning} open ${name} EUR\n  name: ${text(entry.name)}\n  opened: ${text(entry.time)}\n\n`;
}

function transactionText(transaction: Transaction): string {
  const { day, time, payee, description, documentNumber, cause, eventId, kind, postings } = transaction;
  const members = { kind, document: documentNumber, cause, event: eventId, time };
  return [
    `${day} * ${text(payee)} ${text(description)}\n`,
    ...Object.entries(members)
      .filter(([, value]) => value !== "")
      .map(([name, value]) => `  ${name}: ${text(value)}\n`),
    ...postings.map(
      ({ account, amountCents }) => `  ${accountName(account)}  ${formatEuros(amountCents)} EUR\n`,
    ),
    "\n",
  ].join("");
}

function text(value: string): string {
  return `"${plainLine(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
