import { Map as PersistentMap, OrderedSet, Set as PersistentSet } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import { CorruptStreamError } from "../kernel/decider.ts";
import { erasedText, notAvailableText } from "../kernel/fields.ts";
import type { Cents } from "../money/money.ts";
import { evolvePayouts, noPayouts, type Payouts } from "./payout.state.ts";
import type { BankEntryBooked, BankEvent, ParkedBecause } from "./bank.events.ts";

/** An account that an entry was booked on, and the reference of its top-up. */
export interface Assignment {
  readonly accountId: number;
  readonly topUpReference: string;
  /** Why staff moved the payment to another account; null while the account has it. */
  readonly movedBecause: string | null;
}

/** What a top-up gets of a payment that names it. */
export interface TopUpShare {
  /** Stream of the top-up without its category. */
  readonly paymentKey: string;
  /** Cents (EUR). */
  readonly amountCents: Cents;
}

export type EntryStatus =
  /** Money that left the account. */
  | { readonly status: "outgoing" }
  | { readonly status: "parked"; readonly because: ParkedBecause }
  /** The last account has the payment; the others had it by mistake. */
  | {
      readonly status: "matched";
      readonly assignments: readonly Assignment[];
      /** Top-ups that the payment named, and what each gets of it. */
      readonly topUps: readonly TopUpShare[];
    }
  /** A payment between the operator and a payment provider. */
  | { readonly status: "provider"; readonly provider: string }
  | { readonly status: "returned"; readonly reason: string }
  /** A payout that the bank returned. */
  | { readonly status: "payout-returned"; readonly endToEndId: string };

export type BankEntry = EntryStatus &
  Pick<
    BankEntryBooked["data"],
    | "entryId"
    | "iban"
    | "bookedOn"
    | "valueOn"
    | "bankReference"
    | "creditorReference"
    | "counterpartyName"
    | "counterpartyIban"
    | "remittance"
    | "statementId"
  > & { readonly amountCents: Cents };

/** The last payment of a payer that was matched. */
export interface KnownPayer {
  readonly accountId: number;
  readonly amountCents: Cents;
}

export interface BankState extends Payouts {
  readonly entries: PersistentMap<number, BankEntry>;
  /** Keys of the booked bookings. */
  readonly keys: PersistentSet<string>;
  /** Number of bookings without a reference of the bank that say the same. */
  readonly likenesses: PersistentMap<string, number>;
  /** Hashes of the imported statements. */
  readonly statements: PersistentSet<string>;
  /** Payers of matched payments, by IBAN and by name. */
  readonly payers: PersistentMap<string, KnownPayer>;
  /** Entries that named a top-up, by the stream of the top-up without its category. */
  readonly transfers: PersistentMap<string, OrderedSet<number>>;
}

/** State of a bank account before its first statement. */
export const nothingBooked: BankState = {
  ...noPayouts,
  entries: PersistentMap(),
  keys: PersistentSet(),
  likenesses: PersistentMap(),
  statements: PersistentSet(),
  payers: PersistentMap(),
  transfers: PersistentMap(),
};

/** Approximate memory of an entry in bytes. */
const bytesOfEntry = 1_500;

export function bytesOfBank({ entries, payouts }: BankState): number {
  return (entries.size + payouts.size) * bytesOfEntry;
}

/** Returns accounts that paid from the same IBAN, or under the same name, before: first those with the same amount. */
export function proposedAccounts(entry: BankEntry, { payers }: BankState): readonly number[] {
  const known = payerKeys(entry).flatMap((key) => payers.get(key) ?? []);
  const isSame = ({ amountCents }: KnownPayer): boolean => amountCents === entry.amountCents;
  const sorted = [...known.filter(isSame), ...known.filter((one) => !isSame(one))];
  return [...new Set(sorted.map(({ accountId }) => accountId))];
}

/** Amounts received for a top-up by bank transfer that are on its account now. */
export interface ReceivedTransfers {
  /** Cents (EUR). */
  readonly amountCents: Cents;
  /** Reference of the last credit on the account. */
  readonly topUpReference: string;
  /** Day of the last payment, YYYY-MM-DD. */
  readonly valueDate: string;
}

/** Adds up the entries that named a top-up and are on its account. @returns undefined if there are none */
export function receivedTransfers(
  { entries, transfers }: BankState,
  { paymentKey, accountId }: { readonly paymentKey: string; readonly accountId: number },
): ReceivedTransfers | undefined {
  let received: ReceivedTransfers | undefined;
  for (const entryId of transfers.get(paymentKey) ?? []) {
    const entry = entries.get(entryId);
    if (entry?.status !== "matched") continue;
    const owner = entry.assignments.at(-1);
    const share = entry.topUps.find((one) => one.paymentKey === paymentKey);
    if (owner?.accountId !== accountId || share === undefined) continue;
    received = {
      amountCents: share.amountCents + (received?.amountCents ?? 0n),
      topUpReference: owner.topUpReference,
      valueDate: entry.valueOn ?? entry.bookedOn,
    };
  }
  return received;
}

