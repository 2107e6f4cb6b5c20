import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { maximumCents } from "../money/money.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import type { AccountCommand } from "./account.commands.ts";
import { account, chargeLimits } from "./account.decider.ts";
import type { AccountEvent } from "./account.events.ts";
import {
  at,
  charge,
  charged,
  credit,
  credited,
  grant,
  invoiceData,
  opened,
  refund,
  refunded,
} from "./account.fixture.ts";
import { adjust, reverse } from "./adjust-balance.fixture.ts";
import { apiKeyIssued, issueApiKey } from "./api-keys.fixture.ts";
import { payOutToBank } from "./pay-out.fixture.ts";
import { changeProfile } from "./profile.fixture.ts";
import { serverRefund, serverRefunded } from "./server-charges.fixture.ts";

const spec = deciderSpec(account);
const later = "2026-04-01T00:00:00.000000Z";
const chargeRefundedData = {
  chargeId: "serverrenewal-1",
  correctionId: 103,
  grossCents: "1190",
  balanceAfterCents: "11190",
  reason: "again",
  refundedAt: at,
};
const keyHash = "ab".repeat(32);
const erase: AccountCommand = { type: "ErasePersonalData", data: { because: "asked", at } };
const noExemption: AccountCommand = { type: "SetVatExemption", data: { vatExempt: false, at } };
const keyIssued = apiKeyIssued();
const keyRevoked: AccountEvent = { type: "ApiKeyRevoked", data: { keyId: 5, keyHash, revokedAt: at } };

/** Every command and its result on an open account with 100.00. The type demands a row for each new command. */
const everyCommand: Readonly<
  Record<AccountCommand["type"], { command: AccountCommand; whenOpen: "facts" | "nothing" | "rejected" }>
> = {
  OpenAccount: {
    command: { type: "OpenAccount", data: { accountId: 7, name: "Ada", vatExempt: false, at } },
    whenOpen: "rejected",
  },
  ErasePersonalData: { command: erase, whenOpen: "facts" },
  ChangeProfile: { command: changeProfile({ name: "Ada" }), whenOpen: "facts" },
  RecordVatIdCheck: {
    command: {
      type: "RecordVatIdCheck",
      data: { vatId: "NL004495445B01", outcome: "valid", consultationNumber: "", at },
    },
    whenOpen: "nothing",
  },
  RecordDebtReminder: {
    command: { type: "RecordDebtReminder", data: { debtSince: at, afterDays: 3, at: later } },
    whenOpen: "nothing",
  },
  SetVatExemption: { command: noExemption, whenOpen: "nothing" },
  BeginDocumentSeries: {
    command: { type: "BeginDocumentSeries", data: { series: 1, at } },
    whenOpen: "facts",
  },
  CreditBalance: { command: credit({ reference: "bank-2" }), whenOpen: "facts" },
  AdjustBalance: { command: adjust(), whenOpen: "facts" },
  PayOut: { command: payOutToBank(), whenOpen: "facts" },
  GivePaidOutBack: {
    command: { type: "GivePaidOutBack", data: { reference: "k3x7m2-P1", reason: "AC04", at } },
    whenOpen: "rejected",
  },
  ReverseTopUp: { command: reverse(), whenOpen: "facts" },
  ChargeBalance: { command: charge(), whenOpen: "facts" },
  RefundRegistration: { command: refund(), whenOpen: "rejected" },
  RefundCharge: { command: serverRefund(), whenOpen: "rejected" },
  GrantRefund: { command: grant(), whenOpen: "rejected" },
  IssueApiKey: { command: issueApiKey(), whenOpen: "facts" },
  RevokeApiKey: { command: { type: "RevokeApiKey", data: { keyId: 5, at } }, whenOpen: "rejected" },
};

describe("every command on an account in every state", () => {
  test.each(Object.values(everyCommand))("$command.type on an account that does not exist", ({ command }) => {
    const when = spec.given().when(command);
    if (command.type === "OpenAccount") when.then(opened());
    else when.thenRejected("account-not-open");
  });

  test.each(Object.values(everyCommand))(
    "$command.type on an open account: $whenOpen",
    ({ command, whenOpen }) => {
      const decision = account.decide(
        command,
        [opened(), ...credited()].reduce(account.evolve, account.initialState),
      );
      const answer = decision.accepted ? (decision.events.length === 0 ? "nothing" : "facts") : "rejected";
      expect(answer).toBe(whenOpen);
    },
  );
});

describe("opening an account", () => {
  it("begins with a balance of zero", () => {
    expect(account.evolve(account.initialState, opened())).toMatchObject({
      status: "open",
      balanceCents: 0n,
    });
  });

  it("is refused for an existing account", () => {
    spec.given(opened()).when(everyCommand.OpenAccount.command).thenRejected("account-already-open");
  });
});

