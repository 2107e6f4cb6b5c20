import { describe, expect, it } from "vitest";

import {
  placeholderSeller,
  seller,
  type SellerCommand,
  type SellerFields,
  type SellerState,
} from "./seller.decider.ts";

const at = "2026-11-29T09:00:00.000000Z";

const { version: _version, ...placeholder } = placeholderSeller;
const ours: SellerFields = {
  ...placeholder,
  name: "Hosting GmbH",
  street: "Hauptstraße 1",
  postalCode: "10115",
  city: "Berlin",
  vatId: "DE123456788",
};

const propose = (fields: Partial<SellerFields> = {}): SellerCommand => ({
  type: "ProposeSeller",
  data: { seller: { ...ours, ...fields }, at },
});
const change = (changes: Partial<SellerFields>, mode: "flat" | "eu" = "flat"): SellerCommand => ({
  type: "ChangeSeller",
  data: { changes, mode, reason: "moved", at },
});

function after(...commands: readonly SellerCommand[]): SellerState {
  return commands.reduce((state, command) => {
    const decision = seller.decide(command, state);
    if (!decision.accepted) throw new Error(JSON.stringify(decision.rejection));
    return decision.events.reduce(seller.evolve, state);
  }, seller.initialState);
}

describe("the seller", () => {
  it("is a placeholder until one is set", () => {
    expect(seller.initialState.seller).toMatchObject({ version: 0, name: "Example Hosting (placeholder)" });
  });

  it("comes first from the settings; later settings change nothing", () => {
    const state = after(propose(), propose({ name: "Other GmbH" }));
    expect(state.seller).toMatchObject({ version: 1, name: "Hosting GmbH", timeZone: "Europe/Berlin" });
  });

  it("has a new version with each change by staff", () => {
    expect(after(propose(), change({ city: "Potsdam" })).seller).toMatchObject({
      version: 2,
      name: "Hosting GmbH",
      city: "Potsdam",
    });
  });

  it("keeps its version if nothing changes", () => {
    expect(after(propose(), change({ city: "Berlin" })).seller.version).toBe(1);
  });

  it("may have a tax number and no VAT id", () => {
    expect(after(propose({ vatId: "", taxNumber: "21/815/08150" })).seller).toMatchObject({ version: 1 });
  });

  it.each([
    ["name", { name: " " }],
    ["country", { country: "Germany" }],
    ["vatId", { vatId: "DE123456789" }],
    ["vatId", { vatId: "NL004495445B01" }],
    ["vatId", { vatId: "", taxNumber: "" }],
    ["timeZone", { timeZone: "Mars/Olympus" }],
    ["street", { street: "x".repeat(201) }],
    ["city", { city: "Ber\nlin" }],
  ] as const)("is refused with a wrong %s", (field, changes) => {
    expect(seller.decide(change(changes), after(propose()))).toMatchObject({
      accepted: false,
      rejection: { code: "validation-failed", detail: expect.anything() },
    });
    expect(JSON.stringify(seller.decide(change(changes), after(propose())))).toContain(`"${field}"`);
  });

  it("stays in the Union under the Union's rules, and may be anywhere under the flat rule", () => {
    const abroad = { country: "CH", vatId: "", taxNumber: "CHE-123" };
    expect(seller.decide(change(abroad, "eu"), after(propose()))).toMatchObject({
      accepted: false,
      rejection: { detail: { fieldErrors: { country: [expect.stringContaining("HOSTLEDGER_TAX=eu")] } } },
    });
    expect(after(propose(), change(abroad)).seller.country).toBe("CH");
  });

  it("takes part in the One Stop Shop from a day on, until staff end that", () => {
    const oss = (from: string | null): SellerCommand => ({
      type: "SetOssRegistration",
      data: { from, reason: "registered", at },
    });
    expect(after(propose(), oss("2027-01-01")).ossFrom).toBe("2027-01-01");
    expect(after(propose(), oss("2027-01-01"), oss(null)).ossFrom).toBeNull();
    expect(seller.decide(oss("2027-02-30"), after(propose()))).toMatchObject({ accepted: false });
  });
});
