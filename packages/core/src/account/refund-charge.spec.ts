import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { account } from "./account.decider.ts";
import type { AccountCommand } from "./account.commands.ts";
import type { AccountEvent } from "./account.events.ts";
import {
  charge,
  charged,
  credit,
  credited,
  grant,
  granted,
  opened,
  refund,
  refunded,
} from "./account.fixture.ts";
import { leftToRefund } from "./refund-charge.ts";

const spec = deciderSpec(account);
/** An account with 100 euros that was charged 11.90. */
const bought = [opened(), ...credited(), ...charged()];

describe("a refund by staff", () => {
  it("returns a part of the charge with a correction that names its invoice", () => {
    spec
      .given(...bought)
      .when(grant())
      .then(...granted());
  });

  it("is made once per amount and reason", () => {
    spec
      .given(...bought, ...granted())
      .when(grant({ correctionId: 103 }))
      .thenNothing();
    spec
      .given(...bought, ...granted())
      .when(grant({ correctionId: 103, reason: "Outage of 21 November" }))
      .then(
        ...granted(
          { correctionId: 103, balanceAfterCents: "9476", reason: "Outage of 21 November" },
          { correctionId: 103, number: "2026-7-C000002" },
        ),
      );
  });

  test.each([0n, -1n, 1_191n, 10n ** 30n])("of %s cents of 11.90 is refused", (amountCents) => {
    spec
      .given(...bought)
      .when(grant({ amountCents }))
      .thenRejected("validation-failed");
  });

  it("never exceeds the remaining charge", () => {
    spec
      .given(...bought, ...granted())
      .when(grant({ amountCents: 858n }))
      .thenRejected("validation-failed");
    spec
      .given(...bought, ...refunded())
      .when(grant({ amountCents: 1n }))
      .thenRejected("validation-failed");
  });

  it("is refused for a charge that was never made", () => {
    spec
      .given(opened(), ...credited())
      .when(grant())
      .thenRejected("charge-not-found");
  });

  it("leaves the remainder for the refund of the order itself", () => {
    const [returned, correction] = refunded();
    if (returned?.type !== "RegistrationRefunded" || correction?.type !== "CorrectionIssued")
      throw new Error("no refund");
    spec
      .given(...bought, ...granted())
      .when(refund({ correctionId: 103 }))
      .then(
        { ...returned, data: { ...returned.data, correctionId: 103, grossCents: "857" } },
        {
          ...correction,
          data: {
            ...correction.data,
            correctionId: 103,
            number: "2026-7-C000002",
            netCents: "-720",
            vatCents: "-137",
            grossCents: "-857",
          },
        },
      );
    const whole = granted({ grossCents: "1190", balanceAfterCents: "10000" });
    spec
      .given(...bought, ...whole)
      .when(refund({ correctionId: 103 }))
      .thenNothing();
  });

  it("is made at most a hundred times per charge", () => {
    const cent = Array.from({ length: 100 }, (_, index) =>
      grant({ amountCents: 1n, correctionId: 200 + index, reason: `Reason ${String(index)}` }),
    );
    const state = cent.reduce(
      (before, command) => {
        const decision = account.decide(command, before);
        if (!decision.accepted) throw new Error("the refund was refused");
        return decision.events.reduce(account.evolve, before);
      },
      bought.reduce(account.evolve, account.initialState),
    );
    expect(account.decide(grant(), state)).toMatchObject({
      accepted: false,
      rejection: { code: "validation-failed" },
    });
  });

  it("in the stream that exceeds the charge counts as corruption", () => {
    const state = bought.reduce(account.evolve, account.initialState);
    const [above] = granted({ grossCents: "1191", balanceAfterCents: "10001" });
    const [unknown] = granted({ chargeId: "registration-2" });
    for (const event of [above, unknown])
      expect(() => account.evolve(state, event ?? opened())).toThrow(CorruptStreamError);
  });
});

test("refunds in parts sum to the invoice, to the cent of net and VAT", () => {
  const prices = fc.record({
    unitNetCents: fc.bigInt({ min: 1n, max: 1_000_000n }),
    pricesIncludeVat: fc.boolean(),
    vatExempt: fc.boolean(),
  });
  fc.assert(
    fc.property(
      prices,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
      (price, shares) => {
        const { unitNetCents, pricesIncludeVat, vatExempt } = price;
        const lines = [{ description: "Something", quantity: 1, unitNetCents }];
        const rich = decided([opened({ vatExempt })], credit({ amountCents: 2_000_000n }));
        const paid = decided(rich, charge({ lines, pricesIncludeVat }));
        const parts = shares.reduce((events, share, index) => {
          const amountCents = BigInt(Math.floor(Number(leftOf(events)) * share));
          if (amountCents === 0n) return events;
          return decided(events, grant({ amountCents, reason: String(index) }));
        }, paid);
        const rest = leftOf(parts);
        const all = rest === 0n ? parts : decided(parts, grant({ amountCents: rest }));
        const sums = all.flatMap((event) =>
          event.type === "CorrectionIssued"
            ? [[BigInt(event.data.netCents), BigInt(event.data.vatCents), BigInt(event.data.grossCents)]]
            : [],
        );
        const invoice = all.findLast((event) => event.type === "InvoiceIssued");
        if (invoice?.type !== "InvoiceIssued") throw new Error("no invoice");
        for (const [net = 0n, vat = 0n, gross = 0n] of sums) {
          expect(net + vat).toBe(gross);
          expect(net <= 0n && vat <= 0n && gross < 0n).toBe(true);
        }
        const summed = [0, 1, 2].map((column) =>
          sums.reduce((sum, amounts) => sum - (amounts[column] ?? 0n), 0n),
        );
        const { netCents, vatCents, grossCents } = invoice.data;
        expect(summed).toEqual([netCents, vatCents, grossCents].map(BigInt));
      },
    ),
    { numRuns: 100 },
  );
});

function decided(events: readonly AccountEvent[], command: AccountCommand): readonly AccountEvent[] {
  const decision = account.decide(command, events.reduce(account.evolve, account.initialState));
  if (!decision.accepted) throw new Error(decision.rejection.message);
  return [...events, ...decision.events];
}

function leftOf(events: readonly AccountEvent[]): bigint {
  const state = events.reduce(account.evolve, account.initialState);
  const known = state.status === "open" ? state.charges.get("registration-1") : undefined;
  if (known === undefined) throw new Error("nothing was charged");
  return leftToRefund(known);
}
