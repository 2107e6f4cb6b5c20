/** A month of 50 customers, computed by hand: what each does, and what the books must have at the end. Amounts in cents (EUR). */

/** How a group of customers pays, and what each has at the end of the month. */
export interface Group {
  readonly first: number;
  readonly last: number;
  readonly pays:
    | "card"
    | "transfer"
    | "transfer-twice"
    | "transfer-for-another"
    | "transfer-without-reference"
    | "typed-by-staff"
    | "nothing";
  /** Asked for; the last two digits choose the fate of a card payment in the sandbox. */
  readonly amountCents: number;
  /** Registers a domain at 10.00 and 19 % VAT: 11.90. */
  readonly buys: boolean;
  readonly leftCents: number;
}

/** A domain: 1000 net, 1000 × 19 % = 190 VAT. The provider keeps 1.5 % and 25 cents of what comes, rounded down. */
export const groups: readonly Group[] = [
  // 5000 - 1190; the fee is 75 + 25 = 100.
  { first: 1, last: 15, pays: "card", amountCents: 5_000, buys: true, leftCents: 3_810 },
  // 3000 - 1190
  { first: 16, last: 25, pays: "transfer", amountCents: 3_000, buys: true, leftCents: 1_810 },
  // Half of it comes: 2003 of 4005; the fee is 30 + 25 = 55.
  { first: 26, last: 28, pays: "card", amountCents: 4_005, buys: false, leftCents: 2_003 },
  // Twice the amount comes; the fee is 60 + 25 = 85.
  { first: 29, last: 30, pays: "card", amountCents: 2_006, buys: false, leftCents: 4_012 },
  { first: 31, last: 33, pays: "transfer-twice", amountCents: 2_000, buys: false, leftCents: 4_000 },
  // Charged back after the purchase: 3007 - 1190 - 3007; the fee of 45 + 25 = 70 stays.
  { first: 34, last: 34, pays: "card", amountCents: 3_007, buys: true, leftCents: -1_190 },
  { first: 35, last: 36, pays: "card", amountCents: 3_007, buys: false, leftCents: 0 },
  // Customer 37 writes the reference of customer 38, and staff mend it.
  { first: 37, last: 37, pays: "transfer-for-another", amountCents: 2_500, buys: false, leftCents: 2_500 },
  { first: 38, last: 38, pays: "transfer", amountCents: 1_500, buys: false, leftCents: 1_500 },
  { first: 39, last: 39, pays: "nothing", amountCents: 0, buys: false, leftCents: 0 },
  {
    first: 40,
    last: 40,
    pays: "transfer-without-reference",
    amountCents: 1_200,
    buys: false,
    leftCents: 1_200,
  },
  // Declined.
  { first: 41, last: 45, pays: "card", amountCents: 1_001, buys: false, leftCents: 0 },
  { first: 46, last: 50, pays: "typed-by-staff", amountCents: 1_000, buys: false, leftCents: 1_000 },
];

/** Payments on the bank account that are no customer's, in cents. */
export const others = {
  /** Nobody knows the payer: it waits. */
  unknown: 700,
  /** Staff send it back, and the bank books that. */
  returned: 900,
  /** The provider pays out. */
  payout: 50_000,
} as const;

/** Closing balances of the general accounts: debits are positive. With the customers' they sum to zero. */
export const accounts: Readonly<Record<string, number>> = {
  // 10 × 3000 + 6 × 2000 + 2500 + 1500 + 1200 + 700 + 900 - 900 + 50000
  "Assets:Bank:DE89370400440532013000": 97_900,
  // Typed by staff: 5 × 1000
  "Assets:Bank": 5_000,
  // 15 × 4900 + 3 × (2003 - 55) + 2 × (4012 - 85) + 3 × (3007 - 70 - 3007) - 50000 = 73500 + 5844 + 7854 - 210 - 50000
  "Assets:PSP:Sandbox": 36_988,
  // 15 × 100 + 3 × 55 + 2 × 85 + 3 × 70
  "Expenses:PaymentFees": 2_045,
  "Liabilities:Suspense": -700,
  // 26 domains
  "Income:Domains": -26_000,
  "Liabilities:VAT": -4_940,
};

/** What all customers have: 57150 + 18100 + 6009 + 8024 + 12000 - 1190 + 2500 + 1500 + 1200 + 5000. */
export const customersCents = 110_293;
