import { describe, expect, it } from "vitest";

import type { RenewalFailure } from "../../domain/domain.events.ts";
import { rejection, type RejectionCode } from "../../kernel/rejection.ts";
import { processSpec } from "../../testing/process-spec.ts";
import type { RenewalEvent } from "./renew-domain.events.ts";
import {
  after,
  at,
  before,
  charge,
  facts,
  histories,
  inputs,
  name,
  parkedUnsettled,
  refusal,
  renewalId,
  soon,
} from "./renew-domain.fixture.ts";
import type { RenewalInput } from "./renew-domain.inputs.ts";
import { renewDomain } from "./renew-domain.process.ts";
import { react } from "./renew-domain.reaction.ts";
import { renewalAnswer, type RenewalState } from "./renew-domain.state.ts";
import { inquiryLimit } from "./renewal-inquiries.ts";

const { given } = processSpec(renewDomain, react);

const inquiry = { kind: "call", request: { type: "inquire", name } } as const;
const order = {
  kind: "call",
  request: { type: "renew", clientTransactionId: renewalId, name, currentExpiresAt: before, years: 2 },
} as const;
const held = (expiresAt: string): RenewalInput => ({ type: "held", expiresAt, at });
const refuse = (code: RejectionCode): RenewalInput => ({ type: "rejected", rejection: rejection(code), at });
const unknown = (cause: "interrupted" | "unanswered" | "rejected", reason: string): RenewalEvent => ({
  type: "RenewalOutcomeUnknown",
  data: { cause, reason, at },
});
const orderRefused = (reason: string): RenewalEvent => ({
  type: "RenewalOrderRefused",
  data: { reason, at },
});
const parkedFor = (reason: string): RenewalEvent => ({ type: "RenewalParked", data: { reason, at } });
const refund = (reason: string): ReturnType<typeof react> => ({
  kind: "compensate",
  command: { to: "account", order: { type: "RefundCharge", accountId: 7, chargeId: renewalId, reason } },
});
const recordFailed = (
  reason: RenewalFailure,
  requiredCents: string | null = null,
): ReturnType<typeof react> => {
  const failure = { type: "RecordRenewalFailed", data: { renewalId, reason, requiredCents } } as const;
  return { kind: "compensate", command: { to: "name", name, order: failure } };
};
const failed: RenewalEvent = { type: "RenewalCompleted", data: { outcome: "failed", at } };
const fold = (...history: readonly RenewalEvent[]): RenewalState =>
  history.reduce(renewDomain.evolve, renewDomain.initialState);

describe("a renewal that goes well", () => {
  it("charges the account first", () => {
    given()
      .when(inputs.started)
      .then(facts.RenewalRunStarted)
      .andReacts({
        kind: "send",
        command: {
          to: "account",
          order: {
            type: "ChargeRenewal",
            accountId: 7,
            chargeId: renewalId,
            domainId: 3,
            name,
            years: 2,
            yearNetCents: "1200",
          },
        },
      });
  });

  it("orders the renewal of the present expiry date", () => {
    given(...histories.charging)
      .when(inputs.charged)
      .then(facts.RenewalCharged)
      .andReacts(order);
  });

  it("tells the name's stream the registrar's new date, with the charge", () => {
    given(...histories.ordering)
      .when(inputs.held)
      .then(facts.RenewalOrderCompleted)
      .andReacts({
        kind: "compensate",
        command: {
          to: "name",
          name,
          order: { type: "RecordRenewed", data: { renewalId, ...charge, expiresAt: after } },
        },
      });
  });

  it("is complete, and remembers its answer", () => {
    const { state } = given(...histories.confirming)
      .when(inputs.accepted)
      .then(facts.RenewalCompleted);
    expect(renewalAnswer(state)).toEqual({ kind: "renewed", charge, expiresAt: after });
  });
});

describe("a charge that is refused", () => {
  it.each([
    ["insufficient-balance", "insufficient-balance"],
    ["account-not-open", "charge-refused"],
    ["validation-failed", "charge-refused"],
  ] as const)("(%s) ends the renewal with nothing charged", (code, reason) => {
    const { requiredCents, availableCents } = refusal;
    const detail = { requiredCents: BigInt(requiredCents), availableCents: BigInt(availableCents) };
    const { message } = rejection(code);
    given(...histories.charging)
      .when({ type: "rejected", rejection: rejection(code, undefined, detail), at })
      .then({
        type: "RenewalChargeRefused",
        data: { code, message, requiredCents, availableCents, at },
      })
      .andReacts(recordFailed(reason, requiredCents));
  });

  it("is what the run answers", () => {
    const { state } = given(...histories.failing)
      .when(inputs.accepted)
      .then(failed);
    expect(renewalAnswer(state)).toEqual({ kind: "charge-refused", refusal });
  });

  it("in a way nobody foresaw is for staff", () => {
    given(...histories.charging)
      .when(refuse("charge-conflict"))
      .then(parkedFor("charge-conflict: The charge was already made with another amount."));
  });
});

