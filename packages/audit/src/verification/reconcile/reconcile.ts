import type { HostingEvent } from "@hostledger/core";

import type { LogEvent } from "../../log/index.ts";
import { findAccountId, logJudge } from "../log-judge.ts";
import { eventPlace } from "../finding.ts";
import { chargeName } from "../tables/charge-table.ts";
import { type AccountBooks, balanceOf, book, emptyBooks } from "./account-books.ts";
import {
  type ChargeEnd,
  type ChargeHistory,
  chargeOf,
  emptyHistory,
  type EventPlace,
  judgeCharge,
  addToHistory,
} from "./charge-history.ts";
import { findings, type Findings } from "./findings.ts";
import { defaultUnmatchedDays, judgeOutside } from "./judge-outside.ts";
import type { BankTexts } from "./judge-bank-texts.ts";
import type { ProviderView } from "./provider-view.ts";
import { bookOutside, emptyOutsideBooks, type OutsideBooks } from "./outside-books.ts";
import type { Difference, Reconciliation, UnfinishedCharge } from "./reconciliation.ts";

export interface Reconciler {
  /** Adds the next event of the log. */
  readonly see: (event: LogEvent) => void;
  /** Compares the sides. */
  readonly end: (sides?: OtherSides) => Reconciliation;
  /**
   * Returns the reconciler for a second reading of the whole log; undefined if the first reading suffices. Only after
   * the last event is the list of events skipped by staff complete.
   */
  readonly again: () => Reconciler | undefined;
}

/** Sides that are not in the log. */
export interface OtherSides {
  /** The read model's cents by account id; undefined leaves them out. */
  readonly shown?: ReadonlyMap<number, bigint> | undefined;
  /** The payment provider's list; undefined leaves it out. */
  readonly provider?: ProviderView | undefined;
  /** What the log has sealed about bank entries and payouts, as the instance opens it; undefined leaves it out. */
  readonly texts?: BankTexts | undefined;
  /** Days after which a payment that nobody has, and money that has not gone out, count as differences; default: 7. */
  readonly unmatchedDays?: number | undefined;
}

/**
 * Reconciles the books with documents, read model, runs, bank and payment provider. Its memory grows with accounts, payments and charges. An
 * event that stops its stream is a difference, and later events of the stream do not count.
 */
export function reconciler(judge = logJudge()): Reconciler {
  const state: State = {
    size: 0,
    accounts: new Map(),
    charges: new Map(),
    payments: new Map(),
    outside: emptyOutsideBooks(),
    found: findings(),
    undocumented: undefined,
  };
  return {
    see(stored) {
      const index = state.size;
      state.size += 1;
      state.undocumented = undefined;
      const event = judge.see(index, stored);
      const at: EventPlace = { index, event: eventPlace(stored), time: stored.time };
      if (event !== undefined) take(state, stored.stream, event, at);
    },
    again() {
      const again = judge.again();
      return again && reconciler(again);
    },
    end({ shown, provider, texts, unmatchedDays = defaultUnmatchedDays } = {}) {
      const { stops, passedOver } = judge.end();
      for (const { index, place, problem } of stops)
        state.found.add({ sides: "books-events", ...nowhere, index, event: place, message: problem });
      judgePayments(state);
      const { ends, unfinished } = judgeCharges(state);
      judgeAccounts(state, shown);
      const outside = judgeOutside(state.outside, state.found, { unmatchedDays, provider, texts });
      const count = (end: ChargeEnd): number => ends.filter((one) => one === end).length;
      return {
        size: state.size,
        accounts: state.accounts.size,
        sums: sumsOf(state, shown),
        unfinished,
        outside,
        charges: {
          charged: ends.length,
          delivered: count("delivered"),
          refunded: count("refunded"),
          unfinished: unfinished.length,
        },
        differences: state.found.kept,
        differenceCount: state.found.count(),
        passedOver,
      };
    },
  };
}

/** Reconciles a complete list of events. */
export function reconcile(
  events: readonly LogEvent[],
  shown?: ReadonlyMap<number, bigint>,
  others?: Omit<OtherSides, "shown">,
): Reconciliation {
  const read = (reconciling: Reconciler): Reconciler => {
    for (const event of events) reconciling.see(event);
    return reconciling;
  };
  const first = read(reconciler());
  const again = first.again();
  return (again === undefined ? first : read(again)).end({ ...others, shown });
}

interface Payment {
  readonly accountId: number;
  readonly reference: string;
  readonly at: EventPlace;
  creditedCents: bigint | undefined;
  receipts: number;
  receiptedCents: bigint;
}

interface KnownCharge {
  readonly chargeId: string;
  readonly history: ChargeHistory;
  /** The account's first event about the charge; the run's first if no account has any. */
  first: EventPlace;
  accountId: number | undefined;
}

interface State {
  size: number;
  readonly accounts: Map<number, AccountBooks>;
  /** By `chargeName`. */
  readonly charges: Map<string, KnownCharge>;
  readonly payments: Map<string, Payment>;
  readonly outside: OutsideBooks;
  readonly found: Findings;
  /** Last movement without its document: both are one append, so the log may end in between. */
  undocumented: Payment | ChargeHistory | undefined;
}

const nowhere = { accountId: undefined, cause: undefined };

function placeOf({ index, event }: EventPlace): Pick<Difference, "index" | "event"> {
  return { index, event };
}

