import type { LogEvent } from "../../log/index.ts";
import { ownMetadata } from "../right-log.fixture.ts";
import type { ProviderView } from "./provider-view.ts";

/** Books of two customers with payments by transfer and card, for specs that plant differences. */

export const iban = "DE89370400440532013000";

/** Returns the time of an event: minute 0 of a day of March 2026. */
export const at = (day: number): string => `2026-03-${String(day).padStart(2, "0")}T10:00:00.000000Z`;
const sha = (digit: number): string => String(digit).repeat(64);

export type Stored = readonly [day: number, stream: string, type: string, data: object];

/** Day on which an entry's statement is imported. */
const dayOf = (entryId: number): number => (entryId <= 2 ? 3 : entryId <= 4 ? 5 : entryId <= 6 ? 12 : 13);

export const entry = (entryId: number, statementId: string, amountCents: number): Stored => [
  dayOf(entryId),
  `bank-${iban}`,
  "BankEntryBooked.v1",
  {
    entryId,
    iban,
    statementId,
    bookingKey: sha(entryId),
    likeness: null,
    part: 1,
    amountCents: String(amountCents),
    bookedOn: "2026-03-02",
    valueOn: null,
    bankReference: "",
    isReversal: false,
    creditorReference: "",
    counterpartyName: "",
    counterpartyIban: "",
    remittance: "",
    endToEndId: "",
    keyOwner: 0,
    keptUntilYear: 2036,
    recordedAt: at(2),
  },
];
export const statement = (
  day: number,
  statementId: string,
  balances: readonly [number, number],
  entries: number,
): Stored => [
  day,
  `bank-${iban}`,
  "StatementImported.v1",
  {
    iban,
    kind: "statement",
    statementId,
    contentSha256: sha(day % 10),
    openingCents: String(balances[0]),
    closingCents: String(balances[1]),
    entries,
    importedAt: at(day),
  },
];
const matched = (entryId: number, accountId: number, amountCents: number): Stored => [
  dayOf(entryId),
  `bank-${iban}`,
  "EntryMatched.v1",
  {
    entryId,
    accountId,
    amountCents: String(amountCents),
    topUpReference: `bank ${iban}/${String(entryId)}`,
    by: "reference",
    matchedAt: at(2),
  },
];
const credited = (day: number, accountId: number, reference: string, cents: number): Stored => [
  day,
  `account-${String(accountId)}`,
  "BalanceCredited.v1",
  { reference, amountCents: String(cents), creditedAt: at(day) },
];
const opened = (accountId: number): Stored => [
  1,
  `account-${String(accountId)}`,
  "AccountOpened.v1",
  { accountId, name: "Ada", vatExempt: false, openedAt: at(1) },
];
const reversed = (day: number, accountId: number, reference: string, cents: number): Stored => [
  day,
  `account-${String(accountId)}`,
  "BalanceAdjusted.v2",
  {
    kind: "top-up-reversed",
    reference,
    amountCents: String(-cents),
    reason: "R",
    adjustedAt: at(day),
    debtAllowed: true,
  },
];
const payment = (n: number, accountId: number, cents: number): readonly Stored[] => [
  [
    5,
    `payment-p${String(n)}`,
    "PaymentRequested.v1",
    {
      paymentId: n,
      accountId,
      provider: "sandbox",
      method: "card",
      amountCents: String(cents),
      returnUrl: "",
      requestedAt: at(5),
    },
  ],
  [
    6,
    `payment-p${String(n)}`,
    "PaymentSettled.v1",
    {
      paymentId: n,
      accountId,
      amountCents: String(cents),
      feeCents: "30",
      providerReference: `sandbox-${String(n)}`,
      valueDate: "2026-03-06",
      settledAt: at(6),
    },
  ],
];

/** Events of right books, in the order of the log. */
const right: readonly Stored[] = [
  opened(7),
  opened(8),
  entry(1, "S1", 5_000),
  matched(1, 7, 5_000),
  entry(2, "S1", 700),
  [3, `bank-${iban}`, "EntryParked.v1", { entryId: 2, because: "no-reference", parkedAt: at(3) }],
  statement(3, "S1", [0, 5_700], 2),
  credited(3, 7, `bank ${iban}/1`, 5_000),
  entry(3, "S2", 300),
  matched(3, 7, 300),
  entry(4, "S2", -100),
  statement(5, "S2", [5_700, 5_900], 2),
  credited(5, 7, `bank ${iban}/3`, 300),
  [
    6,
    `bank-${iban}`,
    "EntryReassigned.v1",
    {
      entryId: 3,
      fromAccountId: 7,
      toAccountId: 8,
      amountCents: "300",
      topUpReference: `bank ${iban}/3/2`,
      reason: "Wrong",
      reassignedAt: at(6),
    },
  ],
  reversed(6, 7, `bank ${iban}/3`, 300),
  credited(6, 8, `bank ${iban}/3/2`, 300),
  ...payment(1, 8, 2_000),
  credited(6, 8, "sandbox-1", 2_000),
  ...payment(2, 8, 4_000),
  credited(6, 8, "sandbox-2", 4_000),
  [
    7,
    "payment-p2",
    "PaymentReturned.v1",
    {
      paymentId: 2,
      accountId: 8,
      amountCents: "4000",
      reason: "Charged back",
      valueDate: "2026-03-07",
      returnedAt: at(7),
    },
  ],
  reversed(7, 8, "sandbox-2", 4_000),
  statement(9, "S3", [5_900, 5_900], 0),
];

/** Changes what is stored, and may drop or add events. */
export type Change = (stored: Stored) => readonly Stored[];

/** Returns the log of right books, with later events of theirs. Balances follow from the amounts. */
export function outsideLog(
  change: Change = (stored) => [stored],
  later: readonly Stored[] = [],
): readonly LogEvent[] {
  const revisions = new Map<string, bigint>();
  const balances = new Map<string, bigint>();
  return [...right, ...later].flatMap(change).map(([day, stream, type, data], index) => {
    const revision = revisions.get(stream) ?? 0n;
    revisions.set(stream, revision + 1n);
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    const isMoved = type.startsWith("Balance") || type.startsWith("PaidOutReturned");
    const moved = isMoved && "amountCents" in data ? String(data.amountCents) : undefined;
    const sign = type.startsWith("BalancePaidOut") ? -1n : 1n;
    const balance = (balances.get(stream) ?? 0n) + sign * BigInt(moved ?? 0);
    balances.set(stream, balance);
    const content = moved === undefined ? data : { ...data, balanceAfterCents: String(balance) };
    return {
      stream,
      revision,
      id,
      type,
      time: at(day),
      data: JSON.stringify(content),
      metadata: ownMetadata,
    };
  });
}

/** The list of the provider of the same payments. */
export const providerView: ProviderView = {
  name: "sandbox",
  from: at(1),
  to: at(9),
  movements: [1, 2].flatMap((n) => {
    const movement = {
      orderId: `payment-p${String(n)}`,
      providerReference: `sandbox-${String(n)}`,
      amountCents: n === 1 ? 2_000n : 4_000n,
    };
    return [
      { ...movement, kind: "settlement" as const, feeCents: 30n, at: at(6) },
      ...(n === 1 ? [] : [{ ...movement, kind: "return" as const, feeCents: 0n, at: at(7) }]),
    ];
  }),
};
