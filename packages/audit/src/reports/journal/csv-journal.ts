import { formatEuros } from "@hostledger/core";

import { csvRow, ownCell, textCell } from "../render/csv.ts";
import { accountName } from "./journal-accounts.ts";
import type { JournalEntry } from "./transaction.ts";

export const csvHead = csvRow([
  "date",
  "time",
  "kind",
  "document_number",
  "account",
  "amount_eur",
  "account_id",
  "description",
  "cause",
  "fact_id",
]);

/** Writes an entry as CSV (RFC 4180): a row for each posting; each transaction sums to zero. */
export function csvEntry(entry: JournalEntry): string {
  if (entry.kind !== "transaction") return "";
  const { transaction } = entry;
  const { day, time, kind, documentNumber, accountId, description, cause, eventId, postings } = transaction;
  return postings
    .map(({ account, amountCents }) =>
      csvRow([
        ownCell(day),
        ownCell(time),
        ownCell(kind),
        textCell(documentNumber),
        ownCell(accountName(account)),
        ownCell(formatEuros(amountCents)),
        ownCell(accountId ?? ""),
        textCell(description),
        textCell(cause),
        ownCell(eventId),
      ]),
    )
    .join("");
}
