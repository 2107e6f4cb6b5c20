import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Decision } from "../kernel/decider.ts";
import type { AccountCommand } from "./account.commands.ts";
import { account } from "./account.decider.ts";
import type { AccountEvent } from "./account.events.ts";
import { at } from "./account.fixture.ts";
import type { AccountState } from "./account.state.ts";
import { accountCodec } from "./account.events.ts";

/** Few ids and references, so that repeats and conflicts are common. */
const anyKey = fc.constantFrom("a", "b", "c");
const anyId = fc.integer({ min: 1, max: 1_000_000 });
const anyText = fc.string({ maxLength: 100 });
const anyInstant = fc.constantFrom(at, "2026-12-31T23:59:59.999999Z", "2027-01-01T00:00:00.000000Z");
const anyCents = fc.oneof(
  fc.bigInt({ min: -10n, max: 100_000n }),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
);
const anyQuantity = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.double(), fc.constantFrom(0, -1, 1.5));
const anyLine = fc.record({ description: anyText, quantity: anyQuantity, unitNetCents: anyCents });
const fewPieces = fc.record({
  description: anyText,
  quantity: fc.integer({ min: 1, max: 10 }),
  unitNetCents: fc.bigInt({ min: 0n, max: 5_000n }),
});
const anyLines = fc.oneof(
  fc.array(fewPieces, { minLength: 1, maxLength: 3 }),
  fc.array(anyLine, { maxLength: 3 }),
);