describe("the VAT exemption", () => {
  it("is set once", () => {
    const command: AccountCommand = { type: "SetVatExemption", data: { vatExempt: true, at: later } };
    const changed: AccountEvent = {
      type: "VatExemptionChanged",
      data: { vatExempt: true, changedAt: later },
    };
    spec.given(opened()).when(command).then(changed);
    spec.given(opened(), changed).when(command).thenNothing();
  });

  it("leaves the net price as the gross price", () => {
    spec
      .given(opened({ vatExempt: true }), ...credited())
      .when(charge())
      .then(...charged("9000", { vatRatePercent: 0, vatCents: "0", grossCents: "1000" }));
  });

  it("does not change an existing charge, whose repetition changes nothing", () => {
    const lifted: AccountEvent = { type: "VatExemptionChanged", data: { vatExempt: true, changedAt: later } };
    spec
      .given(opened(), ...credited(), ...charged(), lifted)
      .when(charge())
      .thenNothing();
  });
});

describe("a payment", () => {
  it("is credited with its receipt", () => {
    spec
      .given(opened())
      .when(credit())
      .then(...credited());
  });

  it("is credited once for one reference", () => {
    spec
      .given(opened(), ...credited())
      .when(credit({ invoiceId: 999, at: later }))
      .thenNothing();
  });

  it("is refused when its reference was credited with another amount", () => {
    spec
      .given(opened(), ...credited())
      .when(credit({ amountCents: 10_001n }))
      .thenRejected("reference-conflict");
  });

  it.each([0n, -1n, maximumCents + 1n])("of %s cents is refused as out of range", (amountCents) => {
    spec
      .given(opened())
      .when(credit({ amountCents }))
      .thenRejected("validation-failed", {
        fieldErrors: { amount: ["must be above zero, and the balance at most one billion euros"] },
      });
  });

  it("may lift the balance to one billion euros and not above", () => {
    const amount = String(maximumCents);
    const full = credited({ amount, balance: amount });
    spec
      .given(opened())
      .when(credit({ amountCents: maximumCents }))
      .then(...full);
    spec
      .given(opened(), ...full)
      .when(credit({ reference: "bank-2", amountCents: 1n }))
      .thenRejected("validation-failed");
  });
});

describe("a charge", () => {
  it("charges the gross price and issues its invoice in the same decision", () => {
    spec
      .given(opened(), ...credited())
      .when(charge())
      .then(...charged());
  });

  it("may use the last cent", () => {
    spec
      .given(opened(), ...credited({ amount: "1190", balance: "1190" }))
      .when(charge())
      .then(...charged("0"));
  });

  it("is refused one cent short, with the figures", () => {
    spec
      .given(opened(), ...credited({ amount: "1189", balance: "1189" }))
      .when(charge())
      .thenRejected("insufficient-balance", { requiredCents: 1_190n, availableCents: 1_189n });
  });

  it("changes nothing when it is repeated, even if the balance no longer covers it", () => {
    const history = [opened(), ...credited({ amount: "1190", balance: "1190" }), ...charged("0")];
    spec
      .given(...history)
      .when(charge({ invoiceId: 999, at: later }))
      .thenNothing();
  });

  it("is refused if its id was used for another amount", () => {
    const lines = [
      { description: "Registration of example.com, per year", quantity: 2, unitNetCents: 1_000n },
    ];
    spec
      .given(opened(), ...credited(), ...charged())
      .when(charge({ lines }))
      .thenRejected("charge-conflict");
  });

  it("is not made again after its refund", () => {
    spec
      .given(opened(), ...credited(), ...charged(), ...refunded())
      .when(charge())
      .thenNothing();
  });

  // 19 % of 50 cents is 9.5, of 150 it is 28.5: halves are rounded up. 19 % of 49 is 9.31, of 51 it is 9.69.
  it.each([
    { net: 49n, vat: "9" },
    { net: 50n, vat: "10" },
    { net: 51n, vat: "10" },
    { net: 150n, vat: "29" },
  ])("rounds the VAT of $net cents to $vat", ({ net, vat }) => {
    const lines = [{ description: "x", quantity: 1, unitNetCents: net }];
    const gross = String(net + BigInt(vat));
    const events = charged(String(10_000n - BigInt(gross)), {
      lines: [{ description: "x", quantity: 1, unitCents: String(net), amountCents: String(net) }],
      netCents: String(net),
      vatCents: vat,
      grossCents: gross,
    });
    spec
      .given(opened(), ...credited())
      .when(charge({ lines }))
      .then(...events);
  });

  it("rounds once, on the total: three lines of 50 cents bear 29 cents, not three times 10", () => {
    const line = { description: "x", quantity: 1, unitNetCents: 50n };
    const decision = account.decide(charge({ lines: [line, line, line] }), fold(opened(), ...credited()));
    expect(decision).toMatchObject({
      events: [{ data: { grossCents: "179" } }, { data: { vatCents: "29" } }],
    });
  });

  it("of zero is made with an invoice over 0.00", () => {
    const lines = [{ description: "Gift", quantity: 1, unitNetCents: 0n }];
    const decision = account.decide(charge({ lines }), fold(opened()));
    expect(decision).toMatchObject({
      events: [{ type: "BalanceCharged" }, { type: "InvoiceIssued", data: { grossCents: "0" } }],
    });
  });

  const line = { description: "x", quantity: 1, unitNetCents: 1n };
  it.each([
    { what: "no line", lines: [] },
    { what: "too many lines", lines: Array.from({ length: chargeLimits.lines + 1 }, () => line) },
    { what: "half a piece", lines: [{ ...line, quantity: 0.5 }] },
    { what: "no piece", lines: [{ ...line, quantity: 0 }] },
    { what: "no number of pieces", lines: [{ ...line, quantity: Number.NaN }] },
    { what: "too many pieces", lines: [{ ...line, quantity: chargeLimits.quantity + 1 }] },
    { what: "a price out of range", lines: [{ ...line, unitNetCents: maximumCents + 1n }] },
    { what: "a sum below zero", lines: [{ ...line, unitNetCents: -1n }] },
  ])("with $what is refused", ({ lines }) => {
    spec
      .given(opened(), ...credited())
      .when(charge({ lines }))
      .thenRejected("validation-failed");
  });
});

