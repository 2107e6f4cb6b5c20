import { describe, expect, it } from "vitest";

import { chargeOf } from "./charge-row.codec.ts";
import type { Charge } from "./charge.ts";
import { Charges } from "./charges.ts";

function aCharge(chargeId: string, invoiceId = 1): Charge {
  return {
    chargeId,
    invoiceId,
    invoiceNumber: `2026-7-${String(invoiceId).padStart(6, "0")}`,
    action: "purchase",
    pricesIncludeVat: false,
    netCents: 1_000n,
    askedCents: 1_000n,
    tax: null,
    supply: null,
    sold: null,
    vatRateBasisPoints: 1_900n,
    vatCents: 190n,
    grossCents: 1_190n,
    duration: 1,
    domainId: invoiceId,
    serverId: null,
    planId: null,
    refundedBy: undefined,
    refunds: [],
  };
}

/** Enough charges for large and small packs, with some charges in no pack yet. */
const many = 40_000;
const idOf = (number: number): string => `registration-${String(number)}`;

function filled(count: number): Charges {
  let charges = Charges.none;
  for (let number = 1; number <= count; number += 1) charges = charges.add(aCharge(idOf(number), number));
  return charges;
}

const byId = (charges: Charges): ReadonlyMap<string, Charge> =>
  new Map([...charges.rows()].map((row) => [row[0], chargeOf(row)]));

describe("the charges of an account", () => {
  const charges = filled(many);

  it("are all present and unchanged, however many there are", () => {
    expect(charges.size).toBe(many);
    expect([...charges.rows()]).toHaveLength(many);
    for (let number = 1; number <= many; number += 1) {
      if (!charges.has(idOf(number))) throw new Error(`${idOf(number)} is missing`);
      if (number % 97 === 0) expect(charges.get(idOf(number))).toStrictEqual(aCharge(idOf(number), number));
    }
  });

  it("contain no others", () => {
    for (const other of ["registration-0", `registration-${String(many + 1)}`, "", "registration-"]) {
      expect(charges.has(other)).toBe(false);
      expect(charges.get(other)).toBeUndefined();
    }
  });

  it("take 200 characters and two numbers each, except the latest thousand", () => {
    const packed = charges.packs.reduce((sum, { starts }) => sum + starts.length, 0);
    const characters = charges.packs.reduce((sum, { text }) => sum + text.length, 0);
    expect(many - packed).toBeLessThan(1_024);
    expect(characters).toBeLessThan(200 * packed);
    expect(charges.packs.length).toBeLessThan(2 + 3 + 4);
  });

  it("do not change when a copy with more charges is made", () => {
    const more = filled(2_000).add(aCharge("registration-new", 9));
    expect(more.get("registration-new")).toBeDefined();
    expect(filled(2_000).has("registration-new")).toBe(false);
    expect(more.size).toBe(2_001);
  });

  it("contain a replacement once, in whichever pack it and the original are", () => {
    const refunds = [{ correctionId: 5, grossCents: 90n, reason: "übrig\n“zu viel”" }];
    let changed = charges;
    const changedIds = [1, 2, 500, 1_024, 1_025, 17_000, 39_999].map(idOf);
    // Replaces each charge twice. Between the replacements, enough charges are added to merge packs.
    for (const correction of [1, 2]) {
      for (const id of changedIds) {
        const before = changed.get(id);
        if (before === undefined) throw new Error(`${id} is missing`);
        changed = changed.replace({ ...before, refundedBy: correction, refunds });
      }
      for (let number = 1; number <= 17_000; number += 1)
        changed = changed.add(aCharge(`serverrenewal-${String(correction)}-${String(number)}`));
    }
    expect(changed.size).toBe(many + 34_000);
    expect([...changed.rows()]).toHaveLength(changed.size);
    const all = byId(changed);
    expect(all.size).toBe(changed.size);
    for (const id of changedIds) {
      expect(changed.get(id)).toMatchObject({ chargeId: id, refundedBy: 2, refunds });
      expect(all.get(id)).toMatchObject({ refundedBy: 2, refunds });
    }
    expect(charges.get(idOf(1))).toStrictEqual(aCharge(idOf(1), 1));
  });

  it("are found by their invoices", () => {
    for (const number of [1, 17, 1_024, 39_000, many]) {
      expect(charges.ofInvoice(number)).toStrictEqual(aCharge(idOf(number), number));
      expect(charges.ofInvoice(`2026-7-${String(number).padStart(6, "0")}`)?.chargeId).toBe(idOf(number));
    }
    for (const none of [0, many + 1, "2026-7-0000017", "17", idOf(17), ""])
      expect(charges.ofInvoice(none)).toBeUndefined();
  });

  it("survive a conversion to rows and back", () => {
    let read = Charges.none;
    const rows = [...charges.rows()];
    for (let from = 0; from < rows.length; from += 1_000) read = read.addRows(rows.slice(from, from + 1_000));
    expect(read.size).toBe(many);
    expect(byId(read)).toStrictEqual(byId(charges));
    expect(read.add(aCharge("registration-new")).get(idOf(1))).toStrictEqual(aCharge(idOf(1), 1));
  });
});

it("distinguish two charges whose ids have one hash", () => {
  const [one, other] = ["registration-13e3f5cd", "registration-7e848110"];
  let charges = filled(500).add(aCharge(one, 71)).add(aCharge(other, 72));
  for (let number = 501; number <= 1_100; number += 1) charges = charges.add(aCharge(idOf(number), number));
  expect(charges.recent.has(one)).toBe(false);
  expect(charges.get(one)?.invoiceId).toBe(71);
  expect(charges.get(other)?.invoiceId).toBe(72);
  const [pack] = charges.packs;
  expect(new Set(pack?.hashes).size).toBe((pack?.hashes.length ?? 0) - 1);
});
