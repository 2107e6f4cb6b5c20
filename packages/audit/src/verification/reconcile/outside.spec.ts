import { describe, expect, it } from "vitest";

import { reconcile } from "../index.ts";
import type { ProviderView } from "./provider-view.ts";
import { iban, outsideLog, providerView, type Change } from "./outside.fixture.ts";
import { adding, altering, changed, doubling, dropping, found, isOf, moving } from "./planting.fixture.ts";

describe("right books of bank, provider and customers", () => {
  it("have no difference, at the end and up to each of their events", () => {
    const log = outsideLog();
    expect(found(log, { provider: providerView })).toEqual([]);
    for (let size = 0; size <= log.length; size += 1)
      // A move, a chargeback or a file may be cut in the middle, and its rest comes next.
      expect(found(log.slice(0, size)).filter((line) => !line.includes("payments, and"))).toEqual([]);
  });

  it("need no debit for a chargeback of a payment that was refunded in full before", () => {
    const refunded = outsideLog((stored) => {
      if (!isOf(stored, "BalanceAdjusted", "sandbox-2")) return [stored];
      const paidOut = {
        accountId: 8,
        to: "source",
        reference: "payment-p2-refund-1",
        topUpReference: "sandbox-2",
        amountCents: "4000",
        balanceAfterCents: "2300",
        fromIban: "",
        iban: "",
        name: "",
        keyOwner: 0,
        keptUntilYear: 2036,
        reason: "R",
        paidOutAt: "2026-03-07T10:00:00.000000Z",
      };
      const refund = { paymentId: 2, accountId: 8, refundId: "payment-p2-refund-1", amountCents: "4000" };
      const ordered = { ...refund, reason: "R", orderedAt: "2026-03-07T10:00:00.000000Z" };
      return [
        [stored[0], stored[1], "BalancePaidOut.v1", paidOut],
        [stored[0], "payment-p2", "RefundOrdered.v1", ordered],
      ];
    });
    expect(found(refunded, { provider: providerView })).toEqual([]);
  });

  it("contain a payout that the bank returned, and no waiting payment", () => {
    const log = outsideLog((stored) => {
      if (!isOf(stored, "EntryParked", '"entryId":2')) return [stored];
      const returned = {
        accountId: 7,
        endToEndId: "k3x7m2-P1",
        entryId: 2,
        amountCents: "700",
        reason: "AC04",
      };
      const at = "2026-03-02T10:00:00.000000Z";
      return [[stored[0], stored[1], "PayoutReturned.v1", { ...returned, returnedAt: at }]];
    });
    expect(found(log, { provider: providerView, unmatchedDays: 5 })).toEqual([]);
    expect(reconcile(log).outside).toMatchObject({ waiting: 0, waitingCents: 0n });
  });

  it("have a payment that goes back to its payer, until the bank books that", () => {
    const sentBack = (cents: string): Change => {
      return (stored) => {
        if (isOf(stored, "BankEntryBooked", '"entryId":4'))
          return [changed(stored, (text) => text.replace('"-100"', `"${cents}"`))];
        if (!isOf(stored, "EntryParked", '"entryId":2')) return [stored];
        const returned = { entryId: 2, reason: "Unknown", returnedAt: "2026-03-03T10:00:00.000000Z" };
        return [stored, [3, stored[1], "EntryReturned.v1", returned]];
      };
    };
    // The statement of the entry no longer makes its sum.
    const lines = (cents: string, unmatchedDays: number) =>
      found(outsideLog(sentBack(cents)), { unmatchedDays }).filter((line) => line.startsWith("books-bank"));
    expect(lines("-700", 5)).toEqual([]);
    expect(reconcile(outsideLog(sentBack("-700"))).outside).toMatchObject({ waiting: 0, unexplained: 0 });
    expect(lines("-701", 6)).toEqual([]);
    expect(lines("-701", 5)).toEqual([
      `books-bank: event 4 bank-${iban}@2 (BankEntryBooked.v1), ${iban}/2: goes back to its payer for more than 5 days, and the bank did not book it`,
    ]);
    expect(reconcile(outsideLog(sentBack("-701"))).outside.unexplained).toBe(1);
  });

  it("list what was compared, and what was not", () => {
    expect(reconcile(outsideLog()).outside).toEqual({
      statements: 3,
      bankEntries: 4,
      waiting: 1,
      waitingCents: 700n,
      unexplained: 1,
      unexplainedCents: 100n,
      payments: 2,
      refunds: 0,
      payouts: 0,
      notCompared: ["the list of the payment provider sandbox"],
    });
    expect(reconcile(outsideLog(), undefined, { provider: providerView }).outside.notCompared).toEqual([]);
  });

  it("contain a payment that was unassigned for longer than allowed", () => {
    const line = `books-bank: event 4 bank-${iban}@2 (BankEntryBooked.v1), ${iban}/2: belongs to nobody for more than 5 days`;
    expect(found(outsideLog(), { provider: providerView, unmatchedDays: 5 })).toEqual([line]);
    expect(found(outsideLog(), { provider: providerView, unmatchedDays: 6 })).toEqual([]);
  });
});

