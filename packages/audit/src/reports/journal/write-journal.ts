import { moneyTypes } from "../account-history.ts";
import type { Events, OnUnreadable } from "../event.ts";
import { beancountEntry, beancountHead } from "./beancount.ts";
import { csvEntry, csvHead } from "./csv-journal.ts";
import { datevBatchHead, datevEntries } from "./datev.ts";
import { datevCustomerTypes, writeDatevCustomers } from "./datev-customers.ts";
import { DatevError, datevMostPostings, type DatevSettings } from "./datev-format.ts";
import { ledgerEntry, ledgerHead } from "./ledger-cli.ts";
import { outsideTypes } from "./outside-money.ts";
import { journalEntries } from "./journal-entries.ts";
import type { JournalEntry, JournalPeriod } from "./transaction.ts";
import { writeTrialBalance } from "./trial-balance.ts";

/** Returns the event types that a journal needs, without version. */
export function journalTypesOf(format: JournalFormat): readonly string[] {
  return format === "datev-customers"
    ? datevCustomerTypes
    : ["AccountOpened", ...moneyTypes, ...outsideTypes];
}

/** Formats of a journal; Ledger and hledger both read `ledger-cli`. A trial balance has the accounts' sums in place of the movements. */
export const journalFormats = [
  "beancount",
  "ledger-cli",
  "csv",
  "trial-balance",
  "datev",
  "datev-customers",
] as const;

export type JournalFormat = (typeof journalFormats)[number];

export type JournalOptions =
  | ({ readonly format: Exclude<JournalFormat, "datev" | "datev-customers"> } & JournalPeriod)
  /** DATEV carries balances forward itself, so a batch has no opening balances. */
  | {
      readonly format: "datev";
      readonly datev: DatevSettings;
      /** Called before the next file of the batch begins, which has a head of its own. Without it one file must suffice. */
      readonly nextFile?: () => void;
    }
  | { readonly format: "datev-customers"; readonly datev: DatevSettings };

/**
 * Writes the events of accounts as a double-entry journal in chunks, so memory use does not grow with its size. Every
 * transaction sums to zero, and each customer's account is the negative balance.
 * @param events events of all accounts in the order of `$all`, from the start.
 * @param onUnreadable receives a sentence about each movement and document that the journal omits.
 * @throws DatevError for books that a DATEV batch cannot represent.
 */
export async function* writeJournal(
  events: Events,
  options: JournalOptions,
  onUnreadable?: OnUnreadable,
): AsyncGenerator<Uint8Array> {
  if (options.format === "datev-customers") {
    for await (const line of writeDatevCustomers(events, options.datev)) yield latin1(line);
    return;
  }
  if (options.format === "datev") {
    yield* datevFiles(journalEntries(events, {}, onUnreadable), options);
    return;
  }
  if (options.format === "trial-balance") {
    for await (const line of writeTrialBalance(journalEntries(events, options, onUnreadable)))
      yield utf8(line);
    return;
  }
  const { head, entry, encode } = writerOf(options.format);
  yield encode(head);
  for await (const each of journalEntries(events, options, onUnreadable)) {
    const text = entry(each);
    if (text !== "") yield encode(text);
  }
}

/** Writes a DATEV batch, in files of at most as many postings as DATEV accepts. */
async function* datevFiles(
  entries: AsyncIterable<JournalEntry>,
  { datev, nextFile = refuseSecondFile }: Extract<JournalOptions, { format: "datev" }>,
): AsyncGenerator<Uint8Array> {
  const head = latin1(datevBatchHead(datev));
  const linesOf = datevEntries(datev);
  let postings = 0;
  yield head;
  for await (const each of entries) {
    const lines = linesOf(each);
    if (lines.length === 0) continue;
    if (postings + lines.length > datevMostPostings) {
      nextFile();
      postings = 0;
      yield head;
    }
    postings += lines.length;
    yield latin1(lines.join(""));
  }
}

function refuseSecondFile(): never {
  throw new DatevError(
    `The period has more than the ${String(datevMostPostings)} postings of one DATEV file: choose a shorter period, or use --output, which also writes further files.`,
  );
}

interface Writer {
  readonly head: string;
  readonly entry: (entry: JournalEntry) => string;
  readonly encode: (text: string) => Uint8Array;
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");

function writerOf(format: "beancount" | "ledger-cli" | "csv"): Writer {
  switch (format) {
    case "beancount":
      return { head: beancountHead(), entry: beancountEntry, encode: utf8 };
    case "ledger-cli":
      return { head: ledgerHead, entry: ledgerEntry, encode: utf8 };
    case "csv":
      return { head: csvHead, entry: csvEntry, encode: utf8 };
  }
}
