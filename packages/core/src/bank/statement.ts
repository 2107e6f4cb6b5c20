import { formatEuros, type Cents } from "../money/money.ts";

/** `statement`: a booked account statement (CAMT.053) with balances. `notice`: a credit or debit notification (CAMT.054). */
export type StatementKind = "statement" | "notice";

/** A payment as the bank reports it. */
export interface Payment {
  /** Cents; below zero for money that left the account. */
  readonly amountCents: Cents;
  /** Creditor reference in its own field; empty without one. */
  readonly creditorReference: string;
  /** Texts of the payer; empty where the bank names none. */
  readonly remittance: string;
  readonly endToEndId: string;
  /** The other party. */
  readonly counterpartyName: string;
  readonly counterpartyIban: string;
  /** The bank's code for why it returned a transfer, empty if it names none; absent for other payments. */
  readonly returnCode?: string;
}

/** A booking on the account: one payment, or several that the bank booked in one sum. */
export interface Booking {
  /** The bank's own reference; empty without one. */
  readonly bankReference: string;
  readonly amountCents: Cents;
  readonly currency: string;
  /** Day of the booking, YYYY-MM-DD. */
  readonly bookedOn: string;
  /** Day from which the money counts; null where the bank names none. */
  readonly valueOn: string | null;
  /** True if it takes an earlier booking back. */
  readonly isReversal: boolean;
  /** One or more payments, which sum to the booking. */
  readonly payments: readonly Payment[];
}

export interface StatementBalance {
  readonly amountCents: Cents;
  readonly currency: string;
}

export interface BankStatement {
  readonly kind: StatementKind;
  /** The bank's id of the statement. */
  readonly statementId: string;
  readonly iban: string;
  /** Currency of the account; empty where the bank names none. */
  readonly currency: string;
  readonly opening: StatementBalance | null;
  readonly closing: StatementBalance | null;
  /** Booked entries; entries that the bank only announces are left out. */
  readonly bookings: readonly Booking[];
}

/** The account whose statements are imported. */
export interface OwnAccount {
  readonly iban: string;
  readonly currency: string;
}

/** Returns why a statement cannot be imported; undefined if its account, currency and sums are right. */
export function faultOfStatement(statement: BankStatement, own: OwnAccount): string | undefined {
  const { statementId, iban, currency, opening, closing, bookings, kind } = statement;
  const named = `Statement ${statementId}`;
  if (iban !== own.iban)
    return `${named} is of account ${iban}, not of ${own.iban}, which HOSTLEDGER_BANK_IBAN names.`;
  const currencies = [currency, opening?.currency, closing?.currency, ...bookings.map((one) => one.currency)];
  const foreign = currencies.find((one) => one !== undefined && one !== "" && one !== own.currency);
  if (foreign !== undefined) return `${named} has amounts in ${foreign}; only ${own.currency} is imported.`;
  if (opening === null || closing === null)
    return kind === "notice" ? undefined : `${named} lacks its opening or closing balance.`;
  const sum = bookings.reduce((cents, one) => cents + one.amountCents, 0n);
  const expected = opening.amountCents + sum;
  if (expected === closing.amountCents) return undefined;
  return (
    `${named} does not add up: opening ${formatEuros(opening.amountCents)} and entries of ${formatEuros(sum)} make ` +
    `${formatEuros(expected)}, and the closing balance is ${formatEuros(closing.amountCents)}. Fetch the file from the bank again.`
  );
}
