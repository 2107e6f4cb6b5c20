import { addMilliseconds, entryOfTopUp } from "@hostledger/core";

import type { Findings, ReportOutside } from "./findings.ts";
import { judgeBankTexts, namedPayouts, type BankTexts } from "./judge-bank-texts.ts";
import { judgeMoneyOut } from "./judge-money-out.ts";
import { judgeProvider } from "./judge-provider.ts";
import type { ProviderView } from "./provider-view.ts";
import { judgeStatements } from "./judge-statements.ts";
import {
  entryKey,
  isAtProvider,
  type BookedEntry,
  type BookedPayment,
  type OutsideBooks,
} from "./outside-books.ts";
import type { Difference, OutsideReconciliation } from "./reconciliation.ts";

/** Days after which a payment that nobody has, and a payout that the bank has not booked, count as differences. */
export const defaultUnmatchedDays = 7;

export interface OutsideOptions {
  /** Days after which a payment that nobody has, and money that has not gone out, count as differences, before the last event. */
  readonly unmatchedDays: number;
  /** The payment provider's list; undefined leaves it out. */
  readonly provider: ProviderView | undefined;
  /** What the log has sealed about bank entries and payouts; undefined leaves it out. */
  readonly texts: BankTexts | undefined;
}

/** Time that the work engine has to credit a payment, before the last event. */
const creditingMs = 3_600_000;

/** Compares bank statements, payments and top-ups with each other. What is newer than an hour may still be in the work engine. */
export function judgeOutside(
  books: OutsideBooks,
  found: Findings,
  { unmatchedDays, provider, texts }: OutsideOptions,
): OutsideReconciliation {
  const { entries, payments, statements, lastTime } = books;
  const report: ReportOutside = (sides, { accountId, cause, at }, message) => {
    const place: Pick<Difference, "index" | "event"> = { index: at?.index, event: at?.event };
    found.add({ sides, accountId, cause, ...place, message });
  };
  const settledBefore = lastTime === "" ? "" : addMilliseconds(lastTime, -creditingMs);
  const unmatchedBefore = lastTime === "" ? "" : addMilliseconds(lastTime, -unmatchedDays * 86_400_000);
  judgeStatements(books, report);
  for (const entry of entries.values()) {
    judgeAssignments(books, entry, { report, settledBefore });
    if (entry.status === "parked" && entry.since < unmatchedBefore)
      report(
        "books-bank",
        { cause: entryKey(entry.iban, entry.entryId), at: entry.at },
        `belongs to nobody for more than ${String(unmatchedDays)} days`,
      );
  }
  judgeUnknownEntries(books, report);
  for (const payment of payments.values()) judgePayment(books, payment, { report, settledBefore });
  judgeDoublePayments(books, report);
  const named = namedPayouts(books, texts);
  judgeMoneyOut(books, { report, settledBefore, unmatchedBefore, unmatchedDays, named });
  if (texts !== undefined) judgeBankTexts(books, { texts, named }, report);
  if (provider !== undefined)
    judgeProvider(books, provider, { report, settledBefore, unmatchedBefore, unmatchedDays });
  const waiting = [...entries.values()].filter(({ status }) => status === "parked");
  const unexplained = judgeSentBack(books, { report, unmatchedBefore, unmatchedDays });
  return {
    statements: statements.length,
    bankEntries: entries.size,
    waiting: waiting.length,
    waitingCents: centsOf(waiting),
    unexplained: unexplained.length,
    unexplainedCents: -centsOf(unexplained),
    payments: payments.size,
    refunds: books.out.refunds.size,
    payouts: books.out.payouts.size,
    notCompared: notComparedOf(books, provider, texts),
  };
}

/**
 * Finds for each payment that staff send back the outgoing entry of its amount on the same bank account.
 * @returns outgoing entries that nothing explains
 */
function judgeSentBack(
  { entries }: OutsideBooks,
  {
    report,
    unmatchedBefore,
    unmatchedDays,
  }: { readonly report: ReportOutside; readonly unmatchedBefore: string; readonly unmatchedDays: number },
): readonly BookedEntry[] {
  const outgoing = [...entries.values()].filter(({ status }) => status === "outgoing");
  const keyOf = (iban: string, cents: bigint): string => `${iban} ${String(cents)}`;
  const left = Map.groupBy(outgoing, ({ iban, amountCents }) => keyOf(iban, -amountCents));
  for (const { status, iban, entryId, amountCents, since, at } of entries.values()) {
    if (status !== "returned") continue;
    const sent = left.get(keyOf(iban, amountCents))?.shift();
    if (sent === undefined && since < unmatchedBefore)
      report(
        "books-bank",
        { cause: entryKey(iban, entryId), at },
        `goes back to its payer for more than ${String(unmatchedDays)} days, and the bank did not book it`,
      );
  }
  return [...left.values()].flat();
}

