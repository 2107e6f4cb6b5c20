import { describe, expect, it } from "vitest";

import { account } from "../account/account.decider.ts";
import type { AccountEvent } from "../account/account.events.ts";
import { at, credited, opened } from "../account/account.fixture.ts";
import { accountSnapshots } from "../account/account.snapshot.codec.ts";
import type { AccountState } from "../account/account.state.ts";
import { adjusted } from "../account/adjust-balance.fixture.ts";
import { addMilliseconds } from "../calendar/calendar.ts";
import { nextOfDebt } from "./debt.work.ts";

const after = (days: number, since = at) => addMilliseconds(since, days * 86_400_000);

/** A debit, or a credit, that leaves a balance. */
const move = (cents: number, left: number, adjustedAt = at): AccountEvent =>
  adjusted({
    kind: cents < 0 ? "debit" : "credit",
    reference: `case ${String(cents)} ${adjustedAt}`,
    amountCents: String(cents),
    balanceAfterCents: String(left),
    debtAllowed: true,
    adjustedAt,
  });
const debt = move(-2_500, -2_500);

const stateOf = (events: readonly AccountEvent[]): AccountState =>
  [opened(), ...events].reduce(account.evolve, account.initialState);
const next = (events: readonly AccountEvent[], now: string, reminderDays: readonly number[] = [3, 10, 20]) =>
  nextOfDebt({ account: stateOf(events), reminderDays }, now);

/** Takes the command that the effect of a debt sends. */
function remind(events: readonly AccountEvent[], afterDays: number, now: string, debtSince = at) {
  const command = { type: "RecordDebtReminder", data: { debtSince, afterDays, at: now } } as const;
  const decision = account.decide(command, stateOf(events));
  if (!decision.accepted) throw new Error("a reminder is never refused");
  return decision.events;
}

const effect = (afterDays: number, debtSince = at) => ({
  do: { type: "remind", accountId: 7, debtSince, afterDays },
});

describe("the work on a debt", () => {
  it("reminds once after each of the days, and then ends", () => {
    let events: readonly AccountEvent[] = [debt];
    const reminders: [number, string][] = [
      [3, "1"],
      [10, "2"],
      [20, "3"],
    ];
    for (const [days, number] of reminders) {
      expect(next(events, after(days - 0.001))).toEqual({ wait: after(days) });
      expect(next(events, after(days))).toEqual(effect(days));
      const [reminded, ...others] = remind(events, days, after(days));
      expect(others).toEqual([]);
      expect(reminded).toEqual({
        type: "DebtReminded",
        data: {
          accountId: 7,
          debtSince: at,
          afterDays: days,
          reminder: Number(number),
          balanceCents: "-2500",
          remindedAt: after(days),
        },
      });
      events = reminded === undefined ? events : [...events, reminded];
      expect(remind(events, days, after(days)), "a second one for the stage").toEqual([]);
    }
    expect(next(events, after(400))).toBe("done");
  });

  it("sends only the last of the reminders that were missed", () => {
    expect(next([debt], after(15))).toEqual(effect(10));
    const events = [debt, ...remind([debt], 10, after(15))];
    expect(next(events, after(15))).toEqual({ wait: after(20) });
  });

  it("keeps the reminded days when the setting changes", () => {
    const events = [debt, ...remind([debt], 10, after(10))];
    expect(next(events, after(11), [5, 9])).toBe("done");
    expect(next(events, after(11), [5, 14])).toEqual({ wait: after(14) });
    expect(next(events, after(11), [])).toBe("done");
  });

  it("ends with the payment that ends the debt, not with a partial one, and begins again with the next debt", () => {
    const reminded = [debt, ...remind([debt], 3, after(3))];
    const partly = [...reminded, move(1_000, -1_500, after(4))];
    expect(next(partly, after(5))).toEqual({ wait: after(10) });
    expect(next([...partly, move(-100, -1_600, after(5))], after(10))).toEqual(effect(10));
    const paid = [...partly, move(1_500, 0, after(5))];
    expect(next(paid, after(30))).toBe("done");
    const again = after(40);
    const anew = [...paid, move(-100, -100, again)];
    expect(next(anew, again)).toEqual({ wait: after(3, again) });
    expect(next(anew, after(3, again))).toEqual(effect(3, again));
    expect(remind(anew, 3, after(43)), "of the debt before").toEqual([]);
    expect(remind(anew, 3, after(43), again)).toMatchObject([{ data: { reminder: 1, debtSince: again } }]);
  });

  it("is finished for accounts without debt, and for erased ones", () => {
    expect(nextOfDebt({ account: { status: "absent" }, reminderDays: [1] }, at)).toBe("done");
    expect(next([], after(9))).toBe("done");
    expect(next(credited(), after(9))).toBe("done");
    const erased: AccountEvent = {
      type: "PersonalDataErased",
      data: { accountId: 7, because: "asked", erasedAt: at },
    };
    expect(next([debt, erased], after(9))).toBe("done");
    expect(remind([debt, erased], 3, after(9))).toEqual([]);
  });

  it("is the same after a snapshot", () => {
    const events = [debt, ...remind([debt], 3, after(3))];
    const decoder = accountSnapshots.decoder();
    for (const part of accountSnapshots.encode(stateOf(events))) decoder.add(part);
    expect(nextOfDebt({ account: decoder.finish(), reminderDays: [3, 10] }, after(4))).toEqual({
      wait: after(10),
    });
  });

  it("rejects a reminder without a debt, and a second reminder of a stage", () => {
    const reminded = remind([debt], 3, after(3));
    expect(() => stateOf(reminded)).toThrow("DebtReminded");
    expect(() => stateOf([debt, ...reminded, ...reminded])).toThrow("DebtReminded");
  });
});
