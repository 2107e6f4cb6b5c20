import { Code, ConnectError } from "@connectrpc/connect";
import { addYears, rejection, type RegistrarRequest } from "@hostledger/core";
import { registrationExamples, renewalExamples } from "@hostledger/core/testing";
import type { ProviderAnswer } from "@hostledger/work";
import {
  done,
  onlyRegistrar,
  refused,
  unknown,
  type Outcome,
  type Registrant,
  type Registrar,
  type RegistrarDomain,
  type RegistrarHolding,
} from "@hostledger/providers";
import { describe, expect, it, vi } from "vitest";

import type { Registrants } from "./registrants.ts";
import { registrarEffects } from "./registrar-effects.ts";
import { now, scriptedRegistrar, serviceNameservers } from "./scripted-effects.fixture.ts";

const { order } = registrationExamples;
const { after, before, renewalId } = renewalExamples;
const name = "example.com";

const domain: RegistrarDomain = {
  name,
  clientTransactionId: "r-1",
  registeredAt: now,
  expiresAt: order.expiresAt,
  nameservers: serviceNameservers,
  whoisPrivacy: true,
  transferLock: true,
};

const register = {
  to: "registrar",
  type: "register",
  clientTransactionId: "r-1",
  accountId: 7,
  name,
  years: 2,
} as const;
const inquireRegistration = {
  to: "registrar",
  type: "inquire-registration",
  clientTransactionId: "r-1",
  name,
  years: 2,
} as const;
const cancel = { to: "registrar", type: "cancel", name } as const;
const renew = {
  to: "registrar",
  type: "renew",
  clientTransactionId: renewalId,
  name,
  currentExpiresAt: before,
  years: 2,
} as const;
const inquireExpiry = { to: "registrar", type: "inquire-expiry", name } as const;

const anybody: Registrants = { find: () => Promise.resolve({ isKnown: true, of: {} }) };

function ask(calls: Partial<Registrar>, request: RegistrarRequest, registrants = anybody) {
  return registrarEffects(onlyRegistrar(scriptedRegistrar(calls)), serviceNameservers, registrants)(request);
}

const no: readonly [string, Outcome<never>, ProviderAnswer<never>][] = [
  ["rejected", refused("rejected", "Policy"), { type: "refused", reason: "Policy" }],
  ["unreachable", refused("unreachable", "No route"), { type: "unreachable", reason: "No route" }],
  ["unknown", unknown("No answer"), { type: "unknown", reason: "No answer" }],
];

describe("what a registration asks of the registrar", () => {
  it("names the run, the term and the service's nameservers", async () => {
    const registers = vi.fn(() => Promise.resolve(done(domain)));
    const held = { ...order, registeredAt: now };
    await expect(ask({ register: registers }, register)).resolves.toEqual({ type: "held", held });
    expect(registers).toHaveBeenCalledExactlyOnceWith({
      clientTransactionId: "r-1",
      name,
      years: 2,
      nameservers: serviceNameservers,
    });
  });

  const askOfOrder = (holding: RegistrarHolding) =>
    ask({ inquire: () => Promise.resolve(done(holding)) }, inquireRegistration);

  it("finds the run's own order, or nothing", async () => {
    await expect(askOfOrder({ held: true, domain })).resolves.toMatchObject({ type: "held" });
    await expect(askOfOrder({ held: false })).resolves.toEqual({ type: "not-held" });
  });

  it("computes the expiry date from the ordered years if the registry reports none", async () => {
    const computed = { ...domain, isExpiryComputed: true };
    const registeredAt = domain.registeredAt;
    await expect(askOfOrder({ held: true, domain: computed })).resolves.toMatchObject({
      type: "held",
      held: { expiresAt: addYears(registeredAt, 2) },
    });
    const inquiry = { to: "registrar", type: "inquire-expiry", name } as const;
    const says = () => Promise.resolve(done({ held: true, domain: computed } as const));
    await expect(ask({ inquire: says }, inquiry)).resolves.toMatchObject({ type: "unknown" });
  });

  it("finds a name that is held for another order, which is not this run's result", async () => {
    const other = { ...domain, clientTransactionId: "r-2" };
    await expect(askOfOrder({ held: true, domain: other })).resolves.toEqual({ type: "not-held" });
  });

  it("cancels the name", async () => {
    const cancels = vi.fn(() => Promise.resolve(done(undefined)));
    await expect(ask({ cancel: cancels }, cancel)).resolves.toEqual({ type: "done" });
    expect(cancels).toHaveBeenCalledExactlyOnceWith(name);
  });

  it.each(no)("is unknown, refused or done if the answer is %s", async (_, outcome, answer) => {
    const says = () => Promise.resolve(outcome);
    await expect(ask({ register: says }, register)).resolves.toEqual(answer);
    await expect(ask({ inquire: says }, inquireRegistration)).resolves.toEqual(answer);
    await expect(ask({ cancel: says }, cancel)).resolves.toEqual(answer);
  });
});

