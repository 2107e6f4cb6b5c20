import { formatEuros } from "@hostledger/core";

import { csvRow, ownCell } from "../render/csv.ts";
import { accountName } from "./journal-accounts.ts";
import type { JournalEntry, Posting } from "./transaction.ts";

/** An account's row, in cents (EUR). Debits and credits are above zero; a balance below zero is a credit. */
interface AccountSums {
  opening: bigint;
  debit: bigint;
  credit: bigint;
}

const head = csvRow(["account", "opening_eur", "debit_eur", "credit_eur", "closing_eur"]);

/**
 * Writes the balances of all accounts at the start and the end of a period, with the sums of their debits and credits, as CSV (RFC 4180).
 * All customers are one row. The last row has the sums of the columns: opening and closing balances sum to zero.
 * @param entries of a journal of the period, with its opening balances
 */
export async function* writeTrialBalance(entries: AsyncIterable<JournalEntry>): AsyncGenerator<string> {
  const rows = new Map<string, AccountSums>();
  for await (const entry of entries) {
    if (entry.kind !== "transaction") continue;
    const { kind, postings } = entry.transaction;
    for (const posting of postings) post(rows, posting, kind === "opening");
  }
  yield head;
  const total: AccountSums = { opening: 0n, debit: 0n, credit: 0n };
  for (const [name, sums] of [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    yield row(name, sums);
    total.opening += sums.opening;
    total.debit += sums.debit;
    total.credit += sums.credit;
  }
  yield row("Total", total);
}

function post(rows: Map<string, AccountSums>, { account, amountCents }: Posting, isOpening: boolean): void {
  const name = account.kind === "customer" ? "Liabilities:Customers" : accountName(account);
  const sums = rows.get(name) ?? { opening: 0n, debit: 0n, credit: 0n };
  rows.set(name, sums);
  if (isOpening) sums.opening += amountCents;
  else if (amountCents > 0n) sums.debit += amountCents;
  else sums.credit -= amountCents;
}

function row(name: string, { opening, debit, credit }: AccountSums): string {
  const cells = [opening, debit, credit, opening + debit - credit].map((cents) =>
    ownCell(formatEuros(cents)),
  );
  return csvRow([ownCell(name), ...cells]);
}