/** Applies an event of the bank account. */
export function evolve(state: BankState, event: BankEvent): BankState {
  switch (event.type) {
    case "StatementImported":
      return { ...state, statements: state.statements.add(event.data.contentSha256) };
    case "BankEntryBooked":
      return withBooked(state, event);
    case "EntryMatched": {
      const { entryId, accountId, topUpReference } = event.data;
      const topUps = event.data.topUps.map((one) => ({ ...one, amountCents: BigInt(one.amountCents) }));
      const entry = entryIn(state, event, "parked");
      const assignments = [{ accountId, topUpReference, movedBecause: null }];
      const matched = { ...entry, status: "matched", assignments, topUps } as const;
      return withTransfers(withPayer(state, entryId, matched, accountId), entryId, topUps);
    }
    case "EntryParked": {
      const { entryId, because } = event.data;
      // A returned payout of an erased account waits too.
      const isPayout = state.entries.get(entryId)?.status === "payout-returned";
      const entry = entryIn(state, event, isPayout ? "payout-returned" : "parked");
      return { ...state, entries: state.entries.set(entryId, { ...entry, status: "parked", because }) };
    }
    case "EntryReassigned": {
      const { entryId, toAccountId: accountId, topUpReference, reason } = event.data;
      const entry = entryIn(state, event, "matched");
      const before = entry.assignments.map((one) => ({ ...one, movedBecause: one.movedBecause ?? reason }));
      const assignments = [...before, { accountId, topUpReference, movedBecause: null }];
      return withPayer(state, entryId, { ...entry, assignments }, accountId);
    }
    case "EntryMatchedToProvider": {
      const { entryId, provider } = event.data;
      const entry = entryIn(
        state,
        event,
        state.entries.get(entryId)?.status === "outgoing" ? "outgoing" : "parked",
      );
      return { ...state, entries: state.entries.set(entryId, { ...entry, status: "provider", provider }) };
    }
    case "EntryReturned": {
      const { entryId, reason } = event.data;
      const entry = entryIn(state, event, "parked");
      return { ...state, entries: state.entries.set(entryId, { ...entry, status: "returned", reason }) };
    }
    case "PayoutReturned": {
      const { entryId, endToEndId } = event.data;
      const entry = { ...entryIn(state, event, "parked"), status: "payout-returned", endToEndId } as const;
      return { ...state, ...evolvePayouts(state, event), entries: state.entries.set(entryId, entry) };
    }
    case "PayoutQueued":
    case "PayoutFileMade":
    case "PayoutPaid":
      return { ...state, ...evolvePayouts(state, event) };
    default:
      return assertNever(event);
  }
}

function withBooked(state: BankState, { type, data }: BankEntryBooked): BankState {
  const { entryId, bookingKey, likeness, part } = data;
  if (entryId !== state.entries.size + 1)
    throw new CorruptStreamError(type, `${String(state.entries.size)} entries`);
  const amountCents = BigInt(data.amountCents);
  // An incoming payment waits until the next event names its account.
  const status = amountCents > 0n ? ({ status: "parked", because: "no-reference" } as const) : outgoing;
  const { iban, bookedOn, valueOn, bankReference, creditorReference } = data;
  const { counterpartyName, counterpartyIban, remittance, statementId } = data;
  const entry: BankEntry = {
    ...status,
    entryId,
    iban,
    amountCents,
    bookedOn,
    valueOn,
    bankReference,
    creditorReference,
    counterpartyName,
    counterpartyIban,
    remittance,
    statementId,
  };
  const isNewLikeness = likeness !== null && part === 1;
  return {
    ...state,
    entries: state.entries.set(entryId, entry),
    keys: state.keys.add(bookingKey),
    likenesses: isNewLikeness
      ? state.likenesses.set(likeness, (state.likenesses.get(likeness) ?? 0) + 1)
      : state.likenesses,
  };
}

const outgoing = { status: "outgoing" } as const;

function withPayer(state: BankState, entryId: number, entry: BankEntry, accountId: number): BankState {
  const payer = { accountId, amountCents: entry.amountCents };
  return {
    ...state,
    entries: state.entries.set(entryId, entry),
    payers: payerKeys(entry).reduce((payers, key) => payers.set(key, payer), state.payers),
  };
}

function withTransfers(state: BankState, entryId: number, topUps: readonly TopUpShare[]): BankState {
  const transfers = topUps.reduce(
    (all, { paymentKey }) => all.set(paymentKey, (all.get(paymentKey) ?? OrderedSet<number>()).add(entryId)),
    state.transfers,
  );
  return { ...state, transfers };
}

/** Returns the keys that identify a payer: IBAN and name. */
function payerKeys({ counterpartyIban, counterpartyName }: BankEntry): readonly string[] {
  const isKnown = (text: string): boolean => text !== "" && text !== erasedText && text !== notAvailableText;
  const name = counterpartyName.toLowerCase().replaceAll(/\s+/g, " ").trim();
  return [
    ...(isKnown(counterpartyIban) ? [`iban ${counterpartyIban}`] : []),
    ...(isKnown(counterpartyName) ? [`name ${name}`] : []),
  ];
}

function entryIn<Status extends EntryStatus["status"]>(
  { entries }: BankState,
  { type, data }: { readonly type: string; readonly data: { readonly entryId: number } },
  status: Status,
): Extract<BankEntry, { readonly status: Status }> {
  const entry = entries.get(data.entryId);
  if (entry === undefined || !hasStatus(entry, status))
    throw new CorruptStreamError(type, `entry ${String(data.entryId)} ${entry?.status ?? "absent"}`);
  return entry;
}

function hasStatus<Status extends EntryStatus["status"]>(
  entry: BankEntry,
  status: Status,
): entry is Extract<BankEntry, { readonly status: Status }> {
  return entry.status === status;
}
