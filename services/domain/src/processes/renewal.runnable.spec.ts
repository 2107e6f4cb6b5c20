import {
  rejection,
  renewDomain,
  type RenewalInput,
  type RenewalState,
  type RejectionCode,
} from "@hostledger/core";
import { renewalExamples } from "@hostledger/core/testing";
import { done, refused, unknown, type Outcome, type RegistrarDomain } from "@hostledger/providers";
import { rejectionError } from "@hostledger/rpc";
import { describe, expect, it, vi } from "vitest";

import { context, now, scriptedHands, type Parties } from "./registration-hands.fixture.ts";
import { renewalRunnable } from "./renewal.runnable.ts";

const { histories, facts, renewalId, name, before, after, charge } = renewalExamples;

const domain: RegistrarDomain = {
  name,
  clientTransactionId: "registration-1",
  registeredAt: now,
  expiresAt: after,
  nameservers: [],
  whoisPrivacy: true,
  transferLock: true,
};

function stateIn(status: RenewalState["status"]): RenewalState {
  return histories[status].reduce(renewDomain.evolve, renewDomain.initialState);
}

/** What comes of the step that the example run takes next in this status. */
async function inputAfter(status: RenewalState["status"], parties: Parties = {}): Promise<RenewalInput> {
  const step = renewalRunnable(scriptedHands(parties)).next(stateIn(status), renewalId, context);
  if (!("perform" in step)) throw new Error(`nothing is done in ${status}`);
  return step.perform();
}

const no: readonly [string, Outcome<never>, RenewalInput][] = [
  ["rejected", refused("rejected", "Policy"), { type: "refused", reason: "Policy", at: now }],
  ["unreachable", refused("unreachable", "No route"), { type: "unreachable", reason: "No route", at: now }],
  ["unknown", unknown("No answer"), { type: "unknown", reason: "No answer", at: now }],
];

describe("the order to the registrar", () => {
  it("names the run, the term and the expiry date that is renewed", async () => {
    const renew = vi.fn(() => Promise.resolve(done(domain)));
    const input = await inputAfter("ordering", { registrar: { renew } });
    expect(input).toEqual({ type: "held", expiresAt: after, at: now });
    expect(renew).toHaveBeenCalledExactlyOnceWith({
      clientTransactionId: renewalId,
      name,
      currentExpiresAt: before,
      years: 2,
    });
  });

  it.each(no)("that is %s becomes an input", async (_, outcome, input) => {
    const renew = () => Promise.resolve(outcome);
    await expect(inputAfter("ordering", { registrar: { renew } })).resolves.toEqual(input);
  });
});

describe("the question to the registrar", () => {
  it("is answered with the expiry date, whoever ordered it, or with nothing held", async () => {
    const held = () => Promise.resolve(done({ held: true as const, domain }));
    await expect(inputAfter("inquiring", { registrar: { inquire: held } })).resolves.toEqual({
      type: "held",
      expiresAt: after,
      at: now,
    });
    const gone = () => Promise.resolve(done({ held: false as const }));
    await expect(inputAfter("inquiring", { registrar: { inquire: gone } })).resolves.toEqual({
      type: "not-held",
      at: now,
    });
  });

  it.each(no)("that is %s becomes an input", async (_, outcome, input) => {
    const inquire = () => Promise.resolve(outcome);
    await expect(inputAfter("inquiring", { registrar: { inquire } })).resolves.toEqual(input);
  });

  it("waits for its time", () => {
    const state = [...histories.inquiring, facts.RenewalInquiryFailed].reduce(
      renewDomain.evolve,
      renewDomain.initialState,
    );
    expect(renewalRunnable(scriptedHands()).next(state, renewalId, context)).toMatchObject({
      kind: "call",
      notBefore: facts.RenewalInquiryFailed.data.nextInquiryAt,
    });
  });
});

describe("the account", () => {
  it("is charged under the run's id, for a renewal", async () => {
    const asked: object[] = [];
    const input = await inputAfter("charging", {
      accounts: {
        chargeBalance({ chargeId, action, lines, duration, domainId }) {
          const [line] = lines;
          asked.push({
            chargeId,
            action,
            duration,
            domainId,
            quantity: line?.quantity,
            price: line?.unitNetCents,
          });
          return { invoiceId: 102n, invoiceNumber: "2028-7-000002", grossCents: 2_856n };
        },
      },
    });
    expect(input).toEqual({ type: "charged", charge, at: now });
    expect(asked).toEqual([
      { chargeId: renewalId, action: "renewal", duration: 2, domainId: 3n, quantity: 2, price: 1_200n },
    ]);
  });

  it("gets the charge back", async () => {
    const input = await inputAfter("refunding", {
      accounts: { refundCharge: ({ chargeId }) => ({ correctionId: chargeId === renewalId ? 103n : 0n }) },
    });
    expect(input).toEqual({ type: "refunded", correctionId: 103, at: now });
  });

  const refusing = (code: RejectionCode): Parties => ({
    accounts: {
      chargeBalance() {
        throw rejectionError(rejection(code));
      },
    },
  });

  it("may refuse", async () => {
    await expect(inputAfter("charging", refusing("insufficient-balance"))).resolves.toMatchObject({
      type: "rejected",
      rejection: { code: "insufficient-balance" },
    });
  });

  it.each([
    "internal",
    "overloaded",
    "temporarily-unavailable",
    "rate-limited",
    "deadline-exceeded",
    "unauthenticated",
  ] as const)("that does not answer (%s) is asked again", async (code) => {
    await expect(inputAfter("charging", refusing(code))).rejects.toThrow();
  });
});

describe("the name's stream", () => {
  it.each([
    ["confirming", "RecordRenewed", { renewalId, ...charge, expiresAt: after, at: now }],
    [
      "failing",
      "RecordRenewalFailed",
      { renewalId, reason: "insufficient-balance", requiredCents: "2856", at: now },
    ],
  ] as const)("is told in %s", async (status, type, data) => {
    const hands = scriptedHands();
    const step = renewalRunnable(hands).next(stateIn(status), renewalId, context);
    if (!("perform" in step)) throw new Error("nothing is done");
    await expect(step.perform()).resolves.toEqual({ type: "accepted", at: now });
    expect(hands.given).toEqual([
      {
        stream: `domain-${name}`,
        command: { type, data },
        context: { ...context, causationId: renewalId, commandId: `${renewalId}/${type}` },
      },
    ]);
  });

  it("may refuse; a busy one is asked again", async () => {
    const refusal = rejection("domain-not-renewable");
    await expect(inputAfter("confirming", { nameRefusal: refusal })).resolves.toEqual({
      type: "rejected",
      rejection: refusal,
      at: now,
    });
    await expect(inputAfter("confirming", { nameRefusal: rejection("overloaded") })).rejects.toThrow();
  });
});

it("parks, completes, and tells of a takeover and of a failure", () => {
  const runnable = renewalRunnable(scriptedHands());
  expect(runnable.next(stateIn("parked"), renewalId, context)).toEqual({ kind: "park" });
  expect(runnable.next(stateIn("completed"), renewalId, context)).toEqual({ kind: "complete" });
  expect(runnable.resumed(now)).toEqual({ type: "resumed", at: now });
  expect(runnable.failed("Down", now)).toEqual({ type: "failed", reason: "Down", at: now });
});
