import { createHash } from "node:crypto";

import { randomIds } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { apiKeyRandomBytes, createApiKey, hashApiKey, isWellFormedApiKey } from "./api-key.ts";

const random = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const key = createApiKey(random);

describe("an API key", () => {
  it("is recognisable, and ends in the CRC-32 of its random part", () => {
    expect(key.secret).toBe(`hlk_${random}ad316f1e`);
    expect(key.prefix).toBe("hlk_AAAAAA");
  });

  it("is kept as its SHA-256 only", () => {
    expect(key.hash).toBe(createHash("sha256").update(key.secret).digest("hex"));
    expect(hashApiKey(key.secret)).toBe(key.hash);
    expect(key.hash).not.toContain(random);
  });

  it("is well formed whatever its random part is", () => {
    for (let count = 0; count < 100; count += 1) {
      const { secret, prefix } = createApiKey(randomIds.secret(apiKeyRandomBytes));
      expect(secret).toHaveLength(44);
      expect(isWellFormedApiKey(secret)).toBe(true);
      expect(prefix).toHaveLength(10);
    }
  });

  it("has a checksum of eight digits, also where it begins with zeros", () => {
    const checksums = Array.from({ length: 2_000 }, (_, index) =>
      createApiKey(String(index).padStart(32, "x")).secret.slice(-8),
    );
    expect(checksums.some((checksum) => checksum.startsWith("0"))).toBe(true);
    expect(checksums.every((checksum) => /^[0-9a-f]{8}$/.test(checksum))).toBe(true);
  });
});

describe("a text that is no key", () => {
  it.each([
    ["is empty", ""],
    ["has another beginning", key.secret.replace("hlk_", "hlq_")],
    ["lacks a character", key.secret.slice(0, -1)],
    ["has one too many", `${key.secret}0`],
    ["has a space around it", ` ${key.secret}`],
    ["has a line break at its end", `${key.secret}\n`],
    ["has a character that no key has", key.secret.replace("AAAA", "AA+A")],
    ["has its checksum in upper case", `hlk_${random}${key.secret.slice(-8).toUpperCase()}`],
  ])("%s", (_, text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });

  it("differs from a key in one character, anywhere", () => {
    for (let place = 4; place < key.secret.length; place += 1) {
      const typed = key.secret[place] === "b" ? "c" : "b";
      const mistyped = key.secret.slice(0, place) + typed + key.secret.slice(place + 1);
      expect(isWellFormedApiKey(mistyped)).toBe(false);
    }
  });
});
