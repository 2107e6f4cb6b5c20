import { formatEuros } from "@hostledger/core";

import { plainLine } from "../render/text.ts";
import { accountName, commonAccounts } from "./journal-accounts.ts";
import type { JournalEntry, Transaction } from "./transaction.ts";

const tags = ["Account", "Cause", "Fact", "Name"] as const;

/** Declares all names, which the programs' strict modes require. */
export const ledgerHead = [
  "commodity EUR\n    format 1000.00 EUR\n\n",
  ...tags.map((tag) => `tag ${tag}\n`),
  ...commonAccounts.map((name) => `account ${name}\n`),
  "\n",
].join("");

/** Writes an entry in the common language of Ledger and hledger. */
export function ledgerEntry(entry: JournalEntry): string {
  if (entry.kind === "transaction") return transactionText(entry.transaction);
  if (entry.kind === "account") return `account ${accountName(entry.account)}\n\n`;
  const name = accountName({ kind: "customer", accountId: entry.accountId });
  return `account ${name}\n    ; Name: ${text(entry.name)}\n\n`;
}

function transactionText(transaction: Transaction): string {
  const { day, accountId, description, documentNumber, cause, eventId, postings } = transaction;
  const members: Partial<Record<(typeof tags)[number], string>> = {
    Account: accountId === undefined ? "" : String(accountId),
    Cause: cause,
    Fact: eventId,
  };
  return [
    // Always writes a code, so that a text in parentheses is not read as a code.
    `${day} * (${text(documentNumber === "" ? "-" : documentNumber)}) ${text(description)}\n`,
    ...Object.entries(members)
      .filter(([, value]) => value !== "")
      .map(([name, value]) => `    ; ${name}: ${text(value)}\n`),
    ...postings.map(
      ({ account, amountCents }) => `    ${accountName(account)}  ${formatEuros(amountCents)} EUR\n`,
    ),
    "\n",
  ].join("");
}

/** Replaces characters that Ledger interprets: `;` and `|` end a text, `(…)` is a code, `[…]` a date, `word:` a tag. */
function text(value: string): string {
  const line = plainLine(value)
    .replaceAll(/[;|:]/gu, ",")
    .replaceAll(/[([{]/gu, "<")
    .replaceAll(/[)\]}]/gu, ">")
    .replaceAll(/\s+/gu, " ")
    .trim();
  return line === "" ? "-" : line;
}
