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
    expect(tokens.verify(token, "account")).toEqual({ ok: true, value: caller });
    expect(tokens.verify(token, "account")).toEqual({ ok: true, value: caller });
    expect(createCallerTokens(secret, manualClock()).verify(token, "account")).toEqual({
      ok: true,
      value: caller,
    });
  });

  it("are used again until half their life is over", () => {
    const clock = manualClock();
    const tokens = createCallerTokens(secret, clock, 60);
    const first = tokens.issue(customer);
    clock.nowMs += 29_999;
    expect(tokens.issue(customer)).toBe(first);
    clock.nowMs += 1;
    expect(tokens.issue(customer)).not.toBe(first);
    expect(tokens.verify(first, "account")).toEqual({ ok: true, value: customer });
  });

  it("expire, whether or not they were seen before", () => {
    const clock = manualClock();
    const tokens = createCallerTokens(secret, clock, 60);
    const token = tokens.issue(customer);
    expect(tokens.verify(token, "account")).toEqual({ ok: true, value: customer });
    clock.nowMs += 60_000;
    expect(tokens.verify(token, "account").ok).toBe(false);
    expect(createCallerTokens(secret, clock).verify(token, "account").ok).toBe(false);
  });
});

describe("forged caller tokens", () => {
  it("mean nothing under another secret", () => {
    const other = createCallerTokens(new Uint8Array(32).fill(8), manualClock());
    expect(other.verify(createCallerTokens(secret, manualClock()).issue(customer), "account").ok).toBe(false);
  });

  it("are refused when any one character is changed, and when cut anywhere", () => {
    const tokens = createCallerTokens(secret, manualClock());
    const token = tokens.issue(customer);
    for (let index = 0; index < token.length; index += 1) {
      const forged = `${token.slice(0, index)}${token[index] === "1" ? "2" : "1"}${token.slice(index + 1)}`;
      expect(tokens.verify(forged, "account").ok, forged).toBe(false);
      expect(tokens.verify(token.slice(0, index), "account").ok).toBe(false);
    }
    expect(tokens.verify(`${token}0`, "account").ok).toBe(false);
  });

  it.each([
    "",
    ".",
    "v1",
    "v1...",
    "v3.1.2.account.x.account:7",
    "null",
    "\u{1f600}".repeat(40),
    "a".repeat(100_000),
  ])("are refused when they are garbage", (garbage) => {
    expect(createCallerTokens(secret, manualClock()).verify(garbage, "account").ok).toBe(false);
  });

  it("are refused when well signed for what is no caller", () => {
    const body = (actor: string): string => {
      const claims = "1800000000.1800000060.account";
      const signature = createHmac("sha256", secret).update(`v2.${claims}.${actor}`).digest("base64url");
      return `v2.${claims}.${signature}.${actor}`;
    };
    const tokens = createCallerTokens(secret, manualClock());
    expect(tokens.verify(body("account:7"), "account")).toEqual({
      ok: true,
      value: { kind: "account", accountId: 7 },
    });
    for (const actor of ["account:0", "account:-1", "account:", "root:x", "staff:", "service:a b"]) {
      expect(tokens.verify(body(actor), "account").ok, actor).toBe(false);
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

describe("truly signed tokens of somebody else's making", () => {
  const nowMs = 1_800_000_000_000;
  /** What a verifier says now to a token that was made so many seconds after now, to live so long. */
  function verdict(afterSeconds: number, lifetimeSeconds: number, audience = "account"): unknown {
    const maker = { epochMilliseconds: () => nowMs + afterSeconds * 1_000 };
    const token = createCallerTokens(secret, maker, lifetimeSeconds).issue(customer, ["account", "domain"]);
    return createCallerTokens(secret, manualClock()).verify(token, audience);
  }
  const taken = { ok: true, value: customer };
  const refused = (error: string): unknown => ({ ok: false, error });

  it("live for 120 seconds at most: one that is minted for ten years is refused", () => {
    expect(verdict(0, 120)).toEqual(taken);
    const tooLong = refused("The caller's token is made for more than 120 seconds.");
    expect(verdict(0, 121)).toEqual(tooLong);
    expect(verdict(0, 10 * 365 * 86_400)).toEqual(tooLong);
    expect(verdict(-119, 120)).toEqual(taken);
    const late = refused("The caller's token has expired: make another, and compare the clocks.");
    expect(verdict(-120, 120)).toEqual(late);
  });

  it("may come from a clock that is 60 seconds ahead or behind, and not from one that is 10 minutes off", () => {
    expect(verdict(60, 120)).toEqual(taken);
    expect(verdict(-60, 120)).toEqual(taken);
    const early = refused(
      "The caller's token was issued more than 60 seconds in the future: compare the clocks.",
    );
    expect(verdict(61, 120)).toEqual(early);
    expect(verdict(600, 120)).toEqual(early);
    expect(verdict(-600, 120)).toMatchObject({ ok: false });
  });

  it("are good at the services they name, and nowhere else", () => {
    expect(verdict(0, 120, "domain")).toEqual(taken);
    for (const audience of ["server", "admin", "", "accoun", "account+domain"])
      expect(verdict(0, 120, audience)).toEqual(
        refused(`The caller's token is good at account, domain only, and this is ${audience}.`),
      );
  });
});

describe("actors", () => {
  it.each(callers)("are read back as they were written: $kind", (caller) => {
    expect(callerFrom(actorOf(caller))).toEqual(caller);
  });
});