const bank = `bank ${iban}`;

describe("a planted difference is found, and nothing else", () => {
  const books: readonly (readonly [what: string, change: Change, sentence: string])[] = [
    [
      "an entry of a statement that is missing",
      dropping("BankEntryBooked", '"entryId":4'),
      "S2: has 2 payments, and 1 are booked",
    ],
    [
      "an entry that the bank booked once and we twice",
      doubling("BankEntryBooked", '"entryId":4', (text) =>
        text.replace('"entryId":4', '"entryId":5').replace('"statementId":"S2"', '"statementId":"S3"'),
      ),
      `${iban}/5: is the bank's booking of entry 4, booked twice`,
    ],
    [
      "another amount of an entry",
      altering("BankEntryBooked", '"entryId":4', '"-100"', '"-101"'),
      "S2: moves the balance by 200 cents, its booked payments by 199",
    ],
    [
      "a statement that is missing",
      (stored) =>
        isOf(stored, "StatementImported", "S3")
          ? [changed(stored, (text) => text.replaceAll("5900", "6000"))]
          : [stored],
      "S3: begins with 6000 cents, and no statement ends with them: one is missing",
    ],
    [
      "an entry that is credited to nobody",
      dropping("BalanceCredited", `${bank}/1`),
      `account 7, ${bank}/1: is at the bank, and was never credited`,
    ],
    [
      "an entry that is credited with another amount",
      altering("BalanceCredited", `${bank}/1`, '"5000"', '"5001"'),
      `account 7, ${bank}/1: is over 5000 cents at the bank, credited are 5001`,
    ],
    [
      "an entry that is credited twice",
      adding("BalanceCredited", `${bank}/1`, "account-8"),
      `account 7, ${bank}/1: belongs to account 7, and account 8 is credited`,
    ],
    [
      "an entry on the wrong account",
      moving("BalanceCredited", `${bank}/1`, "account-8"),
      `account 7, ${bank}/1: belongs to account 7, and account 8 is credited`,
    ],
    [
      "an entry that was moved, and stayed",
      dropping("BalanceAdjusted", `${bank}/3`),
      `account 7, ${bank}/3: was moved to another account, and this account still has it`,
    ],
    [
      "a top-up of an entry that is not at the bank",
      altering("BalanceCredited", "sandbox-1", "sandbox-1", `${bank}/9`),
      `account 8, ${bank}/9: is credited, and is not at the bank`,
    ],
    [
      "a top-up of an entry that waits",
      (stored) =>
        isOf(stored, "BalanceCredited", "sandbox-1")
          ? [
              stored,
              [
                6,
                "account-7",
                "BalanceCredited.v1",
                {
                  reference: `${bank}/2`,
                  amountCents: "700",
                  creditedAt: "2026-03-06T10:00:00.000000Z",
                },
              ],
            ]
          : [stored],
      `account 7, ${bank}/2: is credited, and belongs to nobody`,
    ],
    [
      "a settled payment that is credited to nobody",
      dropping("BalanceCredited", "sandbox-1"),
      "account 8, sandbox-1: is settled, and was never credited",
    ],
    [
      "a settled payment that is credited with another amount",
      altering("BalanceCredited", "sandbox-1", '"2000"', '"2100"'),
      "account 8, sandbox-1: is settled over 2000 cents, credited are 2100",
    ],
    [
      "a settled payment that is credited twice",
      adding("BalanceCredited", "sandbox-1", "account-7"),
      "account 8, sandbox-1: is of account 8, and account 7 is credited",
    ],
    [
      "a settled payment on the wrong account",
      moving("BalanceCredited", "sandbox-1", "account-7"),
      "account 8, sandbox-1: is of account 8, and account 7 is credited",
    ],
    [
      "a chargeback that the customer was not debited for",
      dropping("BalanceAdjusted", "sandbox-2"),
      "account 8, sandbox-2: was taken back, and is still credited",
    ],
  ];

  it.each(books)("%s", (_what, change, sentence) => {
    const lines = found(outsideLog(change));
    const wanted = lines.filter((line) => line.endsWith(sentence));
    expect(wanted, lines.join("\n")).toHaveLength(1);
    // The money of a top-up under another reference is missing under its own.
    const others = lines.filter((line) => !line.endsWith(sentence));
    expect(others).toEqual(
      sentence.includes("/9: ") ? [expect.stringContaining("sandbox-1: is settled, and was never")] : [],
    );
  });

  const view = (
    change: (movement: ProviderView["movements"][number]) => readonly ProviderView["movements"][number][],
  ): ProviderView => ({
    ...providerView,
    movements: providerView.movements.flatMap(change),
  });
  type Movement = ProviderView["movements"][number];
  const first = (movement: Movement): boolean => movement.orderId === "payment-p1";
  const returned = (movement: Movement): boolean => movement.kind === "return";

  const listed: readonly (readonly [what: string, provider: ProviderView, sentence: string])[] = [
    [
      "no settlement of a payment",
      view((one) => (first(one) ? [] : [one])),
      "sandbox-1: is settled in the books, and not by sandbox",
    ],
    [
      "a settlement twice",
      view((one) => (first(one) ? [one, one] : [one])),
      "sandbox-1: is settled twice by sandbox",
    ],
    [
      "another amount",
      view((one) => [first(one) ? { ...one, amountCents: 2_500n } : one]),
      "sandbox-1: is settled by sandbox over 2500 cents, in the books over 2000",
    ],
    [
      "another fee",
      view((one) => [first(one) ? { ...one, feeCents: 35n } : one]),
      "sandbox-1: costs 35 cents at sandbox, in the books 30",
    ],
    [
      "a payment that nobody asked for",
      view((one) =>
        first(one) ? [one, { ...one, orderId: "payment-x", providerReference: "sandbox-x" }] : [one],
      ),
      "sandbox-x: is settled by sandbox, and nobody asked for it",
    ],
    [
      "no chargeback",
      view((one) => (returned(one) ? [] : [one])),
      "sandbox-2: is taken back in the books, and not by sandbox",
    ],
    [
      "a chargeback more",
      view((one) => (first(one) ? [one, { ...one, kind: "return" }] : [one])),
      "sandbox-1: is taken back by sandbox, and not in the books",
    ],
  ];

  it.each(listed)("in the provider's list: %s", (_what, provider, sentence) => {
    expect(found(outsideLog(), { provider })).toEqual([expect.stringContaining(sentence)]);
  });

  it("in the provider's list: a payment whose webhook was lost", () => {
    const isOfFirst: Change = (stored) =>
      isOf(stored, "PaymentSettled", "sandbox-1") || isOf(stored, "BalanceCredited", "sandbox-1")
        ? []
        : [stored];
    expect(found(outsideLog(isOfFirst), { provider: providerView })).toEqual([
      expect.stringContaining("sandbox-1: is settled by sandbox, and not in the books"),
    ]);
  });
});
