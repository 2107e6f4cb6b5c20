import type { ReportOutside } from "./findings.ts";
import { entryKey, type BookedEntry, type BookedStatement, type OutsideBooks } from "./outside-books.ts";

/** Compares each bank account's statements with the booked entries, and the statements with each other. */
export function judgeStatements({ entries, statements }: OutsideBooks, report: ReportOutside): void {
  for (const iban of new Set([...statements, ...entries.values()].map((one) => one.iban))) {
    const own = [...entries.values()].filter((entry) => entry.iban === iban);
    judgeFiles(
      judgeEntries(own, report),
      statements.filter((statement) => statement.iban === iban),
      report,
    );
  }
}

/** Entries are numbered from 1 without a gap, and each booking of the bank is one entry. @returns the entries without doubles */
function judgeEntries(entries: readonly BookedEntry[], report: ReportOutside): readonly BookedEntry[] {
  const bookings = new Map<string, BookedEntry>();
  let next = 1;
  for (const entry of entries) {
    const { iban, entryId, booking, at } = entry;
    const about = { cause: entryKey(iban, entryId), at };
    if (entryId > next)
      report("bank-statements", about, `follows entry ${String(next - 1)}: an entry between them is missing`);
    next = Math.max(next, entryId + 1);
    const known = bookings.get(booking);
    if (known === undefined) bookings.set(booking, entry);
    else
      report(
        "bank-statements",
        about,
        `is the bank's booking of entry ${String(known.entryId)}, booked twice`,
      );
  }
  return [...bookings.values()];
}

function judgeFiles(
  entries: readonly BookedEntry[],
  statements: readonly BookedStatement[],
  report: ReportOutside,
): void {
  let isChain = true;
  for (const statement of statements) {
    const { iban, statementId, openingCents, closingCents, at } = statement;
    const about = { cause: `${iban} ${statementId}`, at };
    const isUnique = statements.filter((one) => one.statementId === statementId).length === 1;
    const own = entries.filter((entry) => entry.statementId === statementId);
    if (!isUnique || own.length !== statement.entries) isChain = false;
    if (!isUnique) continue;
    if (own.length !== statement.entries && !isExplained(statement, own, entries))
      report(
        "bank-statements",
        about,
        `has ${String(statement.entries)} payments, and ${String(own.length)} are booked`,
      );
    else if (own.length === statement.entries && openingCents !== undefined && closingCents !== undefined) {
      const cents = own.reduce((sum, { amountCents }) => sum + amountCents, 0n);
      if (openingCents + cents !== closingCents)
        report(
          "bank-statements",
          about,
          `moves the balance by ${String(closingCents - openingCents)} cents, its booked payments by ${String(cents)}`,
        );
    }
  }
  if (isChain) judgeChain(statements, report);
}

/** Returns true if another file may have brought the other payments of a statement before: they keep the name of that file. */
function isExplained(
  { statementId, entries: count, openingCents, closingCents, at }: BookedStatement,
  own: readonly BookedEntry[],
  entries: readonly BookedEntry[],
): boolean {
  const known = entries.filter((entry) => entry.at.index < at.index && entry.statementId !== statementId);
  const missing = count - own.length;
  if (missing < 0 || missing > known.length) return false;
  if (missing > 1 || openingCents === undefined || closingCents === undefined) return true;
  const cents = own.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  return known.some(({ amountCents }) => openingCents + cents + amountCents === closingCents);
}

/** Statements that do not overlap connect: each begins with the closing balance of another one, except the first. */
function judgeChain(statements: readonly BookedStatement[], report: ReportOutside): void {
  const moving = statements.filter(({ openingCents, closingCents }) => openingCents !== closingCents);
  if (moving.length === 0) return;
  const closings: bigint[] = moving.flatMap(({ closingCents }) => closingCents ?? []);
  const loose = statements.filter((statement) => {
    const { openingCents } = statement;
    if (openingCents === undefined) return false;
    if (!moving.includes(statement))
      // A day without payments begins and ends like its neighbours.
      return moving.every((one) => one.openingCents !== openingCents && one.closingCents !== openingCents);
    const at = closings.indexOf(openingCents);
    if (at !== -1) closings.splice(at, 1);
    return at === -1;
  });
  for (const { iban, statementId, openingCents, at } of loose.slice(1))
    report(
      "bank-statements",
      { cause: `${iban} ${statementId}`, at },
      `begins with ${String(openingCents)} cents, and no statement ends with them: one is missing`,
    );
}
