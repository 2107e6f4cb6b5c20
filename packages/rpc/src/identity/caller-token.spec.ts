import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { actorOf, callerFrom, type Caller } from "./caller.ts";
import { createCallerTokens } from "./caller-token.ts";

const secret = new Uint8Array(32).fill(7);
const customer: Caller = { kind: "account", accountId: 7, keyId: 3 };

function manualClock(): { nowMs: number; epochMilliseconds(): number } {
  return {
    nowMs: 1_800_000_000_000,
    epochMilliseconds() {
      return this.nowMs;
    },
  };
}

const callers: Caller[] = [
  customer,
  { kind: "account", accountId: 999_999_999_999_999 },
  { kind: "service", name: "domain" },
  { kind: "staff", name: "anna.b@example.com" },
];

describe("caller tokens", () => {
  it.each(callers)("name the caller they were issued for: $kind", (caller) => {
    const tokens = createCallerTokens(secret, manualClock());
    const token = tokens.issue(caller);
    expect(tokens.verify(token)).toEqual(caller);
    expect(tokens.verify(token)).toEqual(caller);
    expect(createCallerTokens(secret, manualClock()).verify(token)).toEqual(caller);
  });

  it("are used again until half their life is over", () => {
    const clock = manualClock();
    const tokens = createCallerTokens(secret, clock, 60);
    const first = tokens.issue(customer);
    clock.nowMs += 29_999;
    expect(tokens.issue(customer)).toBe(first);
    clock.nowMs += 1;
    expect(tokens.issue(customer)).not.toBe(first);
    expect(tokens.verify(first)).toEqual(customer);
  });

  it("expire, whether or not they were seen before", () => {
    const clock = manualClock();
    const tokens = createCallerTokens(secret, clock, 60);
    const token = tokens.issue(customer);
    expect(tokens.verify(token)).toEqual(customer);
    clock.nowMs += 60_000;
    expect(tokens.verify(token)).toBeUndefined();
    expect(createCallerTokens(secret, clock).verify(token)).toBeUndefined();
  });
});

describe("forged caller tokens", () => {
  it("mean nothing under another secret", () => {
    const other = createCallerTokens(new Uint8Array(32).fill(8), manualClock());
    expect(other.verify(createCallerTokens(secret, manualClock()).issue(customer))).toBeUndefined();
  });

  it("are refused when any one character is changed, and when cut anywhere", () => {
    const tokens = createCallerTokens(secret, manualClock());
    const token = tokens.issue(customer);
    for (let index = 0; index < token.length; index += 1) {
      const forged = `${token.slice(0, index)}${token[index] === "1" ? "2" : "1"}${token.slice(index + 1)}`;
      expect(tokens.verify(forged), forged).toBeUndefined();
      expect(tokens.verify(token.slice(0, index))).toBeUndefined();
    }
    expect(tokens.verify(`${token}0`)).toBeUndefined();
  });

  it.each(["", ".", "v1", "v1...", "v2.1.x.account:7", "null", "\u{1f600}".repeat(40), "a".repeat(100_000)])(
    "are refused when they are garbage",
    (garbage) => {
      expect(createCallerTokens(secret, manualClock()).verify(garbage)).toBeUndefined();
    },
  );

  it("are refused when well signed for what is no caller", () => {
    const body = (actor: string): string => {
      const signature = createHmac("sha256", secret).update(`v1.1900000000.${actor}`).digest("base64url");
      return `v1.1900000000.${signature}.${actor}`;
    };
    const tokens = createCallerTokens(secret, manualClock());
    expect(tokens.verify(body("account:7"))).toEqual({ kind: "account", accountId: 7 });
    for (const actor of ["account:0", "account:-1", "account:", "root:x", "staff:", "service:a b"]) {
      expect(tokens.verify(body(actor)), actor).toBeUndefined();
    }
  });

  it("are not issued for an impossible caller", () => {
    const tokens = createCallerTokens(secret, manualClock());
    const impossible: Caller[] = [
      { kind: "account", accountId: 0 },
      { kind: "account", accountId: 1.5 },
      { kind: "account", accountId: Number.NaN },
      { kind: "service", name: "" },
      { kind: "staff", name: "a:b" },
    ];
    for (const caller of impossible) expect(() => tokens.issue(caller)).toThrow(RangeError);
  });

  it("need a secret of 32 bytes", () => {
    expect(() => createCallerTokens(new Uint8Array(31), manualClock())).toThrow(RangeError);
  });
});

describe("actors", () => {
  it.each(callers)("are read back as they were written: $kind", (caller) => {
    expect(callerFrom(actorOf(caller))).toEqual(caller);
  });
});
