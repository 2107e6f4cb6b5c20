import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

import { randomIds } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { apiKeyRandomBytes, createApiKey, hashApiKey, readApiKey } from "./api-key.ts";

const random = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const owner = { accountId: 7, keyId: 5 };
const key = createApiKey(owner, random);

describe("an API key", () => {
  it("names its account, and ends in the CRC-32 of its text", () => {
    const checksum = crc32(`7_5_${random}`).toString(16).padStart(8, "0");
    expect(key.secret).toBe(`hlk_7_5_${random}${checksum}`);
    expect(key.prefix).toBe("hlk_7_5_AAAAAA");
    expect(readApiKey(key.secret)).toEqual({ hash: key.hash, owner });
  });

  it("from before keys named their account is still valid", () => {
    const old = `hlk_${random}ad316f1e`;
    expect(readApiKey(old)).toEqual({ hash: hashApiKey(old), owner: undefined });
  });

  it("is stored as its SHA-256 only", () => {
    expect(key.hash).toBe(createHash("sha256").update(key.secret).digest("hex"));
    expect(hashApiKey(key.secret)).toBe(key.hash);
    expect(key.hash).not.toContain(random);
  });

  it("is well formed for every random part", () => {
    for (let count = 0; count < 100; count += 1) {
      const { secret, prefix } = createApiKey(owner, randomIds.secret(apiKeyRandomBytes));
      expect(secret).toHaveLength(48);
      expect(readApiKey(secret)).toMatchObject({ owner });
      expect(prefix).toHaveLength(14);
    }
  });

  it("has a checksum of eight digits, also with leading zeros", () => {
    const checksums = Array.from({ length: 2_000 }, (_, index) =>
      createApiKey(owner, String(index).padStart(32, "x")).secret.slice(-8),
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
    ["names an account of another", key.secret.replace("hlk_7_", "hlk_8_")],
    ["names no account", key.secret.replace("hlk_7_", "hlk_0_")],
    ["has its checksum in upper case", key.secret.slice(0, -8) + key.secret.slice(-8).toUpperCase()],
  ])("%s", (_, text) => {
    expect(readApiKey(text)).toBeUndefined();
  });

  it("differs from a key in one character, anywhere", () => {
    for (let place = 4; place < key.secret.length; place += 1) {
      const typed = key.secret[place] === "b" ? "c" : "b";
      const mistyped = key.secret.slice(0, place) + typed + key.secret.slice(place + 1);
      expect(readApiKey(mistyped)).toBeUndefined();
    }
  });
});
