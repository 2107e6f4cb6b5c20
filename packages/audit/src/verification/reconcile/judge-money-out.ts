import type { ReportOutside } from "./findings.ts";
import type { NamedPayouts } from "./judge-bank-texts.ts";
import type { BookedDebit, BookedPayout, BookedRefund, MoneyOutBooks } from "./money-out-books.ts";
import { entryKey, type OutsideBooks } from "./outside-books.ts";

export interface JudgingOut {
  readonly report: ReportOutside;
  /** What is newer may still be in the work engine. */
  readonly settledBefore: string;
  /** What is newer may still be on its way through the bank or the provider. */
  readonly unmatchedBefore: string;
  readonly unmatchedDays: number;
  /** Empty where the texts of bank entries are sealed. */
  readonly named: NamedPayouts;
}

/** Compares the debits of customers with refunds at the provider and payouts at the bank, and payouts with the bank's entries. */
export function judgeMoneyOut(books: OutsideBooks, judging: JudgingOut): void {
  const { debits, refunds, payouts } = books.out;
  const debited = new Map<string, BookedDebit>();
  for (const debit of debits) {
    const first = debited.get(debit.reference);
    if (first === undefined) debited.set(debit.reference, debit);
    else
      judging.report(
        sidesOf(debit),
        aboutDebit(debit),
        `is debited from account ${String(first.accountId)}, and here as well`,
      );
  }
  for (const debit of debited.values())
    if (debit.to === "source") judgeRefunded(debit, refunds.get(debit.reference), judging);
    else judgePaidOut(debit, payouts.get(debit.reference), judging);
  for (const refund of refunds.values()) judgeRefund(refund, debited.get(refund.refundId), judging);
  const claims = new Map<string, string>();
  for (const payout of payouts.values()) {
    judgePayout(payout, debited.get(payout.endToEndId), judging);
    judgeEntries(books, payout, { claims, report: judging.report });
  }
  judgeFiles(books.out, judging.report);
}

type About = Parameters<ReportOutside>[1];

function sidesOf({ to }: Pick<BookedDebit, "to">): "books-provider" | "books-bank" {
  return to === "source" ? "books-provider" : "books-bank";
}

function aboutDebit({ accountId, reference: cause, at }: BookedDebit): About {
  return { accountId, cause, at };
}

/** Compares a debit with its refund at the provider. */
function judgeRefunded(
  debit: BookedDebit,
  refund: BookedRefund | undefined,
  { report, settledBefore }: JudgingOut,
): void {
  const about = aboutDebit(debit);
  if (refund === undefined) {
    if (debit.at.time < settledBefore) report("books-provider", about, "is debited, and was never ordered");
    return;
  }
  judgeSame(debit, refund, report);
  const { refused } = refund;
  if (refused === undefined) {
    if (debit.returned !== undefined)
      report("books-provider", about, "is credited again, and the provider did not refuse it");
  } else if (debit.returned === undefined && refused.time < settledBefore)
    report("books-provider", { ...about, at: refused }, "did not arrive, and was never credited again");
}

/** Compares a debit with its payout at the bank. */
function judgePaidOut(
  debit: BookedDebit,
  payout: BookedPayout | undefined,
  { report, settledBefore }: JudgingOut,
): void {
  const about = aboutDebit(debit);
  if (payout === undefined) {
    if (debit.at.time < settledBefore)
      report("books-bank", about, "is debited, and does not wait for the bank");
    return;
  }
  judgeSame(debit, payout, report);
  const [back] = payout.returnedBy;
  if (back === undefined) {
    if (debit.returned !== undefined)
      report("books-bank", about, "is credited again, and did not come back from the bank");
  } else if (debit.returned === undefined && !payout.isParked && back.at.time < settledBefore)
    report("books-bank", { ...about, at: back.at }, "came back from the bank, and was never credited again");
}

/** A debit and its order are of one account, and over one amount. */
function judgeSame(
  debit: BookedDebit,
  order: Pick<BookedRefund, "accountId" | "amountCents">,
  report: ReportOutside,
): void {
  const [sides, about] = [sidesOf(debit), aboutDebit(debit)];
  const { accountId, amountCents } = debit;
  if (order.accountId !== accountId)
    report(
      sides,
      about,
      `is of account ${String(order.accountId)}, and account ${String(accountId)} is debited`,
    );
  if (order.amountCents !== amountCents)
    report(
      sides,
      about,
      `is debited over ${String(amountCents)} cents, ordered are ${String(order.amountCents)}`,
    );
}

