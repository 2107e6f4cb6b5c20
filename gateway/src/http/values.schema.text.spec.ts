import { describe, expect, it } from "vitest";

import { line, prose } from "./values.schema.ts";

const flag = "\u{1F3F3}";

describe("line", () => {
  it("counts characters, not UTF-16 units", () => {
    expect(line({ maximum: 3 }).safeParse(flag.repeat(3)).success).toBe(true);
    expect(line({ maximum: 3 }).safeParse(flag.repeat(4)).success).toBe(false);
    expect(line({ minimum: 2, maximum: 3 }).safeParse(flag).success).toBe(false);
  });

  it.each(["tab\t", "line\n", "nul\u0000", "del\u007f", "c1\u0085", "lone \ud800", "\udfff alone"])(
    "refuses %j",
    (value) => {
      expect(line({ maximum: 99 }).safeParse(value).success).toBe(false);
    },
  );

  it("names the bounds, and only them for a far too long text", () => {
    const messages = (value: unknown): string[] | undefined =>
      line({ minimum: 1, maximum: 255 })
        .safeParse(value)
        .error?.issues.map(({ message }) => message);
    expect(messages("\n".repeat(9_999))).toEqual(["must be 1 to 255 characters long"]);
    expect(messages("")).toEqual(["must be 1 to 255 characters long"]);
    expect(messages(undefined)).toEqual(["is required"]);
    expect(messages(5)).toEqual(["must be a string"]);
  });
});

describe("prose", () => {
  it("accepts line ends and tabs, and no other control character", () => {
    expect(prose({ maximum: 99 }).safeParse("a\tb\r\nc").success).toBe(true);
    expect(prose({ maximum: 99 }).safeParse("a\u0007").success).toBe(false);
    expect(prose({ maximum: 99 }).safeParse("\udc00").success).toBe(false);
  });
});