function centsOf(entries: readonly BookedEntry[]): bigint {
  return entries.reduce((sum, { amountCents }) => sum + amountCents, 0n);
}

function notComparedOf(
  { payments, out }: OutsideBooks,
  provider: ProviderView | undefined,
  texts: BankTexts | undefined,
): readonly string[] {
  const names = new Set(
    [...payments.values()].filter(({ settled }) => isAtProvider(settled)).map((one) => one.provider),
  );
  const lists = [...names]
    .filter((name) => name !== provider?.name)
    .sort()
    .map((name) => `the list of the payment provider ${name}`);
  const isSealed = texts === undefined && out.payouts.size > 0;
  return isSealed ? [...lists, sealedTexts] : lists;
}

const sealedTexts =
  "the bank accounts that payouts went to, and payouts that the bank paid twice or over another amount";

interface Judging {
  readonly report: ReportOutside;
  /** Newer payments may still be credited, so they are not compared. */
  readonly settledBefore: string;
}

/** The account that has an entry is credited once with its amount; accounts that had it before are debited again. */
function judgeAssignments(
  { credits }: OutsideBooks,
  entry: BookedEntry,
  { report, settledBefore }: Judging,
): void {
  for (const [index, { accountId, reference, at }] of entry.assignments.entries()) {
    const isLast = index === entry.assignments.length - 1;
    const about = { accountId, cause: reference, at };
    const all = credits.get(reference) ?? [];
    const own = all.filter((credit) => credit.accountId === accountId);
    const [credit] = own;
    for (const other of all.filter((one) => one.accountId !== accountId))
      report(
        "books-bank",
        about,
        `belongs to account ${String(accountId)}, and account ${String(other.accountId)} is credited`,
      );
    if (own.length > 1) report("books-bank", about, `is credited ${String(own.length)} times`);
    if (credit !== undefined && credit.amountCents !== entry.amountCents)
      report(
        "books-bank",
        about,
        `is over ${String(entry.amountCents)} cents at the bank, credited are ${String(credit.amountCents)}`,
      );
    if (entry.since >= settledBefore) continue;
    if (isLast && all.length === 0) report("books-bank", about, "is at the bank, and was never credited");
    if (!isLast && credit?.isReversed === false)
      report("books-bank", about, "was moved to another account, and this account still has it");
  }
}

/** Reports top-ups under references of bank entries that the bank does not have. */
function judgeUnknownEntries({ credits, entries }: OutsideBooks, report: ReportOutside): void {
  for (const [reference, all] of credits) {
    const named = entryOfTopUp(reference);
    if (named === undefined) continue;
    const entry = entries.get(entryKey(named.iban, named.entryId));
    if (entry?.assignments.some((one) => one.reference === reference) === true) continue;
    for (const { accountId, at } of all)
      report(
        "books-bank",
        { accountId, cause: reference, at },
        entry === undefined ? "is credited, and is not at the bank" : "is credited, and belongs to nobody",
      );
  }
}

/** Checks that a settled payment was credited once and a reversed one debited. */
function judgePayment(
  { credits }: OutsideBooks,
  payment: BookedPayment,
  { report, settledBefore }: Judging,
): void {
  const { accountId, settled, returned } = payment;
  if (!isAtProvider(settled)) return;
  const about = { accountId, cause: settled.reference, at: settled.at };
  const all = credits.get(settled.reference) ?? [];
  const [credit] = all.filter((one) => one.accountId === accountId);
  for (const other of all.filter((one) => one.accountId !== accountId))
    report(
      "books-provider",
      about,
      `is of account ${String(accountId)}, and account ${String(other.accountId)} is credited`,
    );
  if (all.filter((one) => one.accountId === accountId).length > 1)
    report("books-provider", about, `is credited ${String(all.length)} times`);
  if (credit !== undefined && credit.amountCents !== settled.amountCents)
    report(
      "books-provider",
      about,
      `is settled over ${String(settled.amountCents)} cents, credited are ${String(credit.amountCents)}`,
    );
  if (all.length === 0 && settled.at.time < settledBefore)
    report("books-provider", about, "is settled, and was never credited");
  // A payment that was refunded in full leaves nothing to debit.
  const isKept = credit?.isReversed === false && credit.refundedCents < credit.amountCents;
  if (returned !== undefined && returned.at.time < settledBefore && isKept)
    report("books-provider", { ...about, at: returned.at }, "was taken back, and is still credited");
}

function judgeDoublePayments({ payments }: OutsideBooks, report: ReportOutside): void {
  const first = new Map<string, BookedPayment>();
  for (const payment of payments.values()) {
    if (!isAtProvider(payment.settled)) continue;
    const { reference: cause, at } = payment.settled;
    const known = first.get(cause);
    if (known === undefined) first.set(cause, payment);
    else
      report(
        "books-provider",
        { accountId: payment.accountId, cause, at },
        `settles ${payment.orderId}, and ${known.orderId} as well`,
      );
  }
}