function judgeRefund(
  { refundId: cause, accountId, at, settled, refused }: BookedRefund,
  debit: BookedDebit | undefined,
  { report, unmatchedBefore, unmatchedDays }: JudgingOut,
): void {
  if (debit === undefined)
    report("books-provider", { accountId, cause, at }, "is ordered, and the customer was never debited");
  if (settled === undefined && refused === undefined && at.time < unmatchedBefore)
    report(
      "books-provider",
      { accountId, cause, at },
      `is ordered for more than ${String(unmatchedDays)} days, and the provider did not say what became of it`,
    );
}

function judgePayout(
  { accountId, endToEndId: cause, at, files, paidBy, returnedBy }: BookedPayout,
  debit: BookedDebit | undefined,
  { report, unmatchedBefore, unmatchedDays, named }: JudgingOut,
): void {
  const about = { accountId, cause, at };
  if (debit === undefined)
    report("books-bank", about, "waits for the bank, and the customer was never debited");
  const [file, second] = files;
  if (file !== undefined && second !== undefined)
    report(
      "books-bank",
      { ...about, at: second.at },
      `is in the files ${file.messageId} and ${second.messageId}: the bank may pay it twice`,
    );
  if (paidBy.length > 1) report("books-bank", about, `is paid ${String(paidBy.length)} times in the books`);
  if (returnedBy.length > 1)
    report("books-bank", about, `came back ${String(returnedBy.length)} times in the books`);
  // What the bank books under the payout's name is no missing entry, whatever else is wrong.
  if (paidBy.length > 0 || returnedBy.length > 0 || named.has(cause)) return;
  const days = `for more than ${String(unmatchedDays)} days`;
  if (file === undefined && at.time < unmatchedBefore)
    report("books-bank", about, `waits for a file for the bank ${days}`);
  if (file !== undefined && file.at.time < unmatchedBefore)
    report(
      "books-bank",
      { ...about, at: file.at },
      `is in the file ${file.messageId} ${days}, and the bank did not book it`,
    );
}

/** The bank's entries that paid a payout, or brought it back, are there, have its amount, and are about no other payout. */
function judgeEntries(
  { entries }: OutsideBooks,
  { accountId, endToEndId: cause, iban, amountCents, paidBy, returnedBy }: BookedPayout,
  { claims, report }: { readonly claims: Map<string, string>; readonly report: ReportOutside },
): void {
  const booked = [
    ...paidBy.map((one) => ({ ...one, sign: -1n, word: "paid" })),
    ...returnedBy.map((one) => ({ ...one, sign: 1n, word: "come back" })),
  ];
  for (const { entryId, at, sign, word } of booked) {
    const about = { accountId, cause, at };
    const name = entryKey(iban, entryId);
    const entry = entries.get(name);
    const other = claims.get(name);
    claims.set(name, other ?? cause);
    if (entry === undefined) report("books-bank", about, `is ${word} by the books, and not at the bank`);
    else if (other !== undefined)
      report("books-bank", about, `is ${word} with entry ${name}, which is of ${other} already`);
    else if (entry.amountCents !== sign * amountCents)
      report(
        "books-bank",
        about,
        `is ${word} over ${String(sign * entry.amountCents)} cents at the bank, ordered are ${String(amountCents)}`,
      );
  }
}

/** A file has only payouts that staff ordered, and their sum. */
function judgeFiles({ files, payouts }: MoneyOutBooks, report: ReportOutside): void {
  for (const { messageId: cause, endToEndIds, amountCents, at } of files) {
    const about = { cause, at };
    const unknown = endToEndIds.filter((id) => !payouts.has(id));
    for (const id of unknown) report("books-bank", about, `has the payout ${id}, which nobody ordered`);
    const sum = endToEndIds.reduce((cents, id) => cents + (payouts.get(id)?.amountCents ?? 0n), 0n);
    if (unknown.length === 0 && sum !== amountCents)
      report("books-bank", about, `is over ${String(amountCents)} cents, its payouts over ${String(sum)}`);
  }
}
