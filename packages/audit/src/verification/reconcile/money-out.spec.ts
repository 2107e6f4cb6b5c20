import { describe, expect, it } from "vitest";

import { reconcile } from "../index.ts";
import type { BankTexts } from "./judge-bank-texts.ts";
import type { ProviderView } from "./provider-view.ts";
import { moneyOut, moneyOutTexts, moneyOutView, muchLater, soon } from "./money-out.fixture.ts";
import { iban, outsideLog, type Change } from "./outside.fixture.ts";
import { adding, altering, doubling, dropping, found, isOf, moving } from "./planting.fixture.ts";

const log = (change?: Change) => outsideLog(change, moneyOut);
const sides = { provider: moneyOutView, texts: moneyOutTexts };

describe("right books of money that goes back", () => {
  it("have no difference, at the end and up to each of their events", () => {
    expect(found(log(), sides)).toEqual([]);
    for (let size = 0; size <= log().length; size += 1)
      expect(found(log().slice(0, size)).filter((line) => !line.includes("payments, and"))).toEqual([]);
  });

  it("have a payout that came back for an erased customer, which waits for staff", () => {
    const change: Change = (stored) => {
      if (!isOf(stored, "PaidOutReturned", "k3x7m2-P2")) return [stored];
      const parked = { entryId: 7, because: "account-erased", parkedAt: "2026-03-13T10:00:00.000000Z" };
      return [[13, `bank-${iban}`, "EntryParked.v1", parked]];
    };
    expect(found(outsideLog(change, [...moneyOut, soon]), sides)).toEqual([]);
    const waits = outsideLog(change, [...moneyOut, muchLater]);
    expect(found(waits).filter((line) => line.includes("/7: belongs to nobody"))).toHaveLength(1);
  });

  it("say what was compared, and what was not", () => {
    expect(reconcile(log(), undefined, sides).outside).toMatchObject({
      refunds: 3,
      payouts: 4,
      unexplained: 1,
      unexplainedCents: 100n,
      notCompared: [],
    });
    expect(reconcile(log()).outside.notCompared).toEqual([
      "the list of the payment provider sandbox",
      "the bank accounts that payouts went to, and payouts that the bank paid twice or over another amount",
    ]);
  });

  it("have what waits for longer than the days that are allowed", () => {
    const days = "for more than 14 days";
    const late = outsideLog((stored) => [stored], [...moneyOut, muchLater]);
    const lines = found(late, { texts: moneyOutTexts }).filter((line) => !line.includes("belongs to nobody"));
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`account 7, k3x7m2-P3: waits for a file for the bank ${days}$`, "u")),
      expect.stringMatching(
        new RegExp(`k3x7m2-P4: is in the file k3x7m2-F2 ${days}, and the bank did not book it$`, "u"),
      ),
    ]);
    expect(found(late, { unmatchedDays: 30 })).toEqual([]);
    const silent = outsideLog(
      (stored) => (isOf(stored, "RefundSettled", "refund-1") ? [] : [stored]),
      [...moneyOut, muchLater],
    );
    expect(found(silent).filter((line) => line.includes("refund"))).toEqual([
      expect.stringContaining(`payment-p1-refund-1: is ordered ${days}, and the provider did not say`),
    ]);
  });
});

