import { describe, expect, it } from "vitest";

import { addYears } from "../calendar/calendar.ts";
import { CorruptStreamError } from "../kernel/decider.ts";
import type { RejectionCode } from "../kernel/rejection-catalogue.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import {
  aWeekBefore,
  automatic,
  days,
  expire,
  expiresAt,
  failed,
  first,
  order,
  outcome,
  recordFailed,
  recordRenewed,
  registered,
  renewed,
  renewing,
  started,
} from "./domain-renewal-scenario.fixture.ts";
import { domain } from "./domain.decider.ts";
import type { DomainNameEvent, DomainRegistered } from "./domain.events.ts";
import { samples } from "./domain.fixture.ts";
import type { DomainState } from "./domain.state.ts";

const spec = deciderSpec(domain);

describe("a renewal that the customer asks for", () => {
  it("begins for the present expiry date", () => {
    spec
      .given(...registered)
      .when(order({ years: 3 }))
      .then(started({ years: 3 }));
  });

  it("may be repeated: during the run, after a success, after a failure", () => {
    spec
      .given(...registered, started())
      .when(order())
      .thenNothing();
    spec
      .given(...registered, ...renewed("renewal-op"))
      .when(order())
      .thenNothing();
    spec
      .given(...registered, ...failed("renewal-op", days(-99), false))
      .when(order())
      .thenNothing();
    // A repeat adds nothing even if it has the new expiry date.
    spec
      .given(...registered, ...renewed("renewal-op"))
      .when(order({ expiresAt: addYears(expiresAt, 1) }))
      .thenNothing();
  });

  it("is refused while another renewal is in progress", () => {
    spec
      .given(...registered, started())
      .when(order({ renewalId: "renewal-other" }))
      .thenRejected("renewal-in-flight");
  });

  it("renews only the present expiry date", () => {
    spec
      .given(...registered, ...renewed("renewal-op"))
      .when(order({ renewalId: "renewal-other" }))
      .thenRejected("domain-not-renewable");
  });

  it("is refused while the domain is on its way to another registrar, and possible while it is suspended", () => {
    spec
      .given(...registered, samples.DomainSuspended)
      .when(order())
      .then(started());
    spec
      .given(...registered, samples.DomainTransferStarted)
      .when(order())
      .thenRejected("domain-not-renewable");
  });

  it.each([
    ["at the day it expires", days(0), true],
    ["at the end of the grace period", days(45), true],
    ["a moment after it", "2028-04-15T10:00:00.000001Z", false],
  ] as const)("of an expired domain, %s", (_, at, isPossible) => {
    for (const history of [registered, [...registered, samples.DomainExpired]]) {
      const when = spec.given(...history).when(order({ at }));
      if (isPossible) when.then(started({ at }));
      else when.thenRejected("domain-not-renewable");
    }
  });

  it("is refused for a name without a domain", () => {
    spec.given().when(order()).thenRejected("not-found");
    spec.given(samples.RegistrationReserved).when(order()).thenRejected("not-found");
  });

  it.each([
    // At this moment the domain expires in exactly two years, so eight can be added.
    [8, "2026-03-01T10:00:00.000000Z", true],
    [9, "2026-03-01T10:00:00.000000Z", false],
    // A microsecond earlier, the result would be more than ten years ahead.
    [8, "2026-03-01T09:59:59.999999Z", false],
    [7, "2026-03-01T09:59:59.999999Z", true],
    [10, days(1), true],
    [10, days(0), true],
    [11, days(1), false],
    [0, days(-100), false],
    [-1, days(-100), false],
    [1.5, days(-100), false],
  ] as const)("of %s years at %s leads to at most ten years ahead", (years, at, isPossible) => {
    const when = spec.given(...registered).when(order({ years, at }));
    if (isPossible) when.then(started({ years, at }));
    else when.thenRejected("validation-failed");
  });

  it("lists the possible years", () => {
    const at = "2026-03-01T10:00:00.000000Z";
    spec
      .given(...registered)
      .when(order({ years: 10, at }))
      .thenRejected("validation-failed", {
        fieldErrors: {
          years: ["must be a whole number from 1 to 8: a domain's expiry date is at most 10 years ahead"],
        },
      });
    const tenYears: DomainRegistered["data"] = {
      ...samples.DomainRegistered.data,
      expiresAt: addYears(at, 10),
    };
    spec
      .given(samples.RegistrationReserved, { type: "DomainRegistered", data: tenYears })
      .when(order({ at, expiresAt: tenYears.expiresAt }))
      .thenRejected("validation-failed", {
        fieldErrors: { years: ["cannot be added now: a domain's expiry date is at most 10 years ahead"] },
      });
  });
});

