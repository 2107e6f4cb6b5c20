import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  accountReference,
  creditorReference,
  isCreditorReference,
  namedByReference,
  referencesIn,
  topUpTransferReference,
} from "./creditor-reference.ts";
import { epcQr } from "./epc-qr.ts";
import { parseIban } from "./iban.ts";

const body = fc.stringMatching(/^[A-Z0-9]{1,21}$/);

describe("a creditor reference (ISO 11649)", () => {
  // Published examples: the standard's, and that of the Finnish and Belgian guides.
  it.each(["RF18539007547034", "RF712348231", "RF45G72UUR"])("is recognised: %s", (reference) => {
    expect(isCreditorReference(reference)).toBe(true);
    expect(creditorReference(reference.slice(4))).toBe(reference);
  });

  it.each(["RF19539007547034", "RF18", "RF18539007547034X", "rf18539007547034", "DE18539007547034", ""])(
    "is refused: %j",
    (reference) => {
      expect(isCreditorReference(reference)).toBe(false);
    },
  );

  it("is recognised after it was made, and refused with any other digit in its place", () => {
    fc.assert(
      fc.property(body, fc.nat(), fc.integer({ min: 1, max: 9 }), (text, place, by) => {
        const reference = creditorReference(text);
        expect(isCreditorReference(reference)).toBe(true);
        const at = 2 + (place % (reference.length - 2));
        const digit = reference.charAt(at);
        if (!/\d/.test(digit)) return;
        const wrong = `${reference.slice(0, at)}${String((Number(digit) + by) % 10)}${reference.slice(at + 1)}`;
        expect(isCreditorReference(wrong)).toBe(false);
      }),
    );
  });

  it("of an account names the account", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), (accountId) => {
        expect(namedByReference(accountReference(accountId))).toEqual({ accountId, paymentId: undefined });
      }),
    );
    expect(namedByReference("RF18539007547034")).toBeUndefined();
  });

  it("of a top-up names the account and the top-up, and no other account", () => {
    const number = fc.integer({ min: 1, max: 999_999_999 });
    fc.assert(
      fc.property(number, number, (accountId, paymentId) => {
        const reference = topUpTransferReference(accountId, paymentId);
        expect(namedByReference(reference)).toEqual({ accountId, paymentId });
        expect(referencesIn(`Top-up ${reference}, thanks`)).toEqual([reference]);
        expect(referencesIn(reference.replaceAll(/(.{4})/g, "$1 "))).toContain(reference);
      }),
    );
  });
});

describe("references in what a payer typed", () => {
  const [seven, twelve] = [accountReference(7), accountReference(12)];
  it.each([
    ["alone", seven, [seven]],
    [
      "in groups of four and lower case",
      `top-up ${seven.slice(0, 4)} ${seven.slice(4)}`.toLowerCase(),
      [seven],
    ],
    ["before other words", `${twelve}, thank you`, [twelve]],
    ["two of them", `${seven} ${twelve}`, [seven, twelve]],
    ["of a top-up", `Top-up ${topUpTransferReference(71, 3)}.`, [topUpTransferReference(71, 3)]],
    ["with a wrong check digit", "RF00A7", []],
    ["none", "Invoice 2026-7-000001, perfect", []],
  ])("are found: %s", (_what, text, found) => {
    expect(referencesIn(text)).toEqual(found);
  });
});

it("a GiroCode has the lines of EPC069-12, version 002", () => {
  const details = { name: "Hosting GmbH", iban: "DE89370400440532013000", reference: "RF712348231" };
  expect(epcQr({ ...details, amountCents: 1_230n })).toBe(
    "BCD\n002\n1\nSCT\n\nHosting GmbH\nDE89370400440532013000\nEUR12.30\n\nRF712348231",
  );
  expect(epcQr({ ...details, name: "x".repeat(90) })).toContain(
    `\n${"x".repeat(70)}\nDE89370400440532013000\n\n`,
  );
});

it("an IBAN is read without spaces, and refused with a wrong check digit or form", () => {
  expect(parseIban("de89 3704 0044 0532 0130 00")).toEqual({ ok: true, value: "DE89370400440532013000" });
  for (const wrong of ["DE88370400440532013000", "DE8937040044053201300", "XX89370400440532013000", ""])
    expect(parseIban(wrong)).toMatchObject({ ok: false });
});
