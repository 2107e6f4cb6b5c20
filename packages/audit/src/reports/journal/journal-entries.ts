import { moneyEvent } from "../account-history.ts";
import { bareType, type Events, type OnUnreadable, parseMembers, textMember } from "../event.ts";
import { previousMicrosecond } from "../instant.ts";
import { accountName, isDeclaredAtUse } from "./journal-accounts.ts";
import { outsideMoney, type OutsideMoney } from "./outside-money.ts";
import type { JournalEntry, JournalPeriod, Posting, Transaction } from "./transaction.ts";
import { isDocument, type Pending, sourceOf, transactionOf } from "./transactions.ts";

/**
 * Converts the events of accounts, bank accounts and payments to double entry: a transaction for each movement, with its document's
 * revenue and VAT. Every transaction sums to zero. A customer's postings always sum to the balance, even if a document differs.
 * @param events these events in the order of `$all`; other events are skipped.
 * @param period Bookings before `from` become an opening transaction for each customer, bank account and provider, with all their
 *   accounts, so that the trial balance does not depend on `from`. Bookings after `to` are left out.
 * @param onUnreadable receives a sentence about each movement and document that the journal omits.
 */
export async function* journalEntries(
  events: Events,
  period: JournalPeriod = {},
  onUnreadable: OnUnreadable = () => undefined,
): AsyncGenerator<JournalEntry> {
  const declared = new Set<string>();
  const later = new Map<number, JournalEntry>();
  const outside = outsideMoney();
  for await (const entry of undeclaredEntries(events, { period, onUnreadable, outside })) {
    if (entry.kind === "customer" && isLater(entry, period)) {
      later.set(entry.accountId, entry);
      continue;
    }
    if (entry.kind === "transaction")
      for (const { account } of entry.transaction.postings) {
        const name = accountName(account);
        const customer = account.kind === "customer" ? later.get(account.accountId) : undefined;
        if (declared.has(name) || (customer === undefined && !isDeclaredAtUse(account))) continue;
        declared.add(name);
        yield customer ?? { kind: "account", account };
      }
    yield entry;
  }
}

/** Returns true for a customer of later days, which a journal declares only for a transaction. */
function isLater({ time }: { readonly time: string }, { to }: JournalPeriod): boolean {
  return to !== undefined && time.slice(0, 10) > to.slice(0, 10);
}

async function* undeclaredEntries(
  events: Events,
  {
    period,
    onUnreadable,
    outside,
  }: {
    readonly period: JournalPeriod;
    readonly onUnreadable: OnUnreadable;
    readonly outside: OutsideMoney;
  },
): AsyncGenerator<JournalEntry> {
  const pending = new Map<string, Pending>();
  const earlier: EarlierBooks = new Map();
  for await (const stored of events) {
    const accountId = accountOf(stored.stream);
    if (accountId === undefined) {
      const transaction = outside.transactionOf(stored, onUnreadable);
      if (transaction !== undefined) yield* dated(transaction, earlier, period);
      continue;
    }
    if (bareType(stored) === "AccountOpened" && stored.leftOut === undefined) {
      const name = textMember(parseMembers(stored.data), "name") ?? "";
      yield { kind: "customer", accountId, name, time: stored.time };
      continue;
    }
    const event = moneyEvent(stored, onUnreadable);
    if (event === undefined) continue;
    const before = pending.get(stored.stream);
    pending.delete(stored.stream);
    if (isDocument(event)) {
      if (before !== undefined) yield* dated(transactionOf(before, event), earlier, period);
    } else {
      if (before !== undefined) yield* dated(transactionOf(before, undefined), earlier, period);
      pending.set(stored.stream, { stored, accountId, event, source: sourceOf(event, outside) });
    }
  }
  for (const left of pending.values()) yield* dated(transactionOf(left, undefined), earlier, period);
  if (period.from !== undefined) yield* openings(earlier, period.from);
}

function accountOf(stream: string): number | undefined {
  const match = /^account-([1-9]\d{0,14})$/u.exec(stream);
  return match === null ? undefined : Number(match[1]);
}

/** Movements before the period, by payee. */
type EarlierBooks = Map<
  string,
  { readonly accountId: number | undefined; readonly sums: Map<string, Posting> }
>;

function* dated(
  transaction: Transaction,
  earlier: EarlierBooks,
  { from, to }: JournalPeriod,
): Generator<JournalEntry> {
  if (to !== undefined && placeAt(to, transaction) > to) return;
  if (from === undefined || placeAt(from, transaction) >= from) {
    yield { kind: "transaction", transaction };
    return;
  }
  const { accountId, payee, postings } = transaction;
  const known = earlier.get(payee) ?? { accountId, sums: new Map<string, Posting>() };
  earlier.set(payee, known);
  const { sums } = known;
  for (const { account, amountCents } of postings) {
    const name = accountName(account);
    sums.set(name, { account, amountCents: (sums.get(name)?.amountCents ?? 0n) + amountCents });
  }
}

/** Returns the day of the booking for an end of the period that is a date, and the time of storage for an instant. */
function placeAt(end: string, { day, time }: Transaction): string {
  return end.includes("T") ? time : day;
}

/** Opening transactions are dated before the period, so that reports on the period exclude earlier revenue. */
function* openings(earlier: EarlierBooks, from: string): Generator<JournalEntry> {
  const time = previousMicrosecond(from.includes("T") ? from : `${from}T00:00:00.000000Z`);
  for (const [payee, { accountId, sums }] of earlier) {
    const postings = [...sums.values()].filter(({ amountCents }) => amountCents !== 0n);
    if (postings.length === 0) continue;
    const transaction: Transaction = {
      time,
      day: time.slice(0, 10),
      accountId,
      payee,
      kind: "opening",
      documentNumber: "",
      eventId: "",
      cause: "",
      description: "Opening balance",
      vatCents: 0n,
      vatRatePercent: 0,
      tax: undefined,
      postings,
    };
    yield { kind: "transaction", transaction };
  }
}