describe("the outcome of a renewal", () => {
  const flying = [...registered, started()];

  it("is recorded once", () => {
    const event: DomainNameEvent = {
      type: "DomainRenewed",
      data: {
        ...outcome,
        renewalId: "renewal-op",
        domainId: 3,
        accountId: 7,
        years: 1,
        automatic: false,
        previousExpiresAt: expiresAt,
        expiresAt: addYears(expiresAt, 1),
        renewedAt: days(-99),
      },
    };
    spec
      .given(...flying)
      .when(recordRenewed("renewal-op"))
      .then(event);
    spec
      .given(...flying, event)
      .when(recordRenewed("renewal-op"))
      .thenNothing();
    const later = started({ renewalId: "renewal-next", expiresAt: addYears(expiresAt, 1) });
    const next = [...flying, event, later];
    spec
      .given(...next)
      .when(recordRenewed("renewal-op"))
      .thenNothing();
  });

  it("is a failure that leaves the domain unchanged", () => {
    const event: DomainNameEvent = {
      type: "DomainRenewalFailed",
      data: {
        renewalId: "renewal-op",
        domainId: 3,
        accountId: 7,
        name: "example.com",
        automatic: false,
        reason: "insufficient-balance",
        expiresAt,
        requiredCents: "1428",
        failedAt: days(-99),
      },
    };
    spec
      .given(...flying)
      .when(recordFailed("renewal-op"))
      .then(event);
    spec
      .given(...flying, event)
      .when(recordFailed("renewal-op"))
      .thenNothing();
    spec
      .given(...flying, event)
      .when(order({ renewalId: "renewal-again" }))
      .then(started({ renewalId: "renewal-again" }));
  });

  it.each([
    ["no renewal is under way", registered, "renewal-op"],
    ["another one is", flying, "renewal-other"],
  ] as const)("is not recorded if %s", (_, history, renewalId) => {
    spec
      .given(...history)
      .when(recordRenewed(renewalId))
      .thenRejected("domain-not-renewable");
    spec
      .given(...history)
      .when(recordFailed(renewalId))
      .thenRejected("domain-not-renewable");
  });

  it("is final: a failure never becomes a success, nor vice versa", () => {
    spec
      .given(...registered, ...failed("renewal-op", days(-99), false))
      .when(recordRenewed("renewal-op"))
      .thenRejected("domain-not-renewable");
    spec
      .given(...registered, ...renewed("renewal-op"))
      .when(recordFailed("renewal-op"))
      .thenRejected("domain-not-renewable");
  });

  it("makes an expired domain active again", () => {
    const events = [...registered, samples.DomainExpired, ...renewed("renewal-op")];
    const state = events.reduce(domain.evolve, domain.initialState);
    expect(state).toMatchObject({ domain: { expired: false, expiresAt: addYears(expiresAt, 1) } });
  });
});

describe("automatic renewal", () => {
  it.each([
    ["a moment before the last week", "2028-02-23T09:59:59.999999Z", "domain-not-renewable"],
    ["a week before expiry", aWeekBefore, undefined],
    ["on the last day", days(-1), undefined],
    ["after expiry, when nobody looked in time", days(40), undefined],
  ] as const)("is tried %s?", (_, at, refusal) => {
    const when = spec.given(...renewing).when(automatic(at));
    if (refusal === undefined) when.then(started({ renewalId: first, automatic: true, at }));
    else when.thenRejected(refusal);
  });

  it("is tried again a day after a failure, under an id of its own", () => {
    const second = "renewal-3-20280301-2";
    const history = [...renewing, ...failed(first, aWeekBefore)];
    const almost = "2028-02-24T09:59:59.999999Z";
    spec
      .given(...history)
      .when(automatic(almost, second))
      .thenRejected("domain-not-renewable");
    const at = days(1, aWeekBefore);
    spec
      .given(...history)
      .when(automatic(at, second))
      .then(started({ renewalId: second, automatic: true, at }));
    // A slow worker repeats the first renewal, which adds nothing.
    spec
      .given(...history)
      .when(automatic(at, first))
      .thenNothing();
  });

  it("ignores failures of the customer's own renewals", () => {
    spec
      .given(...renewing, ...failed("renewal-op", aWeekBefore, false))
      .when(automatic(aWeekBefore))
      .then(started({ renewalId: first, automatic: true, at: aWeekBefore }));
  });

  it("counts its attempts again for the next expiry date", () => {
    const next = addYears(expiresAt, 1);
    const history = [...renewing, ...failed(first, aWeekBefore), ...renewed("renewal-op")];
    const at = days(-7, next);
    const renewalId = "renewal-3-20290301-1";
    spec
      .given(...history)
      .when(automatic(at, renewalId, { expiresAt: next }))
      .then(started({ renewalId, automatic: true, at, expiresAt: next }));
  });

  const cases: readonly [string, readonly DomainNameEvent[], RejectionCode][] = [
    ["not wanted", registered, "domain-not-renewable"],
    ["of a suspended domain", [...renewing, samples.DomainSuspended], "domain-not-renewable"],
    ["of a domain in transfer", [...renewing, samples.DomainTransferStarted], "domain-not-renewable"],
    ["of an expired domain", [...renewing, samples.DomainExpired], "domain-not-renewable"],
    ["while another one runs", [...renewing, started()], "renewal-in-flight"],
  ];
  it.each(cases)("is not made: %s", (_, history, refusal) => {
    spec
      .given(...history)
      .when(automatic(days(-1)))
      .thenRejected(refusal);
  });
});

