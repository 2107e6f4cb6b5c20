import type { BankTexts } from "./judge-bank-texts.ts";
import type { ProviderView } from "./provider-view.ts";
import { at, entry, iban, providerView, statement, type Stored } from "./outside.fixture.ts";

/** Refunds and payouts of the customers of `outsideLog`, for specs that plant differences. */

const debit = (
  day: number,
  accountId: number,
  { to, reference, cents }: { to: "source" | "bank"; reference: string; cents: number },
): Stored => [
  day,
  `account-${String(accountId)}`,
  "BalancePaidOut.v1",
  {
    accountId,
    to,
    reference,
    topUpReference: to === "source" ? "sandbox-1" : null,
    amountCents: String(cents),
    fromIban: to === "source" ? "" : iban,
    iban: "",
    name: "",
    keyOwner: 0,
    keptUntilYear: 2036,
    reason: reference,
    paidOutAt: at(day),
  },
];

const creditedAgain = (
  day: number,
  accountId: number,
  { to, reference, cents }: { to: "source" | "bank"; reference: string; cents: number },
): Stored => [
  day,
  `account-${String(accountId)}`,
  "PaidOutReturned.v1",
  { accountId, to, reference, amountCents: String(cents), reason: "R", returnedAt: at(day) },
];

const refundId = (number: number): string => `payment-p1-refund-${String(number)}`;

const refund = (
  day: number,
  what: "Ordered" | "Settled" | "Refused",
  { number, cents }: { number: number; cents: number },
): Stored => {
  const asked = { paymentId: 1, accountId: 8, refundId: refundId(number), amountCents: String(cents) };
  const answers = {
    Ordered: { reason: "R", orderedAt: at(day) },
    Settled: {
      providerReference: `sandbox-r${String(number)}`,
      valueDate: at(day).slice(0, 10),
      settledAt: at(day),
    },
    Refused: { reason: "No", refusedAt: at(day) },
  };
  return [day, "payment-p1", `Refund${what}.v1`, { ...asked, ...answers[what] }];
};

const endToEndId = (number: number): string => `k3x7m2-P${String(number)}`;

const queued = (day: number, number: number, cents: number): readonly Stored[] => [
  debit(day, 7, { to: "bank", reference: endToEndId(number), cents }),
  [
    day,
    `bank-${iban}`,
    "PayoutQueued.v1",
    {
      accountId: 7,
      endToEndId: endToEndId(number),
      amountCents: String(cents),
      iban: "",
      name: "",
      keyOwner: 0,
      keptUntilYear: 2036,
      queuedAt: at(day),
    },
  ],
];

const file = (day: number, messageId: string, numbers: readonly number[], cents: number): Stored => [
  day,
  `bank-${iban}`,
  "PayoutFileMade.v1",
  {
    messageId,
    fromIban: iban,
    debtorName: "Hosting",
    executeOn: at(day).slice(0, 10),
    endToEndIds: numbers.map(endToEndId),
    amountCents: String(cents),
    madeAt: at(day),
  },
];

const booked = (
  day: number,
  what: "Paid" | "Returned",
  { number, entryId, cents }: { number: number; entryId: number; cents: number },
): Stored => {
  const payout = { accountId: 7, endToEndId: endToEndId(number), entryId, amountCents: String(cents) };
  const end = what === "Paid" ? { paidAt: at(day) } : { reason: "AC04", returnedAt: at(day) };
  return [day, `bank-${iban}`, `Payout${what}.v1`, { ...payout, ...end }];
};

/**
 * Account 8 gets refunds of its first payment: one that is made, one that is refused, one that comes back. Account 7 gets payouts: 1 is
 * paid, 2 comes back, 3 waits, 4 is in a file. The provider pays 8.00 out to the bank.
 */
