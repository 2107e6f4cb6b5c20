import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { account } from "./account.decider.ts";
import type { AccountEvent } from "./account.events.ts";
import { at, credited, opened } from "./account.fixture.ts";
import { reverse } from "./adjust-balance.fixture.ts";
import { paidOut, paidOutReturned, payOutToBank, refundPaidOut, refundToSource } from "./pay-out.fixture.ts";

const spec = deciderSpec(account);
const funded: readonly AccountEvent[] = [opened(), ...credited()];
const erased: AccountEvent = {
  type: "PersonalDataErased",
  data: { accountId: 7, because: "asked", erasedAt: at },
};
const giveBack = (reference = "k3x7m2-P1") =>
  ({ type: "GivePaidOutBack", data: { reference, reason: "AC04 Closed account", at } }) as const;

describe("a payout to the bank", () => {
  it("debits the balance once", () => {
    spec
      .given(...funded)
      .when(payOutToBank())
      .then(paidOut());
    spec
      .given(...funded, paidOut())
      .when(payOutToBank())
      .thenNothing();
  });

  it("debits the balance once if two processes order it under two references", () => {
    const second = payOutToBank({ reference: "k3x7m2-P2" });
    spec
      .given(...funded, paidOut())
      .when(second)
      .thenNothing();
    spec
      .given(...funded, paidOut())
      .when({ ...second, data: { ...second.data, reason: "Another" } })
      .then(paidOut({ reference: "k3x7m2-P2", reason: "Another", balanceAfterCents: "6000" }));
  });

  it("may take the whole balance, and no more", () => {
    spec
      .given(...funded)
      .when(payOutToBank({ amountCents: 10_000n }))
      .then(paidOut({ amountCents: "10000", balanceAfterCents: "0" }));
    spec
      .given(...funded)
      .when(payOutToBank({ amountCents: 10_001n }))
      .thenRejected("insufficient-balance", { requiredCents: 10_001n, availableCents: 10_000n });
  });

  it.each([0n, -1n, 100_000_000_001n])("is refused of %d cents", (amountCents) => {
    spec
      .given(...funded)
      .when(payOutToBank({ amountCents }))
      .thenRejected("validation-failed");
  });

  it("is refused under a reference that has another amount or reason", () => {
    for (const change of [{ amountCents: 1n }, { reason: "Another" }])
      spec
        .given(...funded, paidOut())
        .when(payOutToBank(change))
        .thenRejected("reference-conflict");
  });

  it("is refused of an account that is not open, or was erased", () => {
    spec.given().when(payOutToBank()).thenRejected("account-not-open");
    spec
      .given(...funded, erased)
      .when(payOutToBank())
      .thenRejected("account-not-open");
  });

  it("is credited again, once, if it did not arrive", () => {
    spec
      .given(...funded, paidOut())
      .when(giveBack())
      .then(paidOutReturned());
    spec
      .given(...funded, paidOut(), paidOutReturned())
      .when(giveBack())
      .thenNothing();
    spec
      .given(...funded, paidOut())
      .when(giveBack("another"))
      .thenRejected("not-found");
  });

  it("is not credited to an erased account, whose balance cannot be claimed", () => {
    spec
      .given(...funded, paidOut(), erased)
      .when(giveBack())
      .thenRejected("account-not-open");
    // An older version did, and a repetition does nothing.
    spec
      .given(...funded, paidOut(), erased, paidOutReturned())
      .when(giveBack())
      .thenNothing();
  });
});

describe("a payment that is taken back", () => {
  const takeBack = (onlyCents: bigint) => {
    const command = reverse();
    return { ...command, data: { ...command.data, onlyCents } };
  };

  it("leaves the amount of a refund that came back, if the provider took the rest alone", () => {
    const reference = "payment-k3x7m2-1-refund-1";
    const back = paidOutReturned({ to: "source", reference });
    const state = [...funded, refundPaidOut(), back].reduce(account.evolve, account.initialState);
    expect(account.decide(takeBack(8_000n), state)).toMatchObject({
      accepted: true,
      events: [
        { type: "BalanceAdjusted", data: { amountCents: "-8000", balanceAfterCents: "2000" } },
        { type: "ReceiptCancelled", data: { grossCents: "-8000" } },
      ],
    });
  });

  it("is not taken back in part while a refund is debited that may never be sent", () => {
    spec
      .given(...funded, refundPaidOut())
      .when(takeBack(10_000n))
      .thenRejected("reference-conflict");
    const decided = account.decide(
      takeBack(8_000n),
      [...funded, refundPaidOut()].reduce(account.evolve, account.initialState),
    );
    expect(decided).toMatchObject({
      accepted: true,
      events: [{ type: "BalanceAdjusted", data: { amountCents: "-8000" } }, { type: "ReceiptCancelled" }],
    });
  });
});

