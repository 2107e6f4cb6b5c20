import { describe, expect, it } from "vitest";

import { codeOf, createLettering } from "./lettering.ts";

/** Opens the fonts that PDFs embed. */

describe("the lettering of a PDF", () => {
  it.each([
    ["Latin", "Straße, Łódź, İzmir, ș ț, Việt Nam, ǆ, € – “”", "NotoSans"],
    ["Greek", "Αθήνα, ἀρχή", "NotoSans"],
    ["Cyrillic", "Київ, Владивосток, Ђ Ѳ", "NotoSans"],
    ["letters and combined marks", "e\u0301 a\u0328 и\u0306", "NotoSans"],
    ["Chinese, simplified and traditional", "简体繁體", "NotoSansHans"],
    ["Japanese", "株式会社やまだカメラ", "NotoSansHans"],
    ["Korean", "주식회사한국", "NotoSansKR"],
  ])("sets %s whole, in one font", (_, text, font) => {
    const letters = createLettering();
    expect(letters.set(text)).toEqual([{ text, font }]);
    expect(letters.missing()).toEqual([]);
  });

  it("changes the font within a text", () => {
    expect(createLettering().set("Ada 山田 GmbH")).toEqual([
      { text: "Ada ", font: "NotoSans" },
      { text: "山田", font: "NotoSansHans" },
      { text: " GmbH", font: "NotoSans" },
    ]);
  });

  it("reports each character that no font has, once, and never leaves a blank for it", () => {
    const letters = createLettering();
    expect(letters.set("a 😀 ا b 😀")).toEqual([{ text: "a \uFFFD \uFFFD b \uFFFD", font: "NotoSans" }]);
    expect(letters.set("שלום")).toEqual([{ text: "\uFFFD\uFFFD\uFFFD\uFFFD", font: "NotoSans" }]);
    expect(letters.missing().map(codeOf)).toEqual([
      "U+05D5",
      "U+05DC",
      "U+05DD",
      "U+05E9",
      "U+0627",
      "U+1F600",
    ]);
  });

  it("leaves out invisible characters, such as a variation selector, without a report", () => {
    const letters = createLettering();
    expect(
      letters
        .set("1\uFE0F 葛\u{E0100} a\u00ADb")
        .map(({ text }) => text)
        .join(""),
    ).toBe("1 葛 a\u00ADb");
    expect(letters.missing()).toEqual([]);
  });

  it("sets nothing of nothing", () => {
    expect(createLettering().set("")).toEqual([]);
  });
});
