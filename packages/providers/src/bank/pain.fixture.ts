import type { Payout, PayoutFile } from "@hostledger/core";
import fc from "fast-check";

/** Files of payouts for specs. */

/** A file with its payouts. */
export interface GivenPayouts {
  readonly file: PayoutFile;
  readonly payouts: readonly Payout[];
}

/** A payout as staff ordered it. */
export interface GivenPayout {
  readonly name: string;
  /** Cents (EUR), above zero. */
  readonly amountCents: bigint;
}

/** Returns a file of payouts with the end-to-end ids of an installation. */
export function payoutFile(
  given: readonly GivenPayout[],
  { debtorName = "Hosting GmbH", fromBic = "COBADEFFXXX" } = {},
): GivenPayouts {
  const payouts = given.map(({ name, amountCents }, index) => ({
    accountId: 7,
    endToEndId: `k3x7m2-P${String(index + 1)}`,
    iban: "NL91ABNA0417164300",
    name,
    queuedAt: "2026-11-29T10:00:00.000000Z",
    amountCents,
    messageId: "k3x7m2-F1",
    paidBy: null,
    returned: null,
  }));
  const file = {
    messageId: "k3x7m2-F1",
    fromIban: "DE89370400440532013000",
    fromBic,
    debtorName,
    executeOn: "2026-11-29",
    endToEndIds: payouts.map(({ endToEndId }) => endToEndId),
    amountCents: given.reduce((sum, { amountCents }) => sum + amountCents, 0n),
    madeAt: "2026-11-29T10:00:00.123456Z",
  };
  return { file, payouts };
}

const words = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 140 }),
  fc.string({ unit: "binary", maxLength: 140 }),
  fc.constantFrom(
    "Ada Löwe & Co",
    "Çelik ŞİRKETİ",
    "株式会社",
    "  ",
    "",
    "́",
    "<b>]]>&amp;",
    "//x/",
    "\u0000",
  ),
);

/** Any payouts that staff can order. */
export const anyPayouts: fc.Arbitrary<GivenPayouts> = fc
  .record({
    given: fc.array(fc.record({ name: words, amountCents: fc.bigInt(1n, 100_000_000_000n) }), {
      minLength: 1,
      maxLength: 5,
    }),
    debtorName: words,
    fromBic: fc.constantFrom("", "COBADEFF", "COBADEFFXXX"),
  })
  .map(({ given, ...operator }) => payoutFile(given, operator));