describe("a refund to the source", () => {
  it("debits the balance once, also of an erased account", () => {
    spec
      .given(...funded)
      .when(refundToSource())
      .then(refundPaidOut());
    spec
      .given(...funded, refundPaidOut())
      .when(refundToSource())
      .thenNothing();
    spec
      .given(...funded, erased)
      .when(refundToSource())
      .then(refundPaidOut());
  });

  it("is refused of more than is left of the payment", () => {
    const second = { reference: "payment-k3x7m2-1-refund-2" };
    spec
      .given(
        ...funded,
        ...credited({
          reference: "bank-2",
          amount: "5000",
          balance: "15000",
          invoiceId: 101,
          number: "2026-7-T000002",
        }),
      )
      .when(refundToSource({ amountCents: 10_001n }))
      .thenRejected("validation-failed");
    spec
      .given(...funded, refundPaidOut())
      .when(refundToSource({ ...second, amountCents: 8_001n }))
      .thenRejected("validation-failed");
    spec
      .given(...funded, refundPaidOut())
      .when(refundToSource({ ...second, amountCents: 8_000n }))
      .then(refundPaidOut({ ...second, amountCents: "8000", balanceAfterCents: "0" }));
  });

  it("is refused for an unknown payment, and for a reversed one", () => {
    spec
      .given(...funded)
      .when(refundToSource({ topUpReference: "bank-9" }))
      .thenRejected("not-found");
    spec
      .given(...funded, ...eventsOf(reverse()))
      .when(refundToSource())
      .thenRejected("validation-failed");
  });

  it("is refused beyond the balance", () => {
    spec
      .given(...funded, paidOut({ amountCents: "9000", balanceAfterCents: "1000" }))
      .when(refundToSource())
      .thenRejected("insufficient-balance");
  });
});

describe("a chargeback after a refund", () => {
  const debits = (...before: readonly AccountEvent[]): readonly (readonly [string, string])[] => {
    const state = [...funded, ...before].reduce(account.evolve, account.initialState);
    const decision = account.decide(reverse(), state);
    if (!decision.accepted) throw new Error(decision.rejection.code);
    return decision.events.map(({ type, data }): readonly [string, string] => [
      type,
      "amountCents" in data ? data.amountCents : "grossCents" in data ? data.grossCents : "",
    ]);
  };

  it("debits the rest, with a cancellation of the same amount", () => {
    expect(debits(refundPaidOut())).toEqual([
      ["BalanceAdjusted", "-8000"],
      ["ReceiptCancelled", "-8000"],
    ]);
  });

  it("debits the whole payment if the refund did not arrive", () => {
    const reference = "payment-k3x7m2-1-refund-1";
    expect(debits(refundPaidOut(), paidOutReturned({ to: "source", reference }))).toEqual([
      ["BalanceAdjusted", "-10000"],
      ["ReceiptCancelled", "-10000"],
    ]);
  });

  it("debits nothing after a refund in full", () => {
    spec
      .given(...funded, refundPaidOut({ amountCents: "10000", balanceAfterCents: "0" }))
      .when(reverse())
      .thenRejected("validation-failed");
  });
});

it.each([
  [[paidOut(), paidOut({ balanceAfterCents: "6000" })]],
  [[paidOutReturned({ balanceAfterCents: "12000" })]],
  [[paidOut(), paidOutReturned(), paidOutReturned({ balanceAfterCents: "12000" })]],
  [[paidOut(), paidOutReturned({ amountCents: "1", balanceAfterCents: "8001" })]],
  [[paidOut({ balanceAfterCents: "8001" })]],
  [[paidOut({ amountCents: "10001", balanceAfterCents: "-1" })]],
])("a stream with other movements is corrupt", (events) => {
  expect(() => [...funded, ...events].reduce(account.evolve, account.initialState)).toThrow(
    CorruptStreamError,
  );
});

/** Returns the events of a command on the account with 100.00. */
function eventsOf(command: Parameters<typeof account.decide>[0]): readonly AccountEvent[] {
  const decision = account.decide(command, funded.reduce(account.evolve, account.initialState));
  if (!decision.accepted) throw new Error(decision.rejection.code);
  return decision.events;
}