describe("what a renewal asks of the registrar", () => {
  it("names the run, the term and the expiry date that is renewed", async () => {
    const renews = vi.fn(() => Promise.resolve(done({ ...domain, expiresAt: after })));
    await expect(ask({ renew: renews }, renew)).resolves.toMatchObject({
      type: "held",
      held: { expiresAt: after },
    });
    expect(renews).toHaveBeenCalledExactlyOnceWith({
      clientTransactionId: renewalId,
      name,
      currentExpiresAt: before,
      years: 2,
    });
  });

  it.each<[string, RegistrarHolding, Outcome<RegistrarDomain>, string | undefined]>([
    ["withheld", { held: false }, done({ ...domain, expiresAt: after }), undefined],
    [
      "back, and renewed",
      { held: true, domain: { ...domain, expiresAt: after } },
      refused("rejected", "Not that day"),
      after,
    ],
    [
      "back, and not renewed: its year is ordered again",
      { held: true, domain: { ...domain, expiresAt: before } },
      done({ ...domain, expiresAt: after }),
      after,
    ],
    [
      "back, and its year refused",
      { held: true, domain: { ...domain, expiresAt: before } },
      refused("rejected", "No"),
      before,
    ],
  ])("of a name that is withheld finds it %s", async (_what, holding, answer, expiresAt) => {
    const calls = { inquire: () => Promise.resolve(done(holding)), restore: () => Promise.resolve(answer) };
    const inquireRestoration = { ...renew, type: "inquire-restoration" } as const;
    await expect(ask(calls, inquireRestoration)).resolves.toMatchObject(
      expiresAt === undefined ? { type: "not-held" } : { type: "held", held: { expiresAt } },
    );
  });

  it('is answered with the expiry date, whoever ordered it, or with "not held"', async () => {
    const askOfExpiry = (holding: RegistrarHolding) =>
      ask({ inquire: () => Promise.resolve(done(holding)) }, inquireExpiry);
    await expect(askOfExpiry({ held: true, domain: { ...domain, expiresAt: after } })).resolves.toMatchObject(
      {
        type: "held",
        held: { expiresAt: after },
      },
    );
    await expect(askOfExpiry({ held: false })).resolves.toEqual({ type: "not-held" });
  });

  it.each(no)("is unknown, refused or done if the answer is %s", async (_, outcome, answer) => {
    const says = () => Promise.resolve(outcome);
    await expect(ask({ renew: says }, renew)).resolves.toEqual(answer);
    await expect(ask({ inquire: says }, inquireExpiry)).resolves.toEqual(answer);
    await expect(ask({ inquire: says }, { ...renew, type: "inquire-restoration" })).resolves.toEqual(answer);
  });
});

describe("what the question about a transfer says of its order", () => {
  const order = { clientTransactionId: "t-1", accountId: 7, name };
  const question = { to: "registrar", type: "inquire-transfer", ...order } as const;
  const registrant = { id: "HL7-1" } as Registrant;
  const asks = vi.fn(() => Promise.resolve(done({ state: "none" } as const)));
  const transferIsAsked = (find: Registrants["find"]) => {
    asks.mockClear();
    return ask({ inquireTransfer: asks }, question, { find });
  };

  it("is who the name is for", async () => {
    await transferIsAsked(() => Promise.resolve({ isKnown: true, of: { registrant } }));
    expect(asks).toHaveBeenCalledExactlyOnceWith(name, { clientTransactionId: "t-1", registrant });
  });

  it("is that the registry recorded it, if it said so", async () => {
    asks.mockClear();
    const find: Registrants["find"] = () => Promise.resolve({ isKnown: true, of: { registrant } });
    await ask({ inquireTransfer: asks }, { ...question, isTaken: true }, { find });
    expect(asks).toHaveBeenCalledExactlyOnceWith(name, {
      clientTransactionId: "t-1",
      isTaken: true,
      registrant,
    });
  });

  it("has no registrant if the profile is gone: the paid transfer completes", async () => {
    const refusal = rejection("profile-incomplete", "The profile lacks a name.");
    await transferIsAsked(() => Promise.resolve({ isKnown: false, refusal }));
    expect(asks).toHaveBeenCalledExactlyOnceWith(name, { clientTransactionId: "t-1" });
  });

  it("waits for the account service: otherwise an arrived name would have no registrant for good", async () => {
    const answer = await transferIsAsked(() => Promise.reject(new ConnectError("away", Code.Unavailable)));
    expect(answer).toMatchObject({
      type: "unknown",
      reason: expect.stringContaining("could not be read") as unknown,
    });
    expect(asks).not.toHaveBeenCalled();
  });
});

describe("what a transfer asks of the registrar", () => {
  const transfer = {
    to: "registrar",
    type: "transfer-in",
    clientTransactionId: "t-1",
    accountId: 7,
    name,
    authCode: "let-me-go",
  } as const;

  it("shows no authInfo that the registry repeats in its text", async () => {
    const transferIn = () => Promise.resolve(refused("rejected", "The code let-me-go is wrong."));
    await expect(ask({ transferIn }, transfer)).resolves.toEqual({
      type: "refused",
      reason: "The code [secret] is wrong.",
    });
  });
});
