/**
 * A year of six customers, computed by hand from the prices below and the law. Amounts are cents (EUR).
 *
 * Prices: a `.com` name 1 000 net a year, its renewal 1 200 net; a `.dev` name 5 000 net a year; a server 999 a month with
 * domestic VAT. At 19 %, twelve months of a server (11 988) contain 11 988 × 19 / 119 = 1 914.05 → 1 914 of VAT, which leaves
 * 10 074; one month (999) contains 999 × 19 / 119 = 159.50 → 160, which leaves 839. A part of an invoice is refunded with the
 * same part of its VAT.
 */

/** A document as the table has it. */
export interface TableRow {
  readonly customer: string;
  readonly number: string;
  /** Date of the document in Berlin. */
  readonly date: string;
  readonly sold: string;
  readonly netCents: number;
  readonly vatCents: number;
  readonly ratePercent: number;
  /** Category of VAT; "-" for the receipt of a payment. */
  readonly category: string;
  /** DATEV's general account (SKR03). */
  readonly contra: string;
  /** Content of DATEV's column "EU-Land u. UStID (Bestimmung)"; "-" for empty. */
  readonly state: string;
}

/** The seller charges VAT, and takes part in the One Stop Shop from 1 July 2026. Account 1 is the first customer, and so on. */
const regularTable = `
customer number          date        sold    net     vat    rate category contra state           computed
anna     2026-1-T000001  2026-01-15  payment 30000   0      0    -        1200   -
anna     2026-1-000001   2026-01-15  domain  1000    190    19   S        8400   -               1000 × 19 % = 190
anna     2026-1-000002   2026-02-02  server  10074   1914   19   S        8400   -               11988 contain 1914
anna     2026-1-C000001  2026-03-10  domain  -420    -80    19   S        8400   -               500 of 1190: 190 × 500 / 1190 = 79.8
anna     2027-1-000003   2027-01-01  domain  1000    190    19   S        8400   -               sold on 31 December at 23:30 UTC
anna     2027-1-000004   2027-01-08  domain  1200    228    19   S        8400   -               1200 × 19 % = 228
anna     2027-1-C000002  2027-01-20  domain  -580    -110   19   S        8400   -               the other 690: 1000 - 420, 190 - 80
anna     2027-1-000005   2027-01-26  server  839     160    19   S        8400   -               999 contain 160

bauer    2026-2-T000001  2026-01-15  payment 50000   0      0    -        1200   -
bauer    2026-2-000001   2026-01-15  domain  1000    190    19   S        8400   -
bauer    2026-2-000002   2026-03-10  domain  25000   4750   19   S        8400   -               5 × 5000; 25000 × 19 % = 4750
bauer    2027-2-000003   2027-01-08  domain  1200    228    19   S        8400   -
bauer    2027-2-C000001  2027-01-20  domain  -25000  -4750  19   S        8400   -               all of March 2026

jansen   2026-3-T000001  2026-01-15  payment 30000   0      0    -        1200   -
jansen   2026-3-000001   2026-01-15  domain  1000    0      0    AE       8336   NL004495445B01
jansen   2026-3-000002   2026-02-02  server  10074   0      0    AE       8336   NL004495445B01  11988 less the domestic 1914
jansen   2027-3-000003   2027-01-08  domain  1200    0      0    AE       8336   NL004495445B01
jansen   2027-3-C000001  2027-01-20  domain  -400    0      0    AE       8336   NL004495445B01
jansen   2027-3-000004   2027-01-26  server  839     0      0    AE       8336   NL004495445B01  999 less the domestic 160

marie    2026-4-T000001  2026-01-15  payment 30000   0      0    -        1200   -
marie    2026-4-000001   2026-01-15  domain  1000    190    19   S        8400   -               the seller's rate before OSS
marie    2026-4-000002   2026-07-01  domain  1000    200    20   S        8331   FR              sold on 30 June at 22:30 UTC
marie    2026-4-C000001  2026-08-05  domain  -252    -48    19   S        8400   -               300 of January: 190 × 300 / 1190 = 47.9
marie    2026-4-000003   2026-08-05  server  839     168    20   S        8331   FR              839 × 20 % = 167.8
marie    2027-4-000004   2027-01-08  domain  1200    240    20   S        8331   FR              1200 × 20 % = 240
marie    2027-4-C000002  2027-01-20  domain  -500    -100   20   S        8331   FR              600 of July: 200 × 600 / 1200 = 100

keller   2026-5-T000001  2026-01-15  payment 30000   0      0    -        1200   -
keller   2026-5-000001   2026-01-15  domain  1000    0      0    O        8338   -
keller   2026-5-000002   2026-02-02  server  10074   0      0    O        8338   -
keller   2027-5-000003   2027-01-08  domain  1200    0      0    O        8338   -
keller   2027-5-C000001  2027-01-20  domain  -1000   0      0    O        8338   -               all of January 2026
keller   2027-5-000004   2027-01-26  server  839     0      0    O        8338   -
`;

/** The seller is a small business (§19 UStG): prices contain no VAT, so that a server costs 999 a month net. */
const smallTable = `
customer number          date        sold    net     vat    rate category contra state           computed
otto     2026-1-T000001  2026-01-15  payment 30000   0      0    -        1200   -
otto     2026-1-000001   2026-01-15  domain  1000    0      0    E        8192   -
otto     2026-1-000002   2026-02-02  server  11988   0      0    E        8192   -               12 × 999
otto     2027-1-000003   2027-01-08  domain  1200    0      0    E        8192   -
otto     2027-1-C000001  2027-01-20  domain  -250    0      0    E        8192   -
otto     2027-1-000004   2027-01-26  server  999     0      0    E        8192   -
`;

