import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { anyText } from "../testing/any-text.ts";
import { asLine, parseId, parseLine, parseName } from "./values.ts";

describe("an id", () => {
  it.each([1n, BigInt(Number.MAX_SAFE_INTEGER)])("%s is taken", (id) => {
    expect(parseId(id)).toEqual({ ok: true, value: Number(id) });
  });

  it.each([0n, -1n, BigInt(Number.MAX_SAFE_INTEGER) + 1n, 2n ** 63n - 1n])("%s is refused", (id) => {
    expect(parseId(id).ok).toBe(false);
  });
});

describe("a line of text", () => {
  it.each([
    ["Ada", "Ada"],
    ["  Ada Lovelace\n", "Ada Lovelace"],
    ["Jürgen 🦊", "Jürgen 🦊"],
    ["a".repeat(10), "a".repeat(10)],
    ["🦊".repeat(15), "🦊".repeat(15)],
  ])("%j is taken as %j", (text, line) => {
    expect(parseLine(text, 10 + 5)).toEqual({ ok: true, value: line });
  });

  it.each([
    "",
    "   ",
    "a".repeat(16),
    "🦊".repeat(16),
    "a\nb",
    "a\0b",
    "a\u007fb",
    "\ud800",
    "a\udc00",
    "a\u2028b",
  ])("%j is refused", (text) => {
    expect(parseLine(text, 15).ok).toBe(false);
  });
});

describe("a name", () => {
  it.each(["Ada", "Jürgen 🦊", "ישראל ישראלי", "👩‍💻"])("may be %j", (name) => {
    expect(parseName(` ${name} `, 20)).toEqual({ ok: true, value: name });
  });

  it.each(["\u061c", "\u200e", "\u200f", "\u202a", "\u202c", "\u202e", "\u2066", "\u2069"])(
    "may not contain %j, which changes the direction of surrounding text",
    (mark) => {
      const error = expect.stringMatching(
        /^must hold no marks that turn the direction of text: remove U\+[0-9A-F]{4}$/,
      );
      expect(parseName(`ac${mark}me`, 20)).toEqual({ ok: false, error });
      expect(parseLine(`ac${mark}me`, 20).ok).toBe(true);
    },
  );

  it.each([
    ["\u200b", "U+200B"],
    ["\u200c", "U+200C"],
    ["\u200d", "U+200D"],
    ["\u2060", "U+2060"],
    ["\ufeff", "U+FEFF"],
    ["\u00ad", "U+00AD"],
    ["\u2800", "U+2800"],
    ["\u3164", "U+3164"],
    ["\ufe0f", "U+FE0F"],
    ["\ufff9", "U+FFF9"],
    ["\u{e0041}", "U+E0041"],
    ["\u{e0100}", "U+E0100"],
  ])("may not contain %j, which is invisible", (character, codePoint) => {
    const error = `must hold no invisible characters: remove ${codePoint}`;
    expect(parseName(`ac${character}me`, 20)).toEqual({ ok: false, error });
  });

  it.each([
    ["an emoji", "a \u2764\ufe0f shop"],
    ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"],
    ["a form of an ideograph", "\u845b\u{e0100}"],
  ])("may hold %s", (_, name) => {
    expect(parseName(name, 20)).toEqual({ ok: true, value: name });
  });

  it("may not have variation selectors behind an emoji", () => {
    expect(parseName("\u2764\ufe0f\ufe01\ufe02", 20).ok).toBe(false);
  });

  it("is one line", () => {
    for (const text of ["", "a\nb", "a".repeat(21)]) expect(parseName(text, 20)).toEqual(parseLine(text, 20));
  });
});

describe("a line made of any text", () => {
  it.each([
    ["Policy", "Policy"],
    [" a\r\nb ", "a b"],
    ["", "nothing"],
    ["\0\n", "nothing"],
    ["a".repeat(11), "a".repeat(10)],
    ["123456789🦊", "123456789🦊"],
    ["🦊".repeat(11), "🦊".repeat(10)],
  ])("%j becomes %j", (text, line) => {
    expect(asLine(text, 10, "nothing")).toBe(line);
  });

  test("law: the result is a line, and a line stays unchanged", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 40 }), (text) => {
        const line = asLine(text, 20, "nothing");
        expect(parseLine(line, 20)).toEqual({ ok: true, value: line });
        expect(asLine(line, 20, "nothing")).toBe(line);
      }),
    );
  });
});
