import { moneyTypes } from "../account-history.ts";
import type { Facts, OnUnreadable } from "../fact.ts";
import { beancountEntry, beancountHead } from "./beancount.ts";
import { csvEntry, csvHead } from "./csv-journal.ts";
import { datevEntry, datevHead, type DatevSettings } from "./datev.ts";
import { ledgerEntry, ledgerHead } from "./ledger-cli.ts";
import { journalEntries, type JournalEntry } from "./transactions.ts";

/** Types, without version, of the facts that a journal is made of. */
export const journalTypes: readonly string[] = ["AccountOpened", ...moneyTypes];

/** The languages a journal is written in; `ledger-cli` is read by Ledger and by hledger. */
export const journalFormats = ["beancount", "ledger-cli", "csv", "datev"] as const;

/** See {@link journalFormats}. */
export type JournalFormat = (typeof journalFormats)[number];

/** What a journal holds, and how. */
export type JournalOptions =
  | {
      readonly format: Exclude<JournalFormat, "datev">;
      /** Movements stored before it are one opening transaction for each customer. */
      readonly from?: string | undefined;
    }
  /** DATEV carries balances from year to year by itself, so a batch has no opening balances. */
  | { readonly format: "datev"; readonly datev: DatevSettings };

/**
 * Writes the facts of accounts as a journal of double entry, piece by piece, so that its size does not matter. Every
 * transaction sums to zero, and each customer's account is the negative of the balance.
 * @param facts of all accounts in log order, from the beginning.
 * @param onUnreadable hears of each movement and document that cannot be read and is left out.
 * @throws DatevError for books that a DATEV batch cannot hold.
 */
export async function* writeJournal(
  facts: Facts,
  options: JournalOptions,
  onUnreadable?: OnUnreadable,
): AsyncGenerator<Uint8Array> {
  const { head, entry, encode } = writerOf(options);
  yield encode(head);
  const from = options.format === "datev" ? undefined : options.from;
  for await (const each of journalEntries(facts, from, onUnreadable)) {
    const text = entry(each);
    if (text !== "") yield encode(text);
  }
}

interface Writer {
  readonly head: string;
  readonly entry: (entry: JournalEntry) => string;
  readonly encode: (text: string) => Uint8Array;
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");

function writerOf(options: JournalOptions): Writer {
  switch (options.format) {
    case "beancount":
      return { head: beancountHead(), entry: beancountEntry, encode: utf8 };
    case "ledger-cli":
      return { head: ledgerHead, entry: ledgerEntry, encode: utf8 };
    case "csv":
      return { head: csvHead, entry: csvEntry, encode: utf8 };
    case "datev": {
      const { datev } = options;
      return {
        head: datevHead(datev),
        entry: (entry) => datevEntry(entry, datev),
        encode: (text) => Buffer.from(text, "latin1"),
      };
    }
  }
}
