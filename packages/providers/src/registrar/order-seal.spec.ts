import { randomUUID } from "node:crypto";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { OrderSeal } from "./order-seal.ts";

const seal = new OrderSeal("a secret of every process");

describe("the code of a name", () => {
  it("tells the order that created it, in every process, to nobody else", () => {
    const order = randomUUID();
    const code = seal.seal("a.com", order);
    expect(code).toMatch(/^[\w-]{32}$/);
    expect(new OrderSeal("a secret of every process").open("a.com", code)).toBe(order);
    expect(new OrderSeal("another").open("a.com", code)).toBeUndefined();
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

  it.each(["", "let-me-go", "A".repeat(32), "ä".repeat(32), `${seal.seal("a.com", "order-1")}=`])(
    "that somebody else made tells nothing: %j",
    (code) => {
      expect(seal.open("a.com", code)).toBeUndefined();
    },
  );

  it("that was changed tells nothing", () => {
    const code = seal.seal("a.com", randomUUID());
    const changed = code.slice(0, -2) + (code.endsWith("AA") ? "BB" : "AA");
    expect(seal.open("a.com", changed)).toBeUndefined();
  });
});
