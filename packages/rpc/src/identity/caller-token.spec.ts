import { createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";

import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { account, admin, domain, server } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { callPermissions, callRefusal } from "./call-permissions.ts";
import { actorOf, callerFrom, type Caller } from "./caller.ts";
import { createCallerTokens, type CallerTokens, type TokenKeys } from "./caller-token.ts";
import {
  newServiceKey,
  parseSigningKey,
  partNames,
  type PartName,
  type SigningKey,
} from "./service-keys.codec.ts";

const customer: Caller = { kind: "account", accountId: 7, keyId: 3 };
const { getAccount, getProfile, resolveApiKey, chargeBalance } = account.AccountService.method;
const { listDomains } = domain.DomainService.method;

const signing = new Map(
  partNames.map((part) => [part, parseSigningKey(newServiceKey(part).privateText, part)] as const),
);

function keyOf(part: PartName): SigningKey {
  const key = signing.get(part);
  if (key === undefined) throw new Error(`no key of ${part}`);
  return key;
}

/** The keys as a part has them: its own, and everybody's public ones. */
function keysOf(part: PartName): TokenKeys {
  return {
    signing: () => keyOf(part),
    verifying: (kid) => {
      const found = [...signing.values()].find((key) => key.kid === kid);
      return found && { part: found.part, publicKey: createPublicKey(found.privateKey) };
    },
  };
}

function manualClock(): { nowMs: number; epochMilliseconds(): number } {
  return {
    nowMs: 1_800_000_000_000,
    epochMilliseconds() {
      return this.nowMs;
    },
  };
}

function tokensOf(part: PartName, clock = manualClock(), lifetimeSeconds = 120): CallerTokens {
  return createCallerTokens(keysOf(part), clock, lifetimeSeconds);
}

const atAccount = tokensOf("account");

async function refusalOf(identified: Promise<unknown>): Promise<readonly [Code, string]> {
  try {
    await identified;
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return [code, rawMessage];
  }
  throw new Error("the token was taken");
}

const malformed = [
  Code.Unauthenticated,
  "The caller's token is missing or malformed, or its signature is wrong.",
] as const;

const good = { iss: "gateway", sub: "account:7:3", aud: ["account"], iat: 1_800_000_000, exp: 1_800_000_060 };

/** A token of these claims, signed truly unless another key or signer is given. */
function made(
  claims: object,
  header: object = { alg: "EdDSA", kid: keyOf("gateway").kid },
  signer: KeyObject | ((body: string) => string) = keyOf("gateway").privateKey,
): string {
  const body = [header, claims]
    .map((one) => Buffer.from(JSON.stringify(one)).toString("base64url"))
    .join(".");
  if (typeof signer === "function") return `${body}.${signer(body)}`;
  return `${body}.${sign(null, Buffer.from(body), signer).toString("base64url")}`;
}

describe("caller tokens", () => {
  it.each<[PartName, Caller]>([
    ["gateway", customer],
    ["gateway", { kind: "account", accountId: 999_999_999_999_999 }],
    ["domain", { kind: "service", name: "domain" }],
  ])("of %s name the caller they were issued for: %o", async (part, caller) => {
    const token = tokensOf(part).issue(caller);
    for (const one of [atAccount, atAccount, tokensOf("server")])
      expect(await one.identify(token, getAccount)).toEqual(caller);
  });

  it("are used again until half their life is over, and never under another key", async () => {
    const clock = manualClock();
    let key = keyOf("gateway");
    const next = parseSigningKey(newServiceKey("gateway").privateText, "gateway");
    const tokens = createCallerTokens({ ...keysOf("gateway"), signing: () => key }, clock, 60);
    const first = tokens.issue(customer);
    clock.nowMs += 29_999;
    expect(tokens.issue(customer)).toBe(first);
    clock.nowMs += 1;
    expect(tokens.issue(customer)).not.toBe(first);
    expect(await tokens.identify(first, getAccount)).toEqual(customer);
    const second = tokens.issue(customer);
    key = next;
    expect(tokens.issue(customer)).not.toBe(second);
  });

  it("expire, whether or not they were seen before", async () => {
    const clock = manualClock();
    const tokens = tokensOf("gateway", clock, 60);
    const token = tokens.issue(customer);
    expect(await tokens.identify(token, getAccount)).toEqual(customer);
    clock.nowMs += 60_000;
    const late = [
      Code.Unauthenticated,
      "The caller's token has expired: make another, and compare the clocks.",
    ];
    expect(await refusalOf(tokens.identify(token, getAccount))).toEqual(late);
    expect(await refusalOf(tokensOf("account", clock).identify(token, getAccount))).toEqual(late);
  });

  it("are refused as soon as their key is off the list, even if they were accepted before", async () => {
    const listed = new Set([keyOf("gateway").kid]);
    const keys = keysOf("account");
    const tokens = createCallerTokens(
      { ...keys, verifying: (kid) => (listed.has(kid) ? keys.verifying(kid) : undefined) },
      manualClock(),
    );
    const token = tokensOf("gateway").issue(customer);
    expect(await tokens.identify(token, getAccount)).toEqual(customer);
    listed.clear();
    expect((await refusalOf(tokens.identify(token, getAccount)))[1]).toContain("not on the list");
  });
});

describe("forged caller tokens", () => {
  it("mean nothing under a key that is on no list, or under another part's", async () => {
    const stranger = generateKeyPairSync("ed25519").privateKey;
    expect(await refusalOf(atAccount.identify(made(good, undefined, stranger), getAccount))).toEqual(
      malformed,
    );
    const ofDomain = made(good, undefined, keyOf("domain").privateKey);
    expect(await refusalOf(atAccount.identify(ofDomain, getAccount))).toEqual(malformed);
    const kid = newServiceKey("gateway").kid;
    const unknown = made(good, { alg: "EdDSA", kid }, stranger);
    expect(await refusalOf(atAccount.identify(unknown, getAccount))).toEqual([
      Code.Unauthenticated,
      `The caller's token is signed with the key ${kid}, which is not on the list of public keys: give this part the list anew.`,
    ]);
  });

  it.each<[string, string]>([
    ["no algorithm", made(good, { alg: "none", kid: keyOf("gateway").kid }, () => "")],
    [
      "the public key taken for a shared secret",
      made(good, { alg: "HS256", kid: keyOf("gateway").kid }, (body) =>
        createHmac(
          "sha256",
          createPublicKey(keyOf("gateway").privateKey).export({ format: "pem", type: "spki" }),
        )
          .update(body)
          .digest("base64url"),
      ),
    ],
    ["an algorithm of the token's choice", made(good, { alg: "RS256", kid: keyOf("gateway").kid })],
    ["no key id", made(good, { alg: "EdDSA" })],
    ["a key of its own in the header", made(good, { alg: "EdDSA", jwk: { kty: "OKP" } })],
    [
      "something critical that nobody knows",
      made(good, { alg: "EdDSA", kid: keyOf("gateway").kid, crit: ["x"], x: 1 }),
    ],
    ["another part's name", made({ ...good, iss: "domain" })],
    ["no end", made({ ...good, exp: undefined })],
    ["a text for a time", made({ ...good, iat: "1800000000" })],
    ["one service instead of a list", made({ ...good, aud: "account" })],
  ])("are refused with %s", async (_, token) => {
    expect(await refusalOf(atAccount.identify(token, getAccount))).toEqual(malformed);
  });

  it("are refused when any one character is changed, and when cut anywhere", async () => {
    const token = tokensOf("gateway").issue(customer);
    for (let index = 0; index < token.length; index += 1) {
      const forged = `${token.slice(0, index)}${token[index] === "1" ? "2" : "1"}${token.slice(index + 1)}`;
      expect((await refusalOf(atAccount.identify(forged, getAccount)))[0], forged).toBe(Code.Unauthenticated);
      await refusalOf(atAccount.identify(token.slice(0, index), getAccount));
    }
    await refusalOf(atAccount.identify(`${token}0`, getAccount));
  });

  it.each(["", ".", "..", "v2.1.2.account.x.account:7", "null", "\u{1f600}".repeat(40), "a".repeat(100_000)])(
    "are refused when they are garbage",
    async (garbage) => {
      expect(await refusalOf(atAccount.identify(garbage, getAccount))).toEqual(malformed);
    },
  );

  it("are refused even if well signed, without a valid caller", async () => {
    expect(await atAccount.identify(made({ ...good, sub: "account:7" }), getAccount)).toEqual({
      kind: "account",
      accountId: 7,
    });
    for (const sub of ["account:0", "account:-1", "account:", "root:x", "staff:", "service:a b", "auditor:1"])
      expect(await refusalOf(atAccount.identify(made({ ...good, sub }), getAccount)), sub).toEqual(malformed);
  });

  it("are not issued for an impossible caller", () => {
    const impossible: Caller[] = [
      { kind: "account", accountId: 0 },
      { kind: "account", accountId: 1.5 },
      { kind: "account", accountId: Number.NaN },
      { kind: "service", name: "" },
      { kind: "staff", name: "a:b" },
    ];
    for (const caller of impossible) expect(() => tokensOf("gateway").issue(caller)).toThrow(RangeError);
  });
});

describe("truly signed tokens of somebody else's making", () => {
  const nowMs = 1_800_000_000_000;
  /** Returns the verifier's answer to a token issued so many seconds from now with this lifetime. */
  function verdict(
    afterSeconds: number,
    lifetimeSeconds: number,
    method: DescMethod = getAccount,
  ): Promise<unknown> {
    const maker = { nowMs: 0, epochMilliseconds: () => nowMs + afterSeconds * 1_000 };
    const token = tokensOf("gateway", maker, lifetimeSeconds).issue(customer, ["account", "domain"]);
    return tokensOf("account").identify(token, method);
  }
  const refused = (error: string): unknown => [Code.Unauthenticated, error];

  it("live for at most 120 seconds: a token for ten years is refused", async () => {
    expect(await verdict(0, 120)).toEqual(customer);
    const tooLong = refused("The caller's token is made for more than 120 seconds.");
    expect(await refusalOf(verdict(0, 121))).toEqual(tooLong);
    expect(await refusalOf(verdict(0, 10 * 365 * 86_400))).toEqual(tooLong);
    expect(await verdict(-119, 120)).toEqual(customer);
    const late = refused("The caller's token has expired: make another, and compare the clocks.");
    expect(await refusalOf(verdict(-120, 120))).toEqual(late);
  });

  it("may come from a clock that is 60 seconds off, and not from one that is 10 minutes off", async () => {
    expect(await verdict(60, 120)).toEqual(customer);
    expect(await verdict(-60, 120)).toEqual(customer);
    const early = refused(
      "The caller's token was issued more than 60 seconds in the future: compare the clocks.",
    );
    expect(await refusalOf(verdict(61, 120))).toEqual(early);
    expect(await refusalOf(verdict(600, 120))).toEqual(early);
    expect((await refusalOf(verdict(-600, 120)))[0]).toBe(Code.Unauthenticated);
  });

  it("are valid at the named services, and nowhere else", async () => {
    expect(await verdict(0, 120, listDomains)).toEqual(customer);
    for (const [method, audience] of [
      [server.ServerService.method.listServers, "server"],
      [admin.AccountAdminService.method.openAccount, "admin"],
    ] as const)
      expect(await refusalOf(verdict(0, 120, method))).toEqual(
        refused(`The caller's token is good at account, domain only, and this is ${audience}.`),
      );
  });
});

describe("the key of a part", () => {
  const services = callPermissions.flatMap(({ service }) => service.methods);
  const { refundCharge, refundRegistration } = account.AccountService.method;
  const { receivePaymentNotice } = account.PaymentNoticeService.method;
  const opened: Readonly<Record<PartName, readonly DescMethod[]>> = {
    account: [],
    domain: [getAccount, getProfile, chargeBalance, refundRegistration, refundCharge],
    server: [getAccount, chargeBalance, refundCharge],
    support: [account.AccountService.method.getInvoice, account.DocumentService.method.getDocumentFiles],
    audit: [],
    gateway: [resolveApiKey, receivePaymentNotice],
  };
  const notForCustomers = new Set<DescMethod>([
    resolveApiKey,
    receivePaymentNotice,
    chargeBalance,
    refundRegistration,
    refundCharge,
  ]);
  const speakers: readonly [PartName, Caller][] = [
    ["gateway", customer],
    ...partNames.map((part): [PartName, Caller] => [part, { kind: "service", name: part }]),
  ];

  it.each(speakers)("of %s permits its calls as %o and nothing else", async (part, caller) => {
    const inItsName = opened[part];
    const tokens = tokensOf(part);
    for (const method of services) {
      const answered = tokens.identify(tokens.issue(caller), method);
      const mayCall = caller.kind === "account" ? !notForCustomers.has(method) : inItsName.includes(method);
      if (mayCall) expect(await answered, method.name).toEqual(caller);
      else expect((await refusalOf(answered))[0], method.name).toBe(Code.PermissionDenied);
    }
  });

  it("of a gateway may look up keys and charge nothing; those of services with orders do the opposite", () => {
    const asService = (part: PartName): Caller => ({ kind: "service", name: part });
    expect(callRefusal("gateway", asService("gateway"), resolveApiKey)).toBeUndefined();
    expect(callRefusal("gateway", asService("gateway"), chargeBalance)).toMatchObject({
      code: "unauthorized",
    });
    expect(callRefusal("gateway", customer, chargeBalance)).toMatchObject({
      code: "unauthorized",
      message: "ChargeBalance is not for a customer.",
    });
    expect(callRefusal("domain", asService("domain"), chargeBalance)).toBeUndefined();
    expect(callRefusal("domain", asService("domain"), resolveApiKey)).toMatchObject({ code: "unauthorized" });
    expect(callRefusal("support", asService("support"), getAccount)).toMatchObject({ code: "unauthorized" });
  });

  it("permits nothing of staff's, and no call for another part, staff or customer", () => {
    const admins = [admin.AccountAdminService, admin.StaffAdminService, admin.ProjectionAdminService];
    for (const [part, caller] of speakers)
      for (const { methods } of admins)
        for (const method of methods) expect(callRefusal(part, caller, method)?.code).toBe("unauthorized");
    for (const part of partNames)
      for (const other of [...partNames.filter((one) => one !== part), "billing"])
        for (const method of services)
          expect(callRefusal(part, { kind: "service", name: other }, method)?.code).toBe("unauthenticated");
    for (const part of partNames)
      expect(callRefusal(part, { kind: "staff", name: "anna" }, getAccount)?.code).toBe("unauthenticated");
    for (const part of partNames.filter((one) => one !== "gateway"))
      expect(callRefusal(part, customer, getAccount)).toMatchObject({
        message: `The key of ${part} may not sign for a caller of this kind or name.`,
      });
  });
});

describe("actors", () => {
  it.each<Caller>([
    customer,
    { kind: "account", accountId: 999_999_999_999_999 },
    { kind: "service", name: "domain" },
    { kind: "staff", name: "anna.b@example.com" },
  ])("are read back as they were written: $kind", (caller) => {
    expect(callerFrom(actorOf(caller))).toEqual(caller);
  });
});
