import { describe, expect, it } from "vitest";

import { parseTicketMessage, parseTicketPriority, parseTicketTitle } from "./ticket-text.ts";

describe("a title", () => {
  it("is one line of 1 to 255 characters, trimmed", () => {
    expect(parseTicketTitle("  a title ")).toEqual({ ok: true, value: "a title" });
    expect(parseTicketTitle("t".repeat(255)).ok).toBe(true);
    for (const text of ["", "  ", "t".repeat(256), "two\nlines", "nul\0", "\ud800"])
      expect([text, parseTicketTitle(text).ok]).toEqual([text, false]);
  });
});

it("counts characters as the gateway does: 128 emoji in a title pass", () => {
  expect(parseTicketTitle("🦊".repeat(128)).ok).toBe(true);
  expect(parseTicketTitle("🦊".repeat(255)).ok).toBe(true);
  expect(parseTicketTitle("🦊".repeat(256)).ok).toBe(false);
  expect(parseTicketMessage("🦊".repeat(5_000)).ok).toBe(true);
  expect(parseTicketMessage("🦊".repeat(5_001)).ok).toBe(false);
});

describe("a message", () => {
  it("has 1 to 5,000 characters as they were written, line breaks and tabs among them", () => {
    for (const text of ["m", " indented\n\ttext\r\n", "m".repeat(5_000)])
      expect(parseTicketMessage(text)).toEqual({ ok: true, value: text });
  });

  it.each(["", " \n\t", "m".repeat(5_001), "bell\u0007", "nul\0", "c1\u0085", "\ud800"])(
    "is never %j",
    (text) => {
      expect(parseTicketMessage(text).ok).toBe(false);
    },
  );
});

describe("a priority", () => {
  it("is low, normal or emergency; default: normal", () => {
    expect(["low", "normal", "emergency", ""].map((text) => parseTicketPriority(text))).toEqual(
      ["low", "normal", "emergency", "normal"].map((value) => ({ ok: true, value })),
    );
    expect(parseTicketPriority("high").ok).toBe(false);
  });
});
