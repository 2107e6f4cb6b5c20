/** A month of 50 customers, computed by hand: what each does, and what the books must have at the end. Amounts in cents (EUR). */

import { formatEuros } from "@hostledger/core";

export const euros = (cents: number): string => formatEuros(BigInt(cents));

/** Payment of a group of customers, and the final data of each. */
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

/** A domain: 1000 net, 1000 × 19 % = 190 VAT. The provider's fee is 1.5 % and 25 cents of the payment, rounded down. */
export const groups: readonly Group[] = [
  // 5000 - 1190; the fee is 75 + 25 = 100, here and up to customer 15.
  { first: 1, last: 10, pays: "card", amountCents: 5_000, buys: true, leftCents: 3_810 },
  // Refunded 1208, which the customer's bank sends back: 5000 - 1208 + 1208
  { first: 11, last: 11, pays: "card", amountCents: 5_000, buys: false, leftCents: 5_000 },
  // Refunded in full: 5000 - 5000
  { first: 12, last: 12, pays: "card", amountCents: 5_000, buys: false, leftCents: 0 },
  // Refunded in part: 5000 - 1190 - 2000
  { first: 13, last: 13, pays: "card", amountCents: 5_000, buys: true, leftCents: 1_810 },
  // The provider refuses the refund of 1001: 5000 - 1001 + 1001
  { first: 14, last: 14, pays: "card", amountCents: 5_000, buys: false, leftCents: 5_000 },
  // The refund is ordered in March and made in April: 5000 - 1504
  { first: 15, last: 15, pays: "card", amountCents: 5_000, buys: false, leftCents: 3_496 },
  // 3000 - 1190
  { first: 16, last: 20, pays: "transfer", amountCents: 3_000, buys: true, leftCents: 1_810 },
  // A payout of 700 is ordered, and in no file yet: 3000 - 1190 - 700
  { first: 21, last: 21, pays: "transfer", amountCents: 3_000, buys: true, leftCents: 1_110 },
  // A payout of 1000: 3000 - 1190 - 1000
  { first: 22, last: 22, pays: "transfer", amountCents: 3_000, buys: true, leftCents: 810 },
  // A payout of all to another bank account, which a second person approves: 3000 - 3000
  { first: 23, last: 23, pays: "transfer", amountCents: 3_000, buys: false, leftCents: 0 },
  // A payout of 1500 that the bank returns: 3000 - 1190 - 1500 + 1500
  { first: 24, last: 24, pays: "transfer", amountCents: 3_000, buys: true, leftCents: 1_810 },
  // A payout of 500 is in a file, and the bank pays it in April: 3000 - 1190 - 500
  { first: 25, last: 25, pays: "transfer", amountCents: 3_000, buys: true, leftCents: 1_310 },
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
  /** The payer is unknown, so the payment waits. */
  unknown: 700,
  /** Staff send it back, and the bank books that. */
  returned: 900,
  /** The provider pays out. */
  payout: 50_000,
} as const;

/** Refunds to the source, by customer, in cents. The last two digits choose the fate in the sandbox. */
export const refunds = {
  comesBack: 1_208,
  whole: 5_000,
  partial: 2_000,
  refused: 1_001,
  inApril: 1_504,
} as const;

/** Payouts to bank accounts, in cents. */
export const payouts = { waiting: 700, paid: 1_000, approved: 3_000, returned: 1_500, inApril: 500 } as const;

/** Closing balances of the general accounts at the end of March: debits are positive. With the customers' they sum to zero. */
export const accounts: Readonly<Record<string, number>> = {
  // Payments: 10 × 3000 + 6 × 2000 + 2500 + 1500 + 1200 = 47200; nobody's 700 + 900 - 900; of the provider 50000.
  // Payouts: - 1000 - 3000 - 1500 + 1500.
  // 47200 + 700 + 50000 - 4000
  "Assets:Bank:DE89370400440532013000": 93_900,
  // Typed by staff: 5 × 1000
  "Assets:Bank": 5_000,
  // Payments less fees: 15 × 4900 + 3 × (2003 - 55) + 2 × (4012 - 85) + 3 × (3007 - 70) = 73500 + 5844 + 7854 + 8811 = 96009.
  // Chargebacks: - 3 × 3007 = - 9021. Refunds: - 1208 + 1208 - 5000 - 2000 = - 7000. Paid out to the bank: - 50000.
  "Assets:PSP:Sandbox": 29_988,
  // 15 × 100 + 3 × 55 + 2 × 85 + 3 × 70
  "Expenses:PaymentFees": 2_045,
  // Nobody knows who paid 700.
  "Liabilities:Suspense": -700,
  // Debited and not sent: the refund of 1504, and the payouts of 500 and 700.
  "Liabilities:PayoutsOrdered": -2_704,
  // 21 domains: 10 + 1 of those who pay by card, 5 + 4 by transfer, 1 who charges back.
  "Income:Domains": -21_000,
  "Liabilities:VAT": -3_990,
};

/**
 * What all customers have at the end of March. By card up to customer 15: 10 × 3810 + 5000 + 1810 + 5000 + 3496 = 53406. By transfer up
 * to customer 25: 5 × 1810 + 1110 + 810 + 1810 + 1310 = 14090. The others: 3 × 2003 + 2 × 4012 + 3 × 4000 - 1190 + 2500 + 1500 + 1200 +
 * 5 × 1000 = 35043.
 */
export const customersCents = 102_539;

/** Changes of the first days of April: the provider makes the refund of 1504, and the bank pays the payout of 500. */
export const april: Readonly<Record<string, number>> = {
  "Assets:PSP:Sandbox": -1_504,
  "Assets:Bank:DE89370400440532013000": -500,
  "Liabilities:PayoutsOrdered": 2_004,
};
