import { registerDomain, type RegistrationInput } from "@hostledger/core";
import { registrationExamples } from "@hostledger/core/testing";
import {
  done,
  refused,
  unknown,
  type Outcome,
  type RegistrarDomain,
  type RegistrarHolding,
} from "@hostledger/providers";
import { describe, expect, it, vi } from "vitest";

import { context, inputAfter, now, scriptedHands, stateIn } from "./registration-hands.fixture.ts";
import { registrationRunnable } from "./registration.runnable.ts";

const { histories, facts } = registrationExamples;

const domain: RegistrarDomain = {
  name: "example.com",
  clientTransactionId: "r-1",
  registeredAt: now,
  expiresAt: "2028-03-01T10:00:00.000000Z",
  nameservers: ["ns1.hostledger.test", "ns2.hostledger.test"],
  whoisPrivacy: true,
  transferLock: false,
};

const held: RegistrationInput = {
  type: "held",
  order: {
    provider: "sandbox",
    registeredAt: now,
    expiresAt: "2028-03-01T10:00:00.000000Z",
    nameservers: ["ns1.hostledger.test", "ns2.hostledger.test"],
    whoisPrivacy: true,
    transferLock: false,
  },
  at: now,
};

const no: readonly [string, Outcome<never>, RegistrationInput][] = [
  ["rejected", refused("rejected", "Policy"), { type: "refused", reason: "Policy", at: now }],
  ["unreachable", refused("unreachable", "No route"), { type: "refused", reason: "No route", at: now }],
  ["unknown", unknown("No answer"), { type: "unknown", reason: "No answer", at: now }],
];

describe("the order to the registrar", () => {
  it("names the run, the term and the service's nameservers", async () => {
    const register = vi.fn(() => Promise.resolve(done(domain)));
    await expect(inputAfter("ordering", { registrar: { register } })).resolves.toEqual(held);
    expect(register).toHaveBeenCalledExactlyOnceWith({
      clientTransactionId: "r-1",
      name: "example.com",
      years: 2,
      nameservers: ["ns1.hostledger.test", "ns2.hostledger.test"],
    });
  });

  it.each(no)("that is %s becomes an input", async (_, outcome, input) => {
    const register = () => Promise.resolve(outcome);
    await expect(inputAfter("ordering", { registrar: { register } })).resolves.toEqual(input);
  });
});

describe.each(["inquiring", "settling"] as const)("the question to the registrar when %s", (status) => {
  const ask = (outcome: Outcome<RegistrarHolding>) =>
    inputAfter(status, { registrar: { inquire: () => Promise.resolve(outcome) } });

  it("finds the run's own order", async () => {
    await expect(ask(done({ held: true, domain }))).resolves.toEqual(held);
  });

  it("finds nothing", async () => {
    await expect(ask(done({ held: false }))).resolves.toEqual({ type: "not-held", at: now });
  });

  it("finds the name held for another order, which is not what the run ordered", async () => {
    const other = { ...domain, clientTransactionId: "r-2" };
    await expect(ask(done({ held: true, domain: other }))).resolves.toEqual({ type: "not-held", at: now });
  });

  it.each(no)("that is %s becomes an input", async (_, outcome, input) => {
    await expect(ask(outcome)).resolves.toEqual(input);
  });
});

describe("the calls that are done or not", () => {
  it("cancel the name", async () => {
    const cancel = vi.fn(() => Promise.resolve(done(undefined)));
    await expect(inputAfter("cancelling", { registrar: { cancel } })).resolves.toEqual({
      type: "done",
      at: now,
    });
    expect(cancel).toHaveBeenCalledExactlyOnceWith("example.com");
  });

  it.each(no)("that are %s become an input", async (_, outcome, input) => {
    const answer = () => Promise.resolve(outcome);
    await expect(inputAfter("cancelling", { registrar: { cancel: answer } })).resolves.toEqual(input);
  });
});

describe("a reason of another party", () => {
  const reasonFor = async (message: string): Promise<unknown> => {
    const register = () => Promise.resolve(unknown(message));
    return Reflect.get(await inputAfter("ordering", { registrar: { register } }), "reason");
  };

  it.each([
    ["several lines", "2400\r\nCommand failed\n", "2400 Command failed"],
    ["nothing", "", "No reason was given"],
    ["blanks", " \n ", "No reason was given"],
    ["far too much", "x".repeat(5_000), "x".repeat(500)],
    ["half a surrogate pair", "broken \ud800", "broken \ufffd"],
  ])("that is %s becomes one line that every fact and document can keep", async (_, message, line) => {
    await expect(reasonFor(message)).resolves.toBe(line);
  });
});

describe("what is not a step", () => {
  const runnable = registrationRunnable(scriptedHands());

  it.each(["completed", "new"] as const)("ends the run when %s", (status) => {
    expect(runnable.next(stateIn(status), "r-1", context)).toEqual({ kind: "complete" });
  });

  it("parks the run", () => {
    expect(runnable.next(stateIn("parked"), "r-1", context)).toEqual({ kind: "park" });
  });

  it("is the time before a later attempt", () => {
    const again = [...histories.inquiring, facts.RegistrarInquiryFailed];
    const state = again.reduce(registerDomain.evolve, registerDomain.initialState);
    expect(runnable.next(state, "r-1", context)).toMatchObject({
      kind: "call",
      notBefore: facts.RegistrarInquiryFailed.data.nextInquiryAt,
    });
  });

  it("is told to the process as an input: a take-over, and failures without end", () => {
    expect(runnable.resumed(now)).toEqual({ type: "resumed", at: now });
    expect(runnable.failed("The service\nis down", now)).toEqual({
      type: "failed",
      reason: "The service is down",
      at: now,
    });
  });
});