describe("a planted difference of money that goes back is found, and nothing else", () => {
  const [refund, payout] = ["payment-p1-refund-1", "k3x7m2-P1"];
  const books: readonly (readonly [what: string, change: Change, sentence: string])[] = [
    [
      "a refund that was debited and never ordered",
      (stored) => (/^Refund.*refund-1"/u.test(`${stored[2]} ${JSON.stringify(stored[3])}`) ? [] : [stored]),
      `account 8, ${refund}: is debited, and was never ordered`,
    ],
    [
      "a refund that was ordered and never debited",
      dropping("BalancePaidOut", refund),
      `account 8, ${refund}: is ordered, and the customer was never debited`,
    ],
    [
      "a refund over another amount than the debit",
      altering("BalancePaidOut", refund, '"500"', '"400"'),
      `account 8, ${refund}: is debited over 400 cents, ordered are 500`,
    ],
    [
      "a refund that another account was debited for",
      moving("BalancePaidOut", refund, "account-7"),
      `account 7, ${refund}: is of account 8, and account 7 is debited`,
    ],
    [
      "a refund that two accounts were debited for",
      adding("BalancePaidOut", refund, "account-7"),
      `account 7, ${refund}: is debited from account 8, and here as well`,
    ],
    [
      "a refused refund that was never credited again",
      dropping("PaidOutReturned", "refund-2"),
      "account 8, payment-p1-refund-2: did not arrive, and was never credited again",
    ],
    [
      "a refund that was credited again and not refused",
      dropping("RefundRefused", "refund-2"),
      "account 8, payment-p1-refund-2: is credited again, and the provider did not refuse it",
    ],
    [
      "a payout that was debited and does not wait for the bank",
      dropping("PayoutQueued", "k3x7m2-P2"),
      "account 7, k3x7m2-P2: is debited, and does not wait for the bank",
    ],
    [
      "a payout that waits and was never debited",
      dropping("BalancePaidOut", payout),
      `account 7, ${payout}: waits for the bank, and the customer was never debited`,
    ],
    [
      "a payout over another amount than the debit",
      altering("BalancePaidOut", payout, '"1000"', '"900"'),
      `account 7, ${payout}: is debited over 900 cents, ordered are 1000`,
    ],
    [
      "a payout that another account was debited for",
      moving("BalancePaidOut", payout, "account-8"),
      `account 8, ${payout}: is of account 7, and account 8 is debited`,
    ],
    [
      "a payout in two files",
      doubling("PayoutFileMade", "F2", (text) =>
        text.replace("F2", "F3").replace("P4", "P1").replace('"150"', '"1000"'),
      ),
      `account 7, ${payout}: is in the files k3x7m2-F1 and k3x7m2-F3: the bank may pay it twice`,
    ],
    [
      "a payout in a file that nobody ordered",
      altering("PayoutFileMade", "F2", '["k3x7m2-P4"]', '["k3x7m2-P4","k3x7m2-P9"]'),
      "k3x7m2-F2: has the payout k3x7m2-P9, which nobody ordered",
    ],
    [
      "a file over another sum than its payouts",
      altering("PayoutFileMade", "F2", '"150"', '"160"'),
      "k3x7m2-F2: is over 160 cents, its payouts over 150",
    ],
    [
      "a payout that is paid in the books and not at the bank",
      altering("PayoutPaid", payout, '"entryId":5', '"entryId":50'),
      `account 7, ${payout}: is paid by the books, and not at the bank`,
    ],
    [
      "a payout that the bank paid over another amount",
      altering("PayoutPaid", payout, '"entryId":5', '"entryId":4'),
      `account 7, ${payout}: is paid over 100 cents at the bank, ordered are 1000`,
    ],
    [
      "a payout that is paid twice in the books",
      doubling("PayoutPaid", payout, (text) => text.replace('"entryId":5', '"entryId":50')),
      `account 7, ${payout}: is paid 2 times in the books`,
    ],
    [
      "an entry that pays two payouts",
      altering("PayoutPaid", "k3x7m2-P2", '"entryId":6', '"entryId":5'),
      `account 7, k3x7m2-P2: is paid with entry ${iban}/5, which is of ${payout} already`,
    ],
    [
      "a returned payout that was never credited again",
      dropping("PaidOutReturned", "k3x7m2-P2"),
      "account 7, k3x7m2-P2: came back from the bank, and was never credited again",
    ],
    [
      "a payout that was credited again and did not come back",
      dropping("PayoutReturned", "k3x7m2-P2"),
      "account 7, k3x7m2-P2: is credited again, and did not come back from the bank",
    ],
  ];

  it.each(books)("%s", (_what, change, sentence) => {
    const lines = found(outsideLog(change, [...moneyOut, soon]));
    const others = lines.filter((line) => !line.endsWith(sentence));
    expect(lines.length - others.length, lines.join("\n")).toBe(1);
    // A payout that is gone from the books is missing in its file; one that is booked twice has no second entry.
    const follows: Readonly<Record<string, string>> = {
      "k3x7m2-P2: is debited, and does": "k3x7m2-F1: has the payout k3x7m2-P2, which nobody ordered",
      "is paid 2 times": "is paid by the books, and not at the bank",
    };
    const [, follow] = Object.entries(follows).find(([part]) => sentence.includes(part)) ?? [];
    expect(others).toEqual(follow === undefined ? [] : [expect.stringContaining(follow)]);
  });

  type Movement = ProviderView["movements"][number];
  const view = (change: (movement: Movement) => readonly Movement[]): ProviderView => ({
    ...moneyOutView,
    movements: moneyOutView.movements.flatMap(change),
  });
  const isFirst = ({ kind, refundId }: Movement): boolean => kind === "refund" && refundId === refund;
  const isBack = ({ kind }: Movement): boolean => kind === "refund-return";
  const isPayout = ({ kind }: Movement): boolean => kind === "payout";
  const listed: readonly (readonly [what: string, provider: ProviderView, sentence: string])[] = [
    [
      "no refund",
      view((one) => (isFirst(one) ? [] : [one])),
      `${refund}: is refunded in the books, and not at sandbox`,
    ],
    [
      "a refund twice",
      view((one) => (isFirst(one) ? [one, one] : [one])),
      `${refund}: is refunded twice at sandbox`,
    ],
    [
      "a refund over another amount",
      view((one) => [isFirst(one) ? { ...one, amountCents: 600n } : one]),
      `${refund}: is refunded at sandbox over 600 cents, ordered are 500`,
    ],
    [
      "a refund under another reference",
      view((one) => [isFirst(one) ? { ...one, providerReference: "sandbox-x" } : one]),
      `${refund}: is refunded at sandbox under another reference than sandbox-r1`,
    ],
    [
      "a refund that was made at the provider by hand",
      view((one) => (isFirst(one) ? [one, { ...one, refundId: "", providerReference: "sandbox-x" }] : [one])),
      "sandbox-x: is refunded at sandbox, and nobody ordered it",
    ],
    [
      "a refund that the books have as refused",
      view((one) =>
        isFirst(one)
          ? [one, { ...one, refundId: "payment-p1-refund-2", providerReference: "r2", amountCents: 300n }]
          : [one],
      ),
      "payment-p1-refund-2: is refunded at sandbox, and refused in the books",
    ],
    [
      "no return of a refund",
      view((one) => (isBack(one) ? [] : [one])),
      "payment-p1-refund-3: came back in the books, and not at sandbox",
    ],
    [
      "a return of a refund more",
      view((one) => (isFirst(one) ? [one, { ...one, kind: "refund-return" }] : [one])),
      `${refund}: came back at sandbox, and not in the books`,
    ],
    [
      "a payout to the bank that did not arrive",
      view((one) => (isPayout(one) ? [one, { ...one, providerReference: "sandbox-po2" }] : [one])),
      "sandbox-po2: is paid out by sandbox over 800 cents for more than 1 days, and no entry",
    ],
    [
      "a payout to the bank twice",
      view((one) => (isPayout(one) ? [one, one] : [one])),
      "sandbox-po1: is paid out twice by sandbox",
    ],
  ];

  it.each(listed)("in the provider's list: %s", (_what, provider, sentence) => {
    const unmatchedDays = sentence.includes("1 days") ? 1 : 14;
    const lines = found(log(), { provider, unmatchedDays }).filter(
      (line) => !line.includes("belongs to nobody"),
    );
    expect(lines).toEqual([expect.stringContaining(sentence)]);
  });

  it("in the provider's list: another amount of a payout to the bank", () => {
    const provider = view((one) => [isPayout(one) ? { ...one, amountCents: 900n } : one]);
    const lines = found(log(), { provider, unmatchedDays: 1 }).filter(
      (line) => !line.includes("belongs to nobody"),
    );
    expect(lines).toEqual([
      expect.stringContaining("sandbox-po1: is paid out by sandbox over 900 cents for more than 1 days"),
      expect.stringContaining(`${iban}/8: is matched to sandbox over 800 cents, and sandbox lists no such`),
    ]);
  });

  it("in the provider's list: a refund whose answer was lost", () => {
    const change = dropping("RefundSettled", refund);
    expect(found(log(change), { provider: moneyOutView })).toEqual([
      expect.stringContaining(`${refund}: is refunded at sandbox, and not in the books`),
    ]);
  });

  const named = (
    change: (text: { readonly endToEndId: string; readonly iban: string }) => {
      readonly endToEndId: string;
      readonly iban: string;
    },
    entryId: number,
  ): BankTexts => ({
    ...moneyOutTexts,
    entries: new Map(
      [...moneyOutTexts.entries].map(([name, text]) => [
        name,
        name.endsWith(`/${String(entryId)}`) ? change(text) : text,
      ]),
    ),
  });
  const texts: readonly (readonly [what: string, texts: BankTexts, change: Change, sentence: string])[] = [
    [
      "a payout to another bank account",
      named((text) => ({ ...text, iban: "DE75512108001245126199" }), 5),
      (stored) => [stored],
      `${payout}: is paid to another bank account than ordered, with entry ${iban}/5`,
    ],
    [
      "a payout over another amount",
      named((text) => ({ ...text, endToEndId: "k3x7m2-P4", iban: "" }), 4),
      (stored) => [stored],
      `k3x7m2-P4: is paid over 100 cents at the bank, with entry ${iban}/4; ordered are 150`,
    ],
    [
      "a payout that is in no file",
      named((text) => ({ ...text, endToEndId: "k3x7m2-P3", iban: "" }), 4),
      (stored) => [stored],
      `k3x7m2-P3: is paid at the bank with entry ${iban}/4, and not in the books`,
    ],
    [
      "a payout that the bank paid twice",
      named((text) => ({ ...text, endToEndId: payout, iban: "" }), 4),
      altering("BankEntryBooked", '"entryId":4', '"-100"', '"-1000"'),
      `${payout}: is paid twice at the bank, the second time with entry ${iban}/4`,
    ],
  ];

  it.each(texts)("in the texts of the bank: %s", (_what, opened, change, sentence) => {
    const lines = found(outsideLog(change, moneyOut), { texts: opened });
    // An entry over another amount no longer makes the sum of its statement.
    expect(lines.filter((line) => !line.startsWith("bank-statements: "))).toEqual([
      expect.stringContaining(sentence),
    ]);
  });
});