describe("a refund", () => {
  it("is refused for a payment", () => {
    spec
      .given(opened(), ...credited())
      .when(refund({ chargeId: "bank-1" }))
      .thenRejected("charge-not-found");
  });

  it("returns the invoice's amount, not the charge's present price", () => {
    const exempt: AccountEvent = { type: "VatExemptionChanged", data: { vatExempt: true, changedAt: later } };
    spec
      .given(opened(), ...credited(), ...charged(), exempt)
      .when(refund())
      .then(...refunded());
  });
});

describe("document numbers", () => {
  it("count each series on its own, in the year of issue", () => {
    const commands = [
      credit(),
      charge(),
      refund(),
      charge({ chargeId: "registration-2", invoiceId: 103, at: "2027-01-01T00:00:00.000000Z" }),
      credit({ reference: "bank-2", invoiceId: 104 }),
      refund({ chargeId: "registration-2", correctionId: 105 }),
      charge({ chargeId: "registration-3", invoiceId: 106 }),
    ];
    const numbers: string[] = [];
    let state = fold(opened());
    for (const command of commands) {
      const decision = account.decide(command, state);
      if (!decision.accepted) throw new Error(decision.rejection.code);
      for (const event of decision.events) if ("number" in event.data) numbers.push(event.data.number);
      state = decision.events.reduce(account.evolve, state);
    }
    expect(numbers).toEqual([
      "2026-7-T000001",
      "2026-7-000001",
      "2026-7-C000001",
      // The clock went back over New Year: no document is dated before the account's last one.
      "2027-7-000002",
      "2027-7-T000002",
      "2027-7-C000002",
      "2027-7-000003",
    ]);
  });
});

describe("API keys", () => {
  const revoke: AccountCommand = { type: "RevokeApiKey", data: { keyId: 5, at } };

  it("are issued once", () => {
    spec.given(opened()).when(issueApiKey()).then(keyIssued);
    spec.given(opened(), keyIssued).when(issueApiKey()).thenNothing();
  });

  it("are revoked once, and stay revoked", () => {
    spec.given(opened(), keyIssued).when(revoke).then(keyRevoked);
    spec.given(opened(), keyIssued, keyRevoked).when(revoke).thenNothing();
    spec.given(opened(), keyIssued, keyRevoked).when(issueApiKey()).thenNothing();
  });

  it("that are not the account's cannot be revoked", () => {
    spec.given(opened()).when(revoke).thenRejected("api-key-not-found");
  });
});

describe("a corrupt stream", () => {
  it.each<{ what: string; events: readonly AccountEvent[] }>([
    { what: "a second opening", events: [opened(), opened()] },
    { what: "a payment before the opening", events: credited() },
    { what: "a balance below zero", events: [opened(), ...charged()] },
    { what: "a refund without its charge", events: [opened(), ...refunded()] },
    { what: "a refund of a server without its charge", events: [opened(), ...serverRefunded()] },
    {
      what: "a charge refunded under both names",
      events: [
        opened(),
        ...credited(),
        ...charged(),
        ...refunded(),
        { type: "ChargeRefunded", data: { ...chargeRefundedData, chargeId: "registration-1" } },
      ],
    },
    {
      what: "a second refund",
      events: [opened(), ...credited(), ...charged(), ...refunded(), ...refunded()],
    },
    {
      what: "a second invoice of one charge",
      events: [opened(), ...credited(), ...charged(), { type: "InvoiceIssued", data: invoiceData }],
    },
    {
      what: "a balance that does not add up",
      events: [opened(), ...credited({ amount: "10000", balance: "10001" })],
    },
    { what: "a revoked key that was never issued", events: [opened(), keyRevoked] },
  ])('$what throws "corrupt stream"', ({ events }) => {
    expect(() => fold(...events)).toThrow(CorruptStreamError);
  });
});

function fold(...events: readonly AccountEvent[]): ReturnType<typeof account.evolve> {
  return events.reduce(account.evolve, account.initialState);
}