export const moneyOut: readonly Stored[] = [
  debit(10, 8, { to: "source", reference: refundId(1), cents: 500 }),
  refund(10, "Ordered", { number: 1, cents: 500 }),
  refund(10, "Settled", { number: 1, cents: 500 }),
  debit(10, 8, { to: "source", reference: refundId(2), cents: 300 }),
  refund(10, "Ordered", { number: 2, cents: 300 }),
  refund(10, "Refused", { number: 2, cents: 300 }),
  creditedAgain(10, 8, { to: "source", reference: refundId(2), cents: 300 }),
  debit(10, 8, { to: "source", reference: refundId(3), cents: 200 }),
  refund(10, "Ordered", { number: 3, cents: 200 }),
  refund(10, "Settled", { number: 3, cents: 200 }),
  ...queued(10, 1, 1_000),
  ...queued(10, 2, 400),
  file(10, "k3x7m2-F1", [1, 2], 1_400),
  entry(5, "S4", -1_000),
  booked(12, "Paid", { number: 1, entryId: 5, cents: 1_000 }),
  entry(6, "S4", -400),
  booked(12, "Paid", { number: 2, entryId: 6, cents: 400 }),
  statement(12, "S4", [5_900, 4_500], 2),
  refund(12, "Refused", { number: 3, cents: 200 }),
  creditedAgain(12, 8, { to: "source", reference: refundId(3), cents: 200 }),
  entry(7, "S5", 400),
  booked(13, "Returned", { number: 2, entryId: 7, cents: 400 }),
  entry(8, "S5", 800),
  [13, `bank-${iban}`, "EntryParked.v1", { entryId: 8, because: "no-reference", parkedAt: at(13) }],
  statement(13, "S5", [4_500, 5_700], 2),
  creditedAgain(13, 7, { to: "bank", reference: endToEndId(2), cents: 400 }),
  [
    13,
    `bank-${iban}`,
    "EntryMatchedToProvider.v1",
    { entryId: 8, provider: "sandbox", amountCents: "800", bookedOn: "2026-03-13", matchedAt: at(13) },
  ],
  ...queued(13, 3, 100),
  ...queued(13, 4, 150),
  file(13, "k3x7m2-F2", [4], 150),
];

/** Days without payments: after the first one all work is done, and after the second one all money should have gone out. */
export const soon: Stored = statement(15, "S6", [5_700, 5_700], 0);
export const muchLater: Stored = statement(28, "S7", [5_700, 5_700], 0);

type Movement = ProviderView["movements"][number];

const refunded = (
  kind: "refund" | "refund-return",
  number: number,
  cents: bigint,
  day: number,
): Movement => ({
  kind,
  orderId: "payment-p1",
  refundId: refundId(number),
  providerReference: `sandbox-r${String(number)}`,
  amountCents: cents,
  feeCents: 0n,
  at: at(day),
});

/** The list of the provider of the same refunds and payouts. */
export const moneyOutView: ProviderView = {
  ...providerView,
  to: at(13),
  movements: [
    ...providerView.movements,
    refunded("refund", 1, 500n, 10),
    refunded("refund", 3, 200n, 10),
    refunded("refund-return", 3, 200n, 12),
    {
      kind: "payout",
      orderId: "",
      providerReference: "sandbox-po1",
      amountCents: 800n,
      feeCents: 0n,
      at: at(11),
    },
  ],
};

const customersIban = "NL91ABNA0417164300";

/** What an instance opens of the bank's entries and of the payouts. */
export const moneyOutTexts: BankTexts = {
  entries: new Map([
    [`${iban}/5`, { endToEndId: endToEndId(1), iban: customersIban }],
    [`${iban}/6`, { endToEndId: endToEndId(2), iban: "" }],
    [`${iban}/7`, { endToEndId: endToEndId(2), iban: customersIban }],
    [`${iban}/4`, { endToEndId: "NOTPROVIDED", iban: "DE75512108001245126199" }],
  ]),
  payouts: new Map([1, 2, 3, 4].map((number) => [endToEndId(number), customersIban])),
};