describe("a registrar that does not renew", () => {
  it("was not reached: the charge goes back, and the renewal has failed", () => {
    given(...histories.ordering)
      .when(inputs.unreachable)
      .then(facts.RenewalOrderRefused)
      .andReacts(refund("No route"));
    const { state } = given(...histories.refunding)
      .when(inputs.refunded)
      .then(facts.RenewalChargeReturned);
    expect(react(state)).toEqual(recordFailed("registrar-failed"));
    expect(renewalAnswer(fold(...histories.refunding, facts.RenewalChargeReturned, failed))).toEqual({
      kind: "registrar-failed",
      reason: "No route",
    });
  });

  it("says no: it is asked for the date before that is believed", () => {
    given(...histories.ordering)
      .when(inputs.refused)
      .then(unknown("rejected", "Policy"))
      .andReacts(inquiry);
    given(...histories.ordering, unknown("rejected", "Policy"))
      .when(held(before))
      .then(orderRefused("Policy"))
      .andReacts(refund("Policy"));
  });

  it("says no to what it has done before: that is paid for now", () => {
    given(...histories.ordering, unknown("rejected", "The date is another"))
      .when(held(after))
      .then(facts.RenewalOrderCompleted);
  });

  it("does not hold the domain any more", () => {
    given(...histories.inquiring)
      .when(inputs["not-held"])
      .then(orderRefused("The registrar does not hold the domain for us"));
  });
});

