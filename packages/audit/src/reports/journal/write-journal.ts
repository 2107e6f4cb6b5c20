import { moneyTypes } from "../account-history.ts";
import type { Facts, OnUnreadable } from "../fact.ts";
import { beancountEntry, beancountHead } from "./beancount.ts";
import { csvEntry, csvHead } from "./csv-journal.ts";
import { datevEntry, datevHead, type DatevSettings } from "./datev.ts";
import { ledgerEntry, ledgerHead } from "./ledger-cli.ts";
import { journalEntries, type JournalEntry } from "./transactions.ts";

/** Event types of a journal, without version. */
export const journalTypes: readonly string[] = ["AccountOpened", ...moneyTypes];

/** Formats of a journal; Ledger and hledger both read `ledger-cli`. */
export const journalFormats = ["beancount", "ledger-cli", "csv", "datev"] as const;

export type JournalFormat = (typeof journalFormats)[number];

export type JournalOptions =
  | {
      readonly format: Exclude<JournalFormat, "datev">;
      /** Earlier movements become an opening transaction for each customer. */
      readonly from?: string | undefined;
    }
  /** DATEV carries balances forward itself, so a batch has no opening balances. */
  | { readonly format: "datev"; readonly datev: DatevSettings };

/**
 * Writes the events of accounts as a double-entry journal in chunks, so memory use does not grow with its size. Every
 * transaction sums to zero, and each customer's account is the negative balance.
 * @param facts events of all accounts in the order of `$all`, from the start.
 * @param onUnreadable receives a sentence about each movement and document that the journal omits.
 * @throws DatevError for books that a DATEV batch cannot represent.
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
