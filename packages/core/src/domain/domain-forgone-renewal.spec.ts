import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import {
  automatic,
  aWeekBefore,
  days,
  expire,
  expiresAt,
  first,
  registered,
  renewing,
  started,
} from "./domain-renewal-scenario.fixture.ts";
import { domain } from "./domain.decider.ts";
import type { DomainNameEvent } from "./domain.events.ts";
import { samples } from "./domain.fixture.ts";

const spec = deciderSpec(domain);

const forgo = (at: string, renewalId = first) => ({ type: "ForgoRenewal", data: { renewalId, at } }) as const;

const forgone = (failedAt: string, renewalId = first): DomainNameEvent => ({
  type: "DomainRenewalFailed",
  data: {
    ...samples.DomainRenewalFailed.data,
    renewalId,
    reason: "registrar-failed",
    requiredCents: null,
    failedAt,
  },
});

describe("an automatic renewal that the registrar would refuse", () => {
  it("fails once without having begun, and is retried a day later", () => {
    spec
      .given(...renewing)
      .when(forgo(aWeekBefore))
      .then(forgone(aWeekBefore));
    spec
      .given(...renewing, forgone(aWeekBefore))
      .when(forgo(aWeekBefore))
      .thenNothing();
    const [second, at] = ["renewal-3-20280301-2", days(1, aWeekBefore)];
    spec
      .given(...renewing, forgone(aWeekBefore))
      .when(automatic(at, second))
      .then(started({ renewalId: second, automatic: true, at }));
  });

  it("expires the domain after its last try", () => {
    spec
      .given(...renewing, forgone(expiresAt))
      .when(expire(expiresAt))
      .then(samples.DomainExpired);
  });

  it("is not recorded if none is due, or one is in progress", () => {
    for (const history of [registered, [...renewing, samples.DomainSuspended]])
      spec
        .given(...history)
        .when(forgo(aWeekBefore))
        .thenRejected("domain-not-renewable");
    for (const at of ["2028-02-23T09:59:59.999999Z", days(3 * 365)])
      spec
        .given(...renewing)
        .when(forgo(at))
        .thenRejected("domain-not-renewable");
    spec
      .given(...renewing, started())
      .when(forgo(aWeekBefore))
      .thenRejected("renewal-in-flight");
  });

  it("does not count as another renewal's failure", () => {
    const fold = (...events: readonly DomainNameEvent[]) => events.reduce(domain.evolve, domain.initialState);
    expect(() => fold(...renewing, started(), forgone(aWeekBefore))).toThrow(CorruptStreamError);
  });
});