const anyCommand: fc.Arbitrary<AccountCommand> = fc.oneof(
  fc.record({
    type: fc.constant("OpenAccount" as const),
    data: fc.record({ accountId: anyId, name: anyText, vatExempt: fc.boolean(), at: anyInstant }),
  }),
  fc.record({
    type: fc.constant("SetVatExemption" as const),
    data: fc.record({ vatExempt: fc.boolean(), at: anyInstant }),
  }),
  fc.record({
    type: fc.constant("CreditBalance" as const),
    data: fc.record({ reference: anyKey, amountCents: anyCents, invoiceId: anyId, at: anyInstant }),
  }),
  fc.record({
    type: fc.constant("AdjustBalance" as const),
    data: fc.record({
      kind: fc.constantFrom("credit" as const, "debit" as const),
      reference: anyKey,
      amountCents: anyCents,
      reason: anyText,
      debtAllowed: fc.boolean(),
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("ReverseTopUp" as const),
    data: fc.record({
      reference: anyKey,
      correctionId: anyId,
      reason: anyText,
      debtAllowed: fc.boolean(),
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("ChargeBalance" as const),
    data: fc.record({
      chargeId: anyKey,
      action: fc.constantFrom("purchase" as const, "renewal" as const),
      lines: anyLines,
      pricesIncludeVat: fc.boolean(),
      duration: fc.integer({ min: 0, max: 12 }),
      domainId: fc.option(anyId),
      serverId: fc.option(anyId),
      planId: fc.option(anyId),
      invoiceId: anyId,
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("RefundRegistration" as const),
    data: fc.record({ chargeId: anyKey, correctionId: anyId, reason: anyText, at: anyInstant }),
  }),
  fc.record({
    type: fc.constant("RefundCharge" as const),
    data: fc.record({ chargeId: anyKey, correctionId: anyId, reason: anyText, at: anyInstant }),
  }),
  fc.record({
    type: fc.constant("GrantRefund" as const),
    data: fc.record({
      chargeId: anyKey,
      amountCents: anyCents,
      correctionId: anyId,
      reason: anyText,
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("IssueApiKey" as const),
    data: fc.record({
      keyId: fc.integer({ min: 1, max: 3 }),
      keyHash: fc.constant("0".repeat(64)),
      prefix: anyText,
      label: anyText,
      scopes: fc.constantFrom(null, ["dns"] as const),
      expiresAt: fc.constant(null),
      addresses: fc.constant([]),
      operationId: anyText,
      issuedBy: fc.constantFrom(null, 1, 2),
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("RevokeApiKey" as const),
    data: fc.record({ keyId: fc.integer({ min: 1, max: 3 }), at: anyInstant }),
  }),
);
const anyCommands = fc.array(anyCommand, { maxLength: 40 });

interface Outcome {
  readonly state: AccountState;
  readonly events: readonly AccountEvent[];
  readonly decisions: readonly (readonly [AccountCommand, Decision<AccountEvent>])[];
}

const open: AccountCommand = {
  type: "OpenAccount",
  data: { accountId: 7, name: "Ada", vatExempt: false, at },
};

function tell(commands: readonly AccountCommand[]): Outcome {
  const events: AccountEvent[] = [];
  const decisions: [AccountCommand, Decision<AccountEvent>][] = [];
  let state: AccountState = account.initialState;
  for (const command of [open, ...commands]) {
    const decision = account.decide(command, state);
    decisions.push([command, decision]);
    if (!decision.accepted) continue;
    events.push(...decision.events);
    state = decision.events.reduce(account.evolve, state);
  }
  return { state, events, decisions };
}

function check(law: (outcome: Outcome) => void): void {
  fc.assert(
    fc.property(anyCommands, (commands) => {
      law(tell(commands));
    }),
    { numRuns: 300 },
  );
}

type Refund = Extract<AccountEvent, { type: "RegistrationRefunded" | "ChargeRefunded" | "RefundGranted" }>;

function isRefund(event: AccountEvent): event is Refund {
  return ["RegistrationRefunded", "ChargeRefunded", "RefundGranted"].includes(event.type);
}

const total = (amounts: readonly string[]): bigint => amounts.reduce((sum, cents) => sum + BigInt(cents), 0n);

describe("the laws of an account", () => {
  test("no command makes decide throw, whether the account exists or not", () => {
    fc.assert(
      fc.property(anyCommands, anyCommand, (commands, command) => {
        const { state } = tell(commands);
        for (const some of [state, account.initialState])
          expect(() => account.decide(command, some)).not.toThrow();
      }),
    );
  });

  test("the balance is the sum of payments, refunds and corrections, less the charges", () => {
    check(({ state, events }) => {
      if (state.status !== "open") throw new Error("the account is not open");
      const credits = events.flatMap((event) =>
        event.type === "BalanceCredited" ? [event.data.amountCents] : [],
      );
      const charges = events.flatMap((event) =>
        event.type === "BalanceCharged" ? [event.data.grossCents] : [],
      );
      const refunds = events.flatMap((event) => (isRefund(event) ? [event.data.grossCents] : []));
      const corrections = events.flatMap((event) =>
        event.type === "BalanceAdjusted" ? [event.data.amountCents] : [],
      );
      expect(state.balanceCents).toBe(total(credits) - total(charges) + total(refunds) + total(corrections));
    });
  });

  test("the balance falls below zero only by a debt that staff allowed", () => {
    check(({ events }) => {
      let before = 0n;
      for (const event of events) {
        if (!("balanceAfterCents" in event.data)) continue;
        const after = BigInt(event.data.balanceAfterCents);
        if (after < 0n && after < before)
          expect(event).toMatchObject({ type: "BalanceAdjusted", data: { debtAllowed: true } });
        before = after;
      }
    });
  });

  test("every movement issues exactly one document over its amount, in the same decision", () => {
    check(({ decisions }) => {
      for (const [, decision] of decisions) {
        if (!decision.accepted) continue;
        const [movement, document, ...more] = decision.events;
        if (movement === undefined || !("balanceAfterCents" in movement.data)) continue;
        expect(more).toEqual([]);
        if (movement.type === "BalanceAdjusted") {
          const { kind, reference, amountCents: grossCents } = movement.data;
          // Corrections by staff are neither sales nor payments, so they have no document.
          if (kind !== "top-up-reversed") expect(document).toBeUndefined();
          else expect(document).toMatchObject({ type: "ReceiptCancelled", data: { reference, grossCents } });
          continue;
        }
        if (movement.type === "BalanceCharged") {
          const { chargeId, invoiceId, grossCents } = movement.data;
          expect(document).toMatchObject({
            type: "InvoiceIssued",
            data: { cause: chargeId, invoiceId, grossCents },
          });
        } else if (isRefund(movement)) {
          const { chargeId, correctionId, grossCents } = movement.data;
          const data = { chargeId, correctionId, grossCents: String(-BigInt(grossCents)) };
          expect(document).toMatchObject({ type: "CorrectionIssued", data });
        } else {
          expect(document).toMatchObject({ type: "InvoiceIssued", data: { action: "topup" } });
        }
      }
    });
  });

  test("the amounts of every document add up, and corrections negate their invoice in part or in full", () => {
    check(({ events }) => {
      const sumsOf = (data: { netCents: string; vatCents: string; grossCents: string }): readonly bigint[] =>
        [data.netCents, data.vatCents, data.grossCents].map(BigInt);
      const invoices = new Map(
        events.flatMap((event) => (event.type === "InvoiceIssued" ? [[event.data.number, event.data]] : [])),
      );
      const corrections = new Map<number, readonly bigint[]>();
      for (const event of events) {
        if (event.type !== "InvoiceIssued" && event.type !== "CorrectionIssued") continue;
        const [net = 0n, vat = 0n, gross = 0n] = sumsOf(event.data);
        expect(net + vat).toBe(gross);
        if (event.type === "InvoiceIssued") {
          const { lines, pricesIncludeVat, vatRatePercent } = event.data;
          expect(total(lines.map((line) => line.amountCents))).toBe(pricesIncludeVat ? gross : net);
          // Rounding once leaves an error of at most half a cent.
          const [share, whole] = pricesIncludeVat ? [gross, 100n + BigInt(vatRatePercent)] : [net, 100n];
          const off = 2n * (vat * whole - share * BigInt(vatRatePercent));
          expect(off <= whole && off > -whole).toBe(true);
        } else {
          const corrected = invoices.get(event.data.correctsNumber);
          if (corrected === undefined) throw new Error("a correction names no invoice");
          const { invoiceId } = corrected;
          expect(event.data.correctsInvoiceId).toBe(invoiceId);
          const left = corrections.get(invoiceId) ?? sumsOf(corrected);
          const after = [net, vat, gross].map((cents, index) => (left[index] ?? 0n) + cents);
          expect(after.every((cents) => cents >= 0n)).toBe(true);
          // A full refund also returns all of the VAT.
          if (after[2] === 0n) expect(after).toEqual([0n, 0n, 0n]);
          corrections.set(invoiceId, after);
        }
      }
    });
  });

  test("the numbers of each series run 1, 2, 3 … without a gap or a repeat", () => {
    check(({ events }) => {
      const numbers = events.flatMap((event) => ("number" in event.data ? [event.data.number] : []));
      expect(new Set(numbers).size).toBe(numbers.length);
      for (const series of [/^\d{4}-7-(\d{6})$/, /^\d{4}-7-T(\d{6})$/, /^\d{4}-7-C(\d{6})$/]) {
        const counts = numbers.flatMap((number) => series.exec(number)?.[1] ?? []).map(Number);
        expect(counts).toEqual(counts.map((_, index) => index + 1));
      }
    });
  });

  test("a repeated command changes nothing", () => {
    check(({ state, decisions }) => {
      for (const [command, decision] of decisions) {
        // Setting an exemption again after it was removed is a new change, not a repeat.
        if (!decision.accepted || command.type === "SetVatExemption") continue;
        const again = account.decide(command, state);
        expect(again.accepted ? again.events : []).toEqual([]);
      }
    });
  });

  test("folding the same events results in the same account, at once or in parts", () => {
    check(({ state, events }) => {
      const half = Math.floor(events.length / 2);
      const first = events.slice(0, half).reduce(account.evolve, account.initialState);
      const folded = events.slice(half).reduce(account.evolve, first);
      expect(asText(folded)).toBe(asText(state));
    });
  });

  test("decided events can be stored and read back unchanged", () => {
    check(({ events }) => {
      for (const { type, data } of events) {
        expect(accountCodec.decode(accountCodec.storedType(type), JSON.stringify(data))).toEqual({
          type,
          data,
        });
      }
    });
  });
});

function asText(state: AccountState): string {
  return JSON.stringify(state, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}
