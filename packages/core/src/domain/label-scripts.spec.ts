import { domainToASCII } from "node:url";

import { describe, expect, it } from "vitest";

import { mixedScriptsOf } from "./label-scripts.ts";

const ascii = (name: string): string => domainToASCII(name);

describe("mixedScriptsOf", () => {
  it.each([
    ["example.com"],
    ["münchen.com"],
    ["яндекс.com"],
    ["яндекс-2026.com"],
    ["ελλάδα.com"],
    ["日本語テストひらabc.com"],
    ["注音ㄅㄆabc.com"],
    ["한국漢字abc.com"],
    ["नमस्ते.com"],
    ["مثال.com"],
  ])("%s is an accepted mix of scripts", (name) => {
    expect(mixedScriptsOf(ascii(name))).toBeUndefined();
  });

  it.each([
    ["pаypal.com", "pаypal", ["Cyrillic", "Latin"]],
    ["gοogle.com", "gοogle", ["Greek", "Latin"]],
    ["яνα.com", "яνα", ["Cyrillic", "Greek"]],
    ["日本д.com", "日本д", ["Cyrillic", "Han"]],
    ["ひらが한국.com", "ひらが한국", ["Hangul", "Hiragana"]],
    ["ᚠab.com", "ᚠab", ["Latin", "another"]],
    ["ᚠᚢ.com", "ᚠᚢ", ["another"]],
  ])("%s is refused", (name, shown, scripts) => {
    expect(mixedScriptsOf(ascii(name))).toEqual({ shown, scripts });
  });
});
