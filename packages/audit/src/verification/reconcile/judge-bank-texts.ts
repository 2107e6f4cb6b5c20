import { erasedText, hiddenText, notAvailableText } from "@hostledger/core";

import type { ReportOutside } from "./findings.ts";
import { entryKey, type BookedEntry, type OutsideBooks } from "./outside-books.ts";

/** What the log has sealed about bank entries and payouts, as an instance opens it. */
export interface BankTexts {
  /** By `entryKey`. */
  readonly entries: ReadonlyMap<string, { readonly endToEndId: string; readonly iban: string }>;
  /** IBANs that payouts are ordered to, by end-to-end id. */
  readonly payouts: ReadonlyMap<string, string>;
}

/** Entries of money that left the bank account, by the end-to-end id of the payout that they name. */
export type NamedPayouts = ReadonlyMap<string, readonly BookedEntry[]>;

/** Returns the outgoing entries that name a payout. */
export function namedPayouts({ entries, out }: OutsideBooks, texts: BankTexts | undefined): NamedPayouts {
  const named = new Map<string, BookedEntry[]>();
  for (const [name, { endToEndId }] of texts?.entries ?? []) {
    const entry = entries.get(name);
    if (entry === undefined || entry.amountCents >= 0n || !out.payouts.has(endToEndId)) continue;
    named.set(endToEndId, [...(named.get(endToEndId) ?? []), entry]);
  }
  return named;
}

/** Compares what entries say about the payouts that they name: each is paid once, with its amount, to its bank account. */
export function judgeBankTexts(
  { out }: OutsideBooks,
  { texts, named }: { readonly texts: BankTexts; readonly named: NamedPayouts },
  report: ReportOutside,
): void {
  for (const [cause, entries] of named) {
    const payout = out.payouts.get(cause);
    if (payout === undefined) continue;
    const paidBy = new Set(payout.paidBy.map(({ entryId }) => entryKey(payout.iban, entryId)));
    const ordered = texts.payouts.get(cause) ?? "";
    for (const { iban, entryId, amountCents, at } of entries) {
      const name = entryKey(iban, entryId);
      const about = { accountId: payout.accountId, cause, at };
      const paid = texts.entries.get(name)?.iban ?? "";
      if (isOpen(paid) && isOpen(ordered) && paid !== ordered)
        report("books-bank", about, `is paid to another bank account than ordered, with entry ${name}`);
      if (paidBy.has(name)) continue;
      if (amountCents !== -payout.amountCents)
        report(
          "books-bank",
          about,
          `is paid over ${String(-amountCents)} cents at the bank, with entry ${name}; ordered are ${String(payout.amountCents)}`,
        );
      else
        report(
          "books-bank",
          about,
          paidBy.size === 0
            ? `is paid at the bank with entry ${name}, and not in the books`
            : `is paid twice at the bank, the second time with entry ${name}`,
        );
    }
  }
}

/** Returns false for a text that is missing, erased or sealed. */
function isOpen(text: string): boolean {
  return (
    text !== "" &&
    text !== erasedText &&
    text !== notAvailableText &&
    text !== hiddenText &&
    !text.includes(":")
  );
}
