import { describe, expect, expectTypeOf, it } from "vitest";

import { defined } from "./defined.ts";

describe("defined", () => {
  it("leaves values, null and falsy values", () => {
    expect(defined({ a: 1, b: undefined, c: null, d: "", e: 0, f: false })).toStrictEqual({
      a: 1,
      c: null,
      d: "",
      e: 0,
      f: false,
    });
  });

  it("converts a property that may be undefined to one that may be absent", () => {
    const name: string | undefined = ["Ada"][1];
    const made = defined({ id: 7, name });
    expect(Object.keys(made)).toEqual(["id"]);
    expectTypeOf(made.id).toEqualTypeOf<number>();
    const optional: { readonly id: number; readonly name?: string } = made;
    expect("name" in optional).toBe(false);
  });
});
