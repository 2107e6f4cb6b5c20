import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { automatic, expire, registered, renewing, started } from "./domain-renewal-scenario.fixture.ts";
import { isYearsLate } from "./domain-renewal.ts";
import { domain } from "./domain.decider.ts";
import { samples } from "./domain.fixture.ts";

const spec = deciderSpec(domain);

describe("an automatic renewal that is more than a year late", () => {
  const late = "2030-06-01T10:00:00.000000Z";
  const catchingUp = automatic(late);
  const word = { type: "AllowLateRenewal", data: { at: late } } as const;

  it("is not charged, and the domain does not expire, until staff decide", () => {
    for (const command of [catchingUp, expire(late)])
      spec
        .given(...renewing)
        .when(command)
        .thenRejected("domain-not-renewable");
    spec
      .given(...renewing)
      .when(automatic("2029-03-01T09:59:59.999999Z"))
      .then(
        started({ renewalId: catchingUp.data.renewalId, automatic: true, at: "2029-03-01T09:59:59.999999Z" }),
      );
  });

  it("is charged year by year up to the date that staff allowed, then needs staff again", () => {
    spec
      .given(...renewing)
      .when(word)
      .then(samples.LateRenewalAllowed);
    spec
      .given(...renewing, samples.LateRenewalAllowed)
      .when(word)
      .thenNothing();
    const allowed = [...renewing, samples.LateRenewalAllowed];
    spec
      .given(...allowed)
      .when(catchingUp)
      .then(started({ renewalId: catchingUp.data.renewalId, automatic: true, at: late }));
    const folded = (at: string) => {
      const state = allowed.reduce(domain.evolve, domain.initialState);
      return (
        state.status === "registered" &&
        isYearsLate({ ...state.domain, expiresAt: "2030-03-01T10:00:00.000000Z" }, at)
      );
    };
    expect([
      folded(late),
      folded("2031-03-01T09:00:00.000000Z"),
      folded("2031-03-01T10:00:00.000000Z"),
    ]).toEqual([false, false, true]);
  });

  it("can only be allowed if it exists", () => {
    for (const history of [registered, [...renewing, samples.DomainSuspended]])
      spec
        .given(...history)
        .when(word)
        .thenRejected("domain-not-renewable");
    spec
      .given(...renewing)
      .when({ ...word, data: { at: "2028-06-01T10:00:00.000000Z" } })
      .thenRejected("domain-not-renewable");
  });
});