describe("a registrar that does not answer", () => {
  it("is asked what the expiry date is", () => {
    given(...histories.ordering)
      .when(inputs.unknown)
      .then(facts.RenewalOutcomeUnknown)
      .andReacts(inquiry);
    given(...histories.inquiring)
      .when(inputs.held)
      .then(facts.RenewalOrderCompleted);
    given(...histories.inquiring)
      .when(held(before))
      .then(orderRefused("The registrar did not carry out the order"));
  });

  it("that answers an order with a date that is not renewed is not believed", () => {
    given(...histories.ordering)
      .when(held(before))
      .then(unknown("unanswered", `The registrar answered with the expiry date ${before}`))
      .andReacts(inquiry);
  });

  it.each([
    ["a day less than two years", "2030-02-28T10:00:00.000000Z", facts.RenewalOrderCompleted.type],
    ["three days less", "2030-02-26T10:00:00.000000Z", "RenewalParked"],
    ["a year", "2029-03-01T10:00:00.000000Z", "RenewalParked"],
    ["two days more than before", "2028-03-03T10:00:00.000000Z", "RenewalOrderRefused"],
    ["three days more than before", "2028-03-04T10:00:00.000000Z", "RenewalParked"],
    ["ten years", "2038-03-01T10:00:00.000000Z", facts.RenewalOrderCompleted.type],
  ])("may count days in another way: %s", (_, expiresAt, fact) => {
    const added = renewDomain.decide(held(expiresAt), fold(...histories.inquiring));
    expect(added.map(({ type }) => type)).toEqual([fact]);
  });

  it("is asked again, briefly while the customer waits, then patiently, with the charge standing", () => {
    given(...histories.inquiring)
      .when(inputs.unknown)
      .then(facts.RenewalInquiryFailed)
      .andReacts({ ...inquiry, notBefore: soon });
    const waits: number[] = [];
    const answers: (string | undefined)[] = [];
    let state = fold(...histories.inquiring);
    for (let attempt = 0; attempt < 9; attempt += 1) {
      answers.push(renewalAnswer(state)?.kind);
      const added = renewDomain.decide(inputs.unknown, state);
      state = added.reduce(renewDomain.evolve, state);
      const [fact] = added;
      if (fact?.type !== "RenewalInquiryFailed") throw new Error(fact?.type);
      waits.push(Date.parse(fact.data.nextInquiryAt) - Date.parse(at));
    }
    expect(waits).toEqual([300, 600, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(answers).toEqual([undefined, undefined, undefined, ...Array<string>(6).fill("unsettled")]);
    expect(react(state).kind).toBe("call");
  });

  it("for a day is for staff, and nothing has gone back", () => {
    let state = fold(...histories.inquiring);
    let asked = 0;
    while (state.status === "inquiring") {
      state = renewDomain.decide(inputs.unknown, state).reduce(renewDomain.evolve, state);
      asked += 1;
    }
    expect(asked).toBe(inquiryLimit);
    expect(state).toMatchObject({
      status: "parked",
      reason: "The registrar does not tell whether it renewed the domain: No answer",
    });
    expect(renewalAnswer(state)?.kind).toBe("unsettled");
  });
});

describe("a run that was interrupted", () => {
  const interrupted = unknown("interrupted", "The run was interrupted");

  it("asks the registrar before it orders again", () => {
    given(...histories.ordering)
      .when(inputs.resumed)
      .then(interrupted)
      .andReacts(inquiry);
    given(...histories.ordering, interrupted)
      .when(held(before))
      .then(facts.RenewalOrderResumed)
      .andReacts(order);
    given(...histories.ordering, interrupted)
      .when(inputs.held)
      .then(facts.RenewalOrderCompleted);
  });
});

describe("a run that waits for staff", () => {
  const parkedIn = (status: keyof typeof histories): readonly RenewalEvent[] => [
    ...histories[status],
    facts.RenewalParked,
  ];

  it("asks the registrar again when it is let, and counts anew", () => {
    given(...parkedIn("ordering"))
      .when(inputs.retried)
      .then(facts.RenewalUnparked)
      .andReacts(inquiry);
    const { state } = given(...parkedUnsettled)
      .when(inputs.retried)
      .then(facts.RenewalUnparked);
    expect(state).toMatchObject({ status: "inquiring", attempts: 0 });
    expect(react(state)).toEqual(inquiry);
  });

  it("abandoned at the charge: what may have been charged goes back", () => {
    const abandoned = [...parkedIn("charging"), facts.RenewalAbandoned];
    given(...parkedIn("charging"))
      .when(inputs.abandoned)
      .then(facts.RenewalAbandoned)
      .andReacts(refund("The customer called"));
    const { state } = given(...abandoned)
      .when(refuse("charge-not-found"))
      .then(facts.RenewalNeverCharged);
    expect(react(state)).toEqual(recordFailed("abandoned"));
  });

  it.each(["ordering", "inquiring"] as const)(
    "abandoned in %s: the registrar is asked once more",
    (status) => {
      const abandoned = [...parkedIn(status), facts.RenewalAbandoned];
      given(...parkedIn(status))
        .when(inputs.abandoned)
        .then(facts.RenewalAbandoned)
        .andReacts(inquiry);
      given(...abandoned)
        .when(inputs.held)
        .then(facts.RenewalOrderCompleted);
      for (const answer of [
        inputs.unknown,
        inputs.unreachable,
        held(before),
        held("2029-03-01T10:00:00.000000Z"),
      ])
        given(...abandoned)
          .when(answer)
          .then(orderRefused("The customer called"))
          .andReacts(refund("The customer called"));
      expect(react(fold(...abandoned, orderRefused("x"), facts.RenewalChargeReturned))).toEqual(
        recordFailed("abandoned"),
      );
    },
  );

  it.each(["confirming", "refunding", "failing"] as const)("abandoned in %s: it goes on", (status) => {
    given(...parkedIn(status))
      .when(inputs.abandoned)
      .then(facts.RenewalAbandoned)
      .andReacts(react(fold(...histories[status])));
  });

  it("is unsettled, unless the money is back", () => {
    for (const status of ["charging", "ordering", "inquiring", "confirming", "refunding"] as const)
      expect(renewalAnswer(fold(...parkedIn(status)))?.kind).toBe("unsettled");
    expect(renewalAnswer(fold(...parkedIn("failing")))?.kind).toBe("charge-refused");
  });

  it("is refused nothing of a charge it knows of: a missing one is for staff", () => {
    given(...histories.refunding)
      .when(refuse("charge-not-found"))
      .then(parkedFor("charge-not-found: There is no such charge to refund."));
  });
});

describe("the words of other parties", () => {
  it.each([
    ["", "no reason given"],
    ["two\nlines", "two lines"],
    ["x".repeat(5_000), "x".repeat(500)],
  ])("become one bounded line", (reason, line) => {
    given(...histories.ordering)
      .when({ type: "unreachable", reason, at })
      .then(orderRefused(line));
  });
});
