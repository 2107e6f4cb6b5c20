import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { anyText } from "../testing/any-text.ts";
import { parseGiftMonths, parseHostname, parseMonths, parseSshKey, sshKeyLimit } from "./server-terms.ts";

describe("months", () => {
  it.each([1, 2, 12])("%s are taken", (months) => {
    expect(parseMonths(months)).toEqual({ ok: true, value: months });
  });

  it.each([0, -1, 13, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("%s are refused", (months) => {
    expect(parseMonths(months)).toEqual({ ok: false, error: "must be a whole number from 1 to 12" });
  });

  it("of a gift are up to ten years", () => {
    expect(parseGiftMonths(120)).toEqual({ ok: true, value: 120 });
    expect(parseGiftMonths(121)).toEqual({ ok: false, error: "must be a whole number from 1 to 120" });
    expect(parseGiftMonths(0).ok).toBe(false);
  });
});

describe("a display host name", () => {
  it.each([null, "", "a", "ab", "-", "ü!", "\u{1F600}\u{1F600}", "\0"])("%j clears it", (text) => {
    expect(parseHostname(text)).toEqual({ ok: true, value: null });
  });

  it.each(["abc", "web-1", "Web1", "web-1.example.com", "123", "a.b", "a".repeat(63), "a--b"])(
    "%j is accepted unchanged",
    (text) => {
      expect(parseHostname(text)).toEqual({ ok: true, value: text });
    },
  );

  it.each([
    ["a".repeat(64), "must be at most 63 characters long"],
    ["\u{1F600}".repeat(63), "must be labels of letters"],
    ["\u{1F600}".repeat(64), "must be at most 63 characters long"],
    ["a".repeat(100_000), "must be at most 63 characters long"],
    ["-web", "must be labels"],
    ["web-", "must be labels"],
    ["web..de", "must be labels"],
    [".web", "must be labels"],
    ["web.", "must be labels"],
    ["we b", "must be labels"],
    ["we\u202eb", "must be labels"],
    ["web_1", "must be labels"],
    ["web\n1", "must be labels"],
    ["wéb", "must be labels"],
    ["web.-a", "must be labels"],
    ["   ", "must be labels"],
    ["\u212Ahost", "must be labels"],
    ["\ud800\ud800\ud800", "must be labels"],
    ["\u{1F600}\u{1F600}\u{1F600}", "must be labels"],
  ])("%j is refused: %s", (text, reason) => {
    const error: unknown = expect.stringContaining(reason);
    expect(parseHostname(text)).toMatchObject({ ok: false, error });
  });

  test("law: any text is answered, and accepted text has RFC 1123's form", () => {
    const likely = fc.stringMatching(/^[a-zA-Z0-9.-]{1,12}$/);
    fc.assert(
      fc.property(fc.oneof(anyText(), likely), (text) => {
        const result = parseHostname(text);
        const labels =
          /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
        if (Array.from(text).length < 3) expect(result).toEqual({ ok: true, value: null });
        else expect(result.ok).toBe(labels.test(text) && text.length <= 63);
      }),
    );
  });
});

/** Returns a key in OpenSSH's form: the length of its type, its type, and some octets. */
function keyOf(type: string, octets = 51): string {
  const bytes = String.fromCharCode(0, 0, 0, type.length) + type + "\x07".repeat(octets);
  return btoa(bytes);
}

describe("a public key", () => {
  it("may be missing", () => {
    expect(parseSshKey(undefined)).toEqual({ ok: true, value: null });
  });

  it.each([
    "ssh-ed25519",
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
  ])("of the type %s is taken, with a comment or without", (type) => {
    const key = `${type} ${keyOf(type)}`;
    expect(parseSshKey(key)).toEqual({ ok: true, value: key });
    expect(parseSshKey(`  ${key} ada@example.com of 2026\n`)).toEqual({
      ok: true,
      value: `${key} ada@example.com of 2026`,
    });
  });

  it.each([
    ["", "must be 1 to 8192 characters long"],
    ["   ", "must be 1 to 8192 characters long"],
    [`ssh-rsa ${keyOf("ssh-rsa", 10_000)}`, "must be 1 to 8192 characters long"],
    [`ssh-dss ${keyOf("ssh-dss")}`, "must begin with one of ssh-ed25519"],
    [keyOf("ssh-rsa"), "must begin with one of"],
    [`command="/bin/sh" ssh-rsa ${keyOf("ssh-rsa")}`, "must begin with one of"],
    ["ssh-ed25519", "must be a public key in OpenSSH's form"],
    ["ssh-ed25519 ", "must be a public key in OpenSSH's form"],
    ["ssh-ed25519 AAAA", "must be a public key in OpenSSH's form"],
    [`ssh-ed25519 ${keyOf("ssh-rsa")}`, "must be a public key in OpenSSH's form"],
    [`ssh-ed25519 ${keyOf("ssh-ed25519", 0)}`, "must be a public key in OpenSSH's form"],
    [`ssh-ed25519 ${keyOf("ssh-ed25519").slice(0, -3)}`, "must be a public key in OpenSSH's form"],
    [`ssh-ed25519 ${keyOf("ssh-ed25519")}!`, "must be a public key in OpenSSH's form"],
    [`ssh-ed25519 ${keyOf("ssh-ed25519")}\nssh-rsa x`, "must be one line"],
    [`ssh-ed25519 ${keyOf("ssh-ed25519")} \ud800`, "must be one line"],
    ["-----BEGIN OPENSSH PRIVATE KEY-----", "must begin with one of"],
  ])("%j is refused: %s", (text, reason) => {
    const error: unknown = expect.stringContaining(reason);
    expect(parseSshKey(text)).toMatchObject({ ok: false, error });
  });

  test("law: any text is answered", () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.base64String()), (text) => {
        const result = parseSshKey(`ssh-ed25519 ${text}`);
        if (result.ok) expect(result.value?.length).toBeLessThanOrEqual(sshKeyLimit);
      }),
    );
  });
});
