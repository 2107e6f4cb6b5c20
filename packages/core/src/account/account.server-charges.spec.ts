import { describe, expect, it } from "vitest";

import type { Decision } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import type { AccountCommand, ChargeBalance } from "./account.commands.ts";
import { account } from "./account.decider.ts";
import type { AccountEvent } from "./account.events.ts";
import { charged, credited, opened, refund, refunded } from "./account.fixture.ts";
import { serverCharge, serverCharged, serverRefund, serverRefunded } from "./server-charges.fixture.ts";
import { teamChargeId } from "./team-charge.ts";

/** Servers have gross prices (contract, "Money rules"), and their refunds have a different event than registrations. */

const spec = deciderSpec(account);
const later = "2026-04-01T00:00:00.000000Z";

describe("a charge at gross prices", () => {
  const netPriced = (netCents: bigint): ChargeBalance => ({
    ...priced(netCents),
    data: { ...priced(netCents).data, pricesIncludeVat: false },
  });
  const priced = (grossCents: bigint): ChargeBalance =>
    serverCharge({ lines: [{ description: "x", quantity: 1, unitNetCents: grossCents }] });
  const decided = (command: AccountCommand): Decision<AccountEvent> =>
    account.decide(command, [opened(), ...credited()].reduce(account.evolve, account.initialState));

  it("charges the price unchanged, and its invoice shows the included VAT", () => {
    spec
      .given(opened(), ...credited())
      .when(serverCharge())
      .then(...serverCharged());
  });

  it("may use the last cent, and is refused one cent short", () => {
    const just = (amount: string): readonly AccountEvent[] => credited({ amount, balance: amount });
    spec
      .given(opened(), ...just("2847"))
      .when(serverCharge())
      .then(...serverCharged("0"));
    spec
      .given(opened(), ...just("2846"))
      .when(serverCharge())
      .thenRejected("insufficient-balance", { requiredCents: 2_847n, availableCents: 2_846n });
  });

  it("costs an exempt account the same, without VAT", () => {
    spec
      .given(opened({ vatExempt: true }), ...credited())
      .when(serverCharge())
      .then(...serverCharged("7153", { vatRatePercent: 0, vatCents: "0", netCents: "2847" }));
  });

  // 19/119 of 3 cents is 0.479, of 4 it is 0.639; of 5950 it is 950 exactly; of 9.99 EUR it is 159.504.
  it.each([
    { gross: 0n, vat: "0" },
    { gross: 1n, vat: "0" },
    { gross: 3n, vat: "0" },
    { gross: 4n, vat: "1" },
    { gross: 119n, vat: "19" },
    { gross: 999n, vat: "160" },
    { gross: 5_950n, vat: "950" },
  ])("of $gross cents contains $vat cents of VAT", ({ gross, vat }) => {
    expect(decided(priced(gross))).toMatchObject({
      events: [
        { data: { grossCents: String(gross) } },
        { data: { vatCents: vat, netCents: String(gross - BigInt(vat)), grossCents: String(gross) } },
      ],
    });
  });

  it("rounds once, on the total: three lines of 4 cents contain 2 cents, not three times 1", () => {
    const line = { description: "x", quantity: 1, unitNetCents: 4n };
    expect(decided(serverCharge({ lines: [line, line, line] }))).toMatchObject({
      events: [{ data: { grossCents: "12" } }, { data: { vatCents: "2", netCents: "10" } }],
    });
  });

  it("changes nothing when it is repeated, even if the exemption has changed", () => {
    const exempt: AccountEvent = { type: "VatExemptionChanged", data: { vatExempt: true, changedAt: later } };
    const history = [opened(), ...credited(), ...serverCharged()];
    const again = serverCharge({ invoiceId: 999, at: later });
    spec
      .given(...history)
      .when(again)
      .thenNothing();
    spec
      .given(...history, exempt)
      .when(again)
      .thenNothing();
  });

  it.each<[string, AccountCommand]>([
    ["another amount", priced(2_848n)],
    // 28.47 net is not the same price as 28.47 gross; the invoice's net amount also differs.
    ["net prices", serverCharge({ pricesIncludeVat: false })],
    ["the net amount as net prices", netPriced(2_392n)],
  ])("is refused if its id was used for %s", (_, command) => {
    spec
      .given(opened(), ...credited(), ...serverCharged())
      .when(command)
      .thenRejected("charge-conflict");
  });

  it("cannot sum below zero", () => {
    spec
      .given(opened(), ...credited())
      .when(priced(-1n))
      .thenRejected("validation-failed");
  });
});

describe.each([
  { of: "a registration's charge", events: charged(), back: refund, returned: refunded() },
  { of: "another charge", events: serverCharged(), back: serverRefund, returned: serverRefunded() },
])("a refund of $of", ({ events, back, returned }) => {
  it("returns the charge in full and issues the correction that names the invoice", () => {
    spec
      .given(opened(), ...credited(), ...events)
      .when(back())
      .then(...returned);
  });

  it("is made once", () => {
    spec
      .given(opened(), ...credited(), ...events, ...returned)
      .when(back({ correctionId: 999, reason: "again" }))
      .thenNothing();
  });

  it("is refused if the charge was never made", () => {
    spec
      .given(opened(), ...credited())
      .when(back())
      .thenRejected("charge-not-found");
  });
});

describe("a refund of another charge than a registration's", () => {
  it("does not allow the charge to be made again", () => {
    const history = [opened(), ...credited(), ...serverCharged(), ...serverRefunded()];
    spec
      .given(...history)
      .when(serverCharge())
      .thenNothing();
  });

  it("returns a domain's renewal", () => {
    const renewal = { action: "renewal", cause: "renewal-1" } as const;
    const decision = account.decide(
      serverRefund({ chargeId: "renewal-1" }),
      [opened(), ...credited(), ...charged("8810", renewal)].reduce(account.evolve, account.initialState),
    );
    expect(decision).toMatchObject({
      events: [{ type: "ChargeRefunded", data: { grossCents: "1190" } }, { data: { domainId: 3 } }],
    });
  });

  it("returns an internal team's charge for a domain, because nothing was registered for it", () => {
    const cause = teamChargeId("shop", "certificate-1");
    const decision = account.decide(
      serverRefund({ chargeId: cause }),
      [opened(), ...credited(), ...charged("8810", { cause })].reduce(account.evolve, account.initialState),
    );
    expect(decision).toMatchObject({
      events: [{ type: "ChargeRefunded", data: { grossCents: "1190" } }, { data: { domainId: 3 } }],
    });
  });

  it("refuses a registration's charge, refunded or not, with another code than 'never charged'", () => {
    const history = [opened(), ...credited(), ...charged()];
    const ofRegistration = serverRefund({ chargeId: "registration-1" });
    spec
      .given(...history)
      .when(ofRegistration)
      .thenRejected("charge-conflict");
    spec
      .given(...history, ...refunded())
      .when(ofRegistration)
      .thenRejected("charge-conflict");
  });

  it("differs from the refund of a registration", () => {
    spec
      .given(opened(), ...credited(), ...serverCharged())
      .when(refund({ chargeId: "serverrenewal-1" }))
      .thenRejected("charge-conflict");
  });
});