function take(state: State, stream: string, event: HostingEvent, at: EventPlace): void {
  const accountId = findAccountId(stream);
  bookOutside(state.outside, stream, event, at);
  if (accountId !== undefined) {
    const books = state.accounts.get(accountId) ?? emptyBooks();
    state.accounts.set(accountId, books);
    book(books, event);
    pay(state, accountId, event, at);
  }
  const chargeId = chargeOf(stream, event);
  if (chargeId === undefined) return;
  const name = chargeName(accountId ?? 0, chargeId);
  const known = state.charges.get(name) ?? { chargeId, history: emptyHistory(), first: at, accountId };
  state.charges.set(name, known);
  if (known.accountId === undefined && accountId !== undefined) {
    known.accountId = accountId;
    known.first = at;
  }
  const other = event.type === "BalanceCharged" ? known.history.charge : undefined;
  if (other !== undefined)
    state.found.add({
      sides: "charges-runs",
      accountId,
      cause: chargeId,
      ...placeOf(at),
      message: `is charged a second time, first by event ${String(other.at.index)}`,
    });
  addToHistory(known.history, accountId ?? 0, event, at);
  if (isMovement(event)) state.undocumented = known.history;
}

function pay(state: State, accountId: number, event: HostingEvent, at: EventPlace): void {
  const reference =
    event.type === "BalanceCredited"
      ? event.data.reference
      : event.type === "InvoiceIssued" && event.data.action === "topup"
        ? event.data.cause
        : undefined;
  if (reference === undefined) return;
  const key = `${String(accountId)} ${reference}`;
  const payment = state.payments.get(key) ?? {
    accountId,
    reference,
    at,
    creditedCents: undefined,
    receipts: 0,
    receiptedCents: 0n,
  };
  state.payments.set(key, payment);
  if (event.type === "BalanceCredited") {
    state.undocumented = payment;
    payment.creditedCents = (payment.creditedCents ?? 0n) + BigInt(event.data.amountCents);
  } else if (event.type === "InvoiceIssued") {
    payment.receipts += 1;
    payment.receiptedCents += BigInt(event.data.grossCents);
  }
}

function isMovement({ type }: HostingEvent): boolean {
  return (
    type === "BalanceCharged" ||
    type === "RegistrationRefunded" ||
    type === "ChargeRefunded" ||
    type === "RefundGranted"
  );
}

function judgePayments({ payments, found, undocumented }: State): void {
  for (const payment of payments.values()) {
    if (payment === undocumented) continue;
    const { accountId, reference, at, creditedCents, receipts, receiptedCents } = payment;
    const add = (message: string): void => {
      found.add({ sides: "books-documents", accountId, cause: reference, ...placeOf(at), message });
    };
    if (creditedCents === undefined) add("has a receipt, and was never credited");
    else if (receipts !== 1) add(`is credited, and has ${String(receipts)} receipts instead of one`);
    else if (creditedCents !== receiptedCents)
      add(`is credited ${String(creditedCents)} cents, its receipt is over ${String(receiptedCents)}`);
  }
}

function judgeCharges({ charges, found, undocumented }: State): {
  readonly ends: readonly ChargeEnd[];
  readonly unfinished: readonly UnfinishedCharge[];
} {
  const ends: ChargeEnd[] = [];
  const unfinished: UnfinishedCharge[] = [];
  for (const { chargeId, history, first, accountId } of charges.values()) {
    const { charge, run, refundedCents } = history;
    const place = placeOf(charge?.at ?? first);
    const end = judgeCharge(history, (sides, message) => {
      if (history === undocumented && sides === "charges-documents") return;
      found.add({ sides, accountId: charge?.accountId ?? accountId, cause: chargeId, ...place, message });
    });
    if (charge === undefined) continue;
    ends.push(end);
    if (end !== "unfinished" || run === undefined || run === "delivered" || run === "undelivered") continue;
    const { grossCents, at } = charge;
    unfinished.push({
      chargeId,
      accountId: charge.accountId,
      grossCents,
      refundedCents,
      state: run,
      chargedAt: at.time,
      index: at.index,
      event: at.event,
    });
  }
  return { ends, unfinished: unfinished.toSorted((one, other) => one.index - other.index) };
}

function judgeAccounts({ accounts, found }: State, shown: ReadonlyMap<number, bigint> | undefined): void {
  if (shown === undefined) return;
  for (const accountId of new Set([...accounts.keys(), ...shown.keys()])) {
    const books = accounts.get(accountId);
    const [booked, seen] = [books && balanceOf(books), shown.get(accountId)];
    if (booked === seen) continue;
    const words = [booked, seen].map((cents) =>
      cents === undefined ? "no account" : `${String(cents)} cents`,
    );
    found.add({
      sides: "books-read-model",
      accountId,
      cause: undefined,
      index: undefined,
      event: undefined,
      message: `the books have ${words[0] ?? ""}, the read model shows ${words[1] ?? ""}`,
    });
  }
}

function sumsOf({ accounts }: State, shown: ReadonlyMap<number, bigint> | undefined): Reconciliation["sums"] {
  const sums = emptyBooks();
  for (const books of accounts.values()) {
    sums.creditedCents += books.creditedCents;
    sums.adjustedCents += books.adjustedCents;
    sums.paidOutCents += books.paidOutCents;
    sums.receiptedCents += books.receiptedCents;
    sums.chargedCents += books.chargedCents;
    sums.invoicedCents += books.invoicedCents;
    sums.refundedCents += books.refundedCents;
    sums.correctedCents += books.correctedCents;
  }
  const shownCents = shown && [...shown.values()].reduce((sum, cents) => sum + cents, 0n);
  return { ...sums, balanceCents: balanceOf(sums), shownCents };
}
