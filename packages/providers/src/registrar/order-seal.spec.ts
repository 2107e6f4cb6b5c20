import { randomUUID } from "node:crypto";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { OrderSeal } from "./order-seal.ts";

const installation = { part: "k3x7m2", knowsPlainIds: true };
const seal = new OrderSeal("a secret of every process", installation);

describe("the code of a name", () => {
  it("identifies the order that created it, in every process, and to nobody else", () => {
    const order = randomUUID();
    const code = seal.seal("a.com", order);
    expect(code).toMatch(/^[\w-]{32}$/);
    expect(new OrderSeal("a secret of every process", installation).open("a.com", code)).toBe(order);
    expect(new OrderSeal("another", installation).open("a.com", code)).toBeUndefined();
  });

  it.each(["a letter: [A-Za-z]", "a digit: [0-9]", "a special character: [-_]"])(
    "has the parts that registries require, %s",
    (kind) => {
      const form = new RegExp(kind.split(": ")[1] ?? "");
      const codes = Array.from({ length: 2_000 }, (_, count) =>
        seal.seal(`a${String(count)}.com`, randomUUID()),
      );
      expect(codes.filter((code) => !form.test(code))).toEqual([]);
    },
  );

  it.each([
    ["registration", "019ab2c4-0000-7000-8000-000000000005"],
    ["registration", "1"],
    ["registration", "k3x7m2-1"],
    ["registration", "k3x7m2-019ab2c4-0000-7000-8000-000000000005"],
    ["domaintransfer", "k3x7m2-1234567"],
    ["registration", String(Number.MAX_SAFE_INTEGER)],
    ["domaintransfer", "7d7c3f0e-9f52-4c5a-8a3e-5d0f8f6a1b2c"],
    ["domaintransfer", "1234567"],
  ])("has 32 characters for every run, the maximum of registries: %s-%s", (category, id) => {
    const run = `${category}-${id}`;
    const code = seal.seal("a.com", run);
    expect(code).toMatch(/^[\w-]{32}$/);
    expect(seal.open("a.com", code)).toBe(run);
  });

  it.each([
    // Contains no special character.
    ["019ab2c4-0000-7000-8000-000000000005", "tlTz9aw1dWT8v0B2nldog97J97T0fcWB"],
    // Contain a run's whole id.
    [
      "registration-019ab2c4-0000-7000-8000-000000000005",
      "VEqNVeEsoEwglg1EueSL6I6iYRZ8k28PAvXjHD3vHBvz-AUrKKu4_ZYqJS8CZHksS45N9iDKtjSq",
    ],
    ["domaintransfer-12", "WmAMBK9IByfhzQf_6ts2Xn85FKcU4AEZAw"],
  ])("is read in its older forms: %s", (order, code) => {
    expect(seal.open("old.com", code)).toBe(order);
  });

  it("identifies nothing for another installation with the same login", () => {
    const others = [
      { part: "q8w2n5", knowsPlainIds: false },
      { part: "q8w2n5", knowsPlainIds: true },
    ].map((other) => new OrderSeal("a secret of every process", other));
    for (const operation of ["7", randomUUID(), "a-team's own id"]) {
      const order = `registration-k3x7m2-${operation}`;
      const code = seal.seal("a.com", order);
      expect(seal.open("a.com", code)).toBe(order);
      for (const other of others) expect(other.open("a.com", code)).toBeUndefined();
    }
  });

  it("without an installation's part is read only if an earlier version had orders", () => {
    const code = seal.seal("a.com", "registration-7");
    expect(seal.open("a.com", code)).toBe("registration-7");
    const fresh = new OrderSeal("a secret of every process", { part: "k3x7m2", knowsPlainIds: false });
    expect(fresh.open("a.com", code)).toBeUndefined();
  });

  it("carries every id that an order may have", () => {
    const ids = fc.string({
      minLength: 3,
      maxLength: 64,
      unit: fc.constantFrom("a", "z", "0", "9", "-", ".", "/"),
    });
    fc.assert(
      fc.property(ids, (id) => {
        expect(seal.open("a.com", seal.seal("a.com", id))).toBe(id);
      }),
    );
  });

  it("is the same for the same order, and another for another order or name", () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const codes = [seal.seal("a.com", one), seal.seal("a.com", other), seal.seal("b.com", one)];
    expect(seal.seal("a.com", one)).toBe(codes[0]);
    expect(new Set(codes).size).toBe(3);
    expect(seal.open("b.com", codes[0] ?? "")).toBeUndefined();
  });

  it.each([
    "",
    "let-me-go",
    "c2hvcnQtY29k",
    "A".repeat(32),
    "ä".repeat(32),
    `${seal.seal("a.com", "order-1")}=`,
  ])("of another origin identifies nothing: %j", (code) => {
    expect(seal.open("a.com", code)).toBeUndefined();
  });

  it("that was changed identifies nothing", () => {
    const code = seal.seal("a.com", randomUUID());
    const changed = code.slice(0, -2) + (code.endsWith("AA") ? "BB" : "AA");
    expect(seal.open("a.com", changed)).toBeUndefined();
  });
});