/** A period of the VAT report: lines of the return, One Stop Shop, recapitulative statement. Net and VAT in euros. */
export interface VatPeriod {
  readonly from: string;
  readonly to: string;
  readonly documents: number;
  readonly return: readonly (readonly [line: string, net: string, vat: string])[];
  readonly oss: readonly (readonly [country: string, rate: number, net: string, vat: string])[];
  readonly recapitulative: readonly (readonly [vatId: string, net: string])[];
}

/** Expected final books of a seller. */
export interface SellersTable {
  readonly documents: readonly TableRow[];
  /** Remaining balance of each customer, in cents. */
  readonly closing: Readonly<Record<string, number>>;
  /** Closing balances of the general accounts in cents: debits are positive. With the customers' they sum to zero. */
  readonly accounts: Readonly<Record<string, number>>;
  readonly vat: readonly VatPeriod[];
}

const nothing = { documents: 0, return: [], oss: [], recapitulative: [] };

export const regular: SellersTable = {
  documents: rowsOf(regularTable),
  closing: {
    anna: 14_395, // 30000 - 1190 - 11988 + 500 - 1190 - 1428 + 690 - 999
    bauer: 47_382, // 50000 - 1190 - 29750 - 1428 + 29750
    jansen: 17_287, // 30000 - 1000 - 10074 - 1200 + 400 - 839
    marie: 26_063, // 30000 - 1190 - 1200 + 300 - 1007 - 1440 + 600
    keller: 17_887, // 30000 - 1000 - 10074 - 1200 + 1000 - 839
  },
  accounts: {
    "Assets:Bank": 170_000, // 4 × 30000 + 50000
    // anna 1000 - 420 + 1000 + 1200 - 580, bauer 1000 + 1200, jansen 1000 + 1200 - 400, marie 1000 + 1000 - 252 + 1200 - 500,
    // keller 1000 + 1200 - 1000
    "Income:Domains": -9_848,
    "Income:Servers": -33_578, // 3 × (10074 + 839) + 839
    "Liabilities:VAT": -3_560, // 7154 + (368 - 48) + (140 - 4054), the quarters below
  },
  vat: [
    {
      from: "2026-01-01",
      to: "2026-03-31",
      documents: 10, // anna 3, bauer 2, jansen 2, marie 1, keller 2
      return: [
        ["21", "110.74", "0.00"], // jansen 1000 + 10074
        ["45", "110.74", "0.00"], // keller 1000 + 10074
        // anna 1000 + 10074 - 420, bauer 1000 + 25000, marie 1000; VAT 190 + 1914 - 80, 190 + 4750, 190
        ["81", "376.54", "71.54"],
      ],
      oss: [],
      recapitulative: [["NL004495445B01", "110.74"]],
    },
    { from: "2026-04-01", to: "2026-06-30", ...nothing },
    {
      from: "2026-07-01",
      to: "2026-09-30",
      documents: 3,
      return: [
        ["45", "18.39", "0.00"], // marie 1000 + 839
        ["81", "-2.52", "-0.48"], // the refund of January
      ],
      oss: [["FR", 20, "18.39", "3.68"]], // VAT 200 + 168
      recapitulative: [],
    },
    { from: "2026-10-01", to: "2026-12-31", ...nothing },
    {
      from: "2027-01-01",
      to: "2027-03-31",
      documents: 14, // anna 4, bauer 2, jansen 3, marie 2, keller 3
      return: [
        ["21", "16.39", "0.00"], // jansen 1200 - 400 + 839
        ["45", "17.39", "0.00"], // keller 1200 - 1000 + 839, marie 1200 - 500
        // anna 1000 + 1200 - 580 + 839, bauer 1200 - 25000; VAT 190 + 228 - 110 + 160, 228 - 4750
        ["81", "-213.41", "-40.54"],
      ],
      oss: [["FR", 20, "7.00", "1.40"]], // 1200 - 500, VAT 240 - 100
      recapitulative: [["NL004495445B01", "16.39"]],
    },
  ],
};

export const smallBusiness: SellersTable = {
  documents: rowsOf(smallTable),
  closing: { otto: 15_063 }, // 30000 - 1000 - 11988 - 1200 + 250 - 999
  accounts: {
    "Assets:Bank": 30_000,
    "Income:Domains": -1_950, // 1000 + 1200 - 250
    "Income:Servers": -12_987, // 11988 + 999
  },
  vat: [
    // Such a seller files no return, so the line has no number.
    {
      from: "2026-01-01",
      to: "2026-12-31",
      documents: 2,
      return: [["", "129.88", "0.00"]], // 1000 + 11988
      oss: [],
      recapitulative: [],
    },
    {
      from: "2027-01-01",
      to: "2027-03-31",
      documents: 3,
      return: [["", "19.49", "0.00"]], // 1200 - 250 + 999
      oss: [],
      recapitulative: [],
    },
  ],
};

/** Reads the lines of a table; the last column is for people. */
function rowsOf(table: string): readonly TableRow[] {
  const lines = table.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(1).map((line) => {
    const [customer = "", number = "", date = "", sold = "", ...rest] = line.trim().split(/\s+/u);
    const [net, vat, rate, category = "", contra = "", state = ""] = rest;
    return {
      customer,
      number,
      date,
      sold,
      netCents: Number(net),
      vatCents: Number(vat),
      ratePercent: Number(rate),
      category,
      contra,
      state,
    };
  });
}