describe("expiry", () => {
  it("comes with the expiry date, once", () => {
    spec
      .given(...registered)
      .when(expire("2028-03-01T09:59:59.999999Z"))
      .thenRejected("domain-not-renewable");
    spec
      .given(...registered)
      .when(expire(expiresAt))
      .then(samples.DomainExpired);
    spec
      .given(...registered, samples.DomainExpired)
      .when(expire(days(1)))
      .thenNothing();
    spec.given().when(expire(expiresAt)).thenRejected("not-found");
  });

  it("comes to a suspended domain too", () => {
    spec
      .given(...renewing, samples.DomainSuspended)
      .when(expire(expiresAt))
      .then(samples.DomainExpired);
  });

  it("waits for a renewal in progress", () => {
    spec
      .given(...registered, started())
      .when(expire(expiresAt))
      .thenRejected("renewal-in-flight");
  });

  it("waits for an automatic renewal that was never attempted", () => {
    spec
      .given(...renewing)
      .when(expire(days(20)))
      .thenRejected("domain-not-renewable");
    spec
      .given(...renewing, ...failed(first, days(20)))
      .when(expire(days(20)))
      .then({
        ...samples.DomainExpired,
        data: { ...samples.DomainExpired.data, expiredAt: days(20) },
      });
  });

  it.each([-1, -0.5])(
    "waits for a last attempt at that moment, %d days after the one before, and for no other",
    (last) => {
      const history = [...renewing, ...failed(first, days(last))];
      const second = "renewal-3-20280301-2";
      for (const early of [automatic(days(-1 / 86_400), second), expire(expiresAt)])
        spec
          .given(...history)
          .when(early)
          .thenRejected("domain-not-renewable");
      spec
        .given(...history)
        .when(automatic(expiresAt, second))
        .then(started({ renewalId: second, automatic: true, at: expiresAt }));
      const over = [...history, ...failed(second, expiresAt)];
      spec
        .given(...over)
        .when(automatic(days(1), "renewal-3-20280301-3"))
        .thenRejected("domain-not-renewable");
      spec
        .given(...over)
        .when(expire(expiresAt))
        .then(samples.DomainExpired);
    },
  );

  it("waits for a missed daily attempt, too", () => {
    const history = [...renewing, ...failed(first, days(-3))];
    spec
      .given(...history)
      .when(expire(days(5)))
      .thenRejected("domain-not-renewable");
    spec
      .given(...history)
      .when(automatic(days(5), "renewal-3-20280301-2"))
      .then(started({ renewalId: "renewal-3-20280301-2", automatic: true, at: days(5) }));
  });
});

describe("a corrupt stream", () => {
  const fold = (...events: readonly DomainNameEvent[]): DomainState =>
    events.reduce(domain.evolve, domain.initialState);

  it("has two renewals at a time, two under one id, or an end without a begin", () => {
    expect(() => fold(...registered, started(), started())).toThrow(CorruptStreamError);
    expect(() => fold(...registered, ...renewed("renewal-op"), started())).toThrow(CorruptStreamError);
    expect(() => fold(...registered, samples.DomainRenewed)).toThrow(CorruptStreamError);
    expect(() => fold(...registered, samples.DomainRenewalFailed)).toThrow(CorruptStreamError);
    expect(() => fold(...registered, started({ renewalId: "renewal-x" }), samples.DomainRenewed)).toThrow(
      CorruptStreamError,
    );
  });
});
