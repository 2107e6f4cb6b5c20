import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { AccountCommand } from "./account.commands.ts";
import { account } from "./account.decider.ts";
import type { AccountEvent } from "./account.events.ts";
import { at, opened } from "./account.fixture.ts";
import { accountSnapshots } from "./account.snapshot.codec.ts";
import type { AccountState } from "./account.state.ts";
import { chargeOf } from "./charge-row.codec.ts";
import type { Charge } from "./charge.ts";
import type { Charges } from "./charges.ts";

const anyKey = fc.integer({ min: 0, max: 30 }).map((number) => `key-ä-${String(number)}`);
const anyId = fc.integer({ min: 1, max: 1_000_000 });
const idOrNone = fc.option(anyId);

/** Commands that the account mostly accepts. */
const anyCommand: fc.Arbitrary<AccountCommand> = fc.oneof(
  fc.record({
    type: fc.constant("CreditBalance" as const),
    data: fc.record({
      reference: anyKey,
      amountCents: fc.bigInt({ min: 1n, max: 10_000_000n }),
      invoiceId: anyId,
      at: fc.constant(at),
    }),
  }),
  fc.record({
    type: fc.constant("AdjustBalance" as const),
    data: fc.record({
      kind: fc.constantFrom("credit" as const, "debit" as const),
      reference: anyKey,
      amountCents: fc.bigInt({ min: 1n, max: 10_000_000n }),
      reason: anyKey,
      debtAllowed: fc.boolean(),
      at: fc.constant(at),
    }),
  }),
  fc.record({
    type: fc.constant("ReverseTopUp" as const),
    data: fc.record({
      reference: anyKey,
      correctionId: fc.constant(103),
      reason: anyKey,
      debtAllowed: fc.boolean(),
      at: fc.constant(at),
    }),
  }),
  fc.record({
    type: fc.constant("ChargeBalance" as const),
    data: fc.record({
      chargeId: anyKey,
      action: fc.constantFrom("purchase" as const, "renewal" as const),
      lines: fc.constant([{ description: "x", quantity: 2, unitNetCents: 150n }]),
      pricesIncludeVat: fc.boolean(),
      duration: fc.integer({ min: 0, max: 12 }),
      domainId: idOrNone,
      serverId: idOrNone,
      planId: idOrNone,
      invoiceId: anyId,
      at: fc.constant(at),
    }),
  }),
  fc.record({
    type: fc.constant("GrantRefund" as const),
    data: fc.record({
      chargeId: anyKey,
      amountCents: fc.bigInt({ min: 1n, max: 400n }),
      correctionId: anyId,
      reason: anyKey,
      at: fc.constant(at),
    }),
  }),
  fc.record({
    type: fc.constantFrom("RefundRegistration" as const, "RefundCharge" as const),
    data: fc.record({ chargeId: anyKey, correctionId: anyId, reason: anyKey, at: fc.constant(at) }),
  }),
  fc.record({
    type: fc.constant("SetVatExemption" as const),
    data: fc.record({ vatExempt: fc.boolean(), at: fc.constant(at) }),
  }),
  fc.record({
    type: fc.constant("IssueApiKey" as const),
    data: fc.record({
      keyId: anyId,
      keyHash: anyKey,
      prefix: anyKey,
      label: anyKey,
      scopes: fc.constantFrom(null, ["read", "dns"] as const),
      expiresAt: fc.constantFrom(null, "2099-01-01T00:00:00.000000Z"),
      addresses: fc.constantFrom([], ["192.0.2.0/24"]),
      operationId: anyKey,
      issuedBy: fc.constant(null),
      at: fc.constant(at),
    }),
  }),
  fc.record({
    type: fc.constant("RevokeApiKey" as const),
    data: fc.record({ keyId: anyId, at: fc.constant(at) }),
  }),
);

function history(commands: readonly AccountCommand[]): readonly AccountEvent[] {
  const events: AccountEvent[] = [opened()];
  let state = fold(events);
  for (const command of commands) {
    const decision = account.decide(command, state);
    if (!decision.accepted) continue;
    events.push(...decision.events);
    state = decision.events.reduce(account.evolve, state);
  }
  return events;
}

function fold(events: readonly AccountEvent[], from: AccountState = account.initialState): AccountState {
  return events.reduce(account.evolve, from);
}

function kept(state: AccountState): AccountState {
  const decoder = accountSnapshots.decoder();
  for (const part of accountSnapshots.encode(state)) decoder.add(part);
  return decoder.finish();
}

function byId(charges: Charges): Readonly<Record<string, Charge>> {
  return Object.fromEntries([...charges.rows()].map((row) => [row[0], chargeOf(row)]));
}

function expectSame(actual: AccountState, expected: AccountState): void {
  if (actual.status !== "open" || expected.status !== "open") {
    expect(actual).toEqual(expected);
    return;
  }
  const { charges, credits, adjustments, paidOut, apiKeys, ...rest } = expected;
  expect(actual).toMatchObject(rest);
  expect(actual.charges.size).toBe(charges.size);
  expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
  expect(byId(actual.charges)).toStrictEqual(byId(charges));
  expect(actual.credits.toObject()).toStrictEqual(credits.toObject());
  expect(actual.adjustments.toObject()).toStrictEqual(adjustments.toObject());
  expect(actual.paidOut.toObject()).toStrictEqual(paidOut.toObject());
  expect(actual.apiKeys.toObject()).toStrictEqual(apiKeys.toObject());
}

describe("a snapshot of an account", () => {
  it("at any revision, plus later events, equals the account folded from the first event", () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 60 }), fc.nat(), (commands, at) => {
        const events = history(commands);
        const point = at % (events.length + 1);
        expectSame(fold(events.slice(point), kept(fold(events.slice(0, point)))), fold(events));
      }),
      { numRuns: 300 },
    );
  });

  it("of thousands of charges has parts, and each is required", () => {
    const credit: AccountCommand = {
      type: "CreditBalance",
      data: { reference: "all", amountCents: 100_000_000n, invoiceId: 1, at },
    };
    const charges = Array.from({ length: 2_500 }, (_, index): AccountCommand => ({
      type: "ChargeBalance",
      data: {
        chargeId: `charge-${String(index)}`,
        action: "purchase",
        lines: [{ description: "x", quantity: 1, unitNetCents: 100n }],
        pricesIncludeVat: false,
        duration: 1,
        domainId: index,
        serverId: null,
        planId: null,
        invoiceId: index,
        at,
      },
    }));
    const state = fold(history([credit, ...charges]));
    expectSame(kept(state), state);
    const parts = [...accountSnapshots.encode(state)];
    expect(parts).toHaveLength(1 + 3 + 1);
    for (const [left, part] of parts.entries()) {
      const decoder = accountSnapshots.decoder();
      expect(
        () => {
          for (const other of parts) if (other !== part) decoder.add(other);
          decoder.finish();
        },
        `without part ${String(left)}`,
      ).toThrow();
    }
    // A repeated part must not replace another part of the same size.
    const [head = "", first = "", , ...rest] = parts;
    const decoder = accountSnapshots.decoder();
    expect(() => {
      for (const part of [head, first, first, ...rest]) decoder.add(part);
      decoder.finish();
    }).toThrow();
  });
});
