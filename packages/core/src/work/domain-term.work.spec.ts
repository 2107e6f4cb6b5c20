import { describe, expect, it } from "vitest";

import { domain as decider } from "../domain/domain.decider.ts";
import type { DomainNameEvent } from "../domain/domain.events.ts";
import {
  days,
  expiresAt,
  failed,
  first,
  registered,
  renewing,
  started,
} from "../domain/domain-renewal-scenario.fixture.ts";
import type { RegisteredDomain } from "../domain/domain.state.ts";
import { genericLifeCycle } from "../pricing/extension-life-cycle.ts";
import { asksPayer, nextOfDomainTerm } from "./domain-term.work.ts";
import type { Payer } from "./next.ts";

const domainId = 3;
const expired: DomainNameEvent = {
  type: "DomainExpired",
  data: { domainId, accountId: 7, name: "example.com", expiresAt, expiredAt: expiresAt },
};
const rich: Payer = { balanceCents: 100_000n, isErased: false };

function after(...events: readonly DomainNameEvent[]): RegisteredDomain {
  const state = events.reduce(decider.evolve, decider.initialState);
  if (state.status !== "registered") throw new Error("the domain is registered");
  return state.domain;
}

function next(domain: RegisteredDomain, now: string, payer: Payer | undefined = rich) {
  return nextOfDomainTerm({ domain, lifeCycle: domain.expired ? genericLifeCycle : null, payer }, now);
}

describe("the paid time of a domain", () => {
  it("waits for the first automatic renewal, a week before expiry", () => {
    expect(next(after(...renewing), days(-30))).toEqual({ wait: days(-7), awaitsFunds: false });
    expect(asksPayer(after(...renewing), days(-30))).toBe(false);
  });

  it("is renewed then, but not if its account was erased", () => {
    const domain = after(...renewing);
    expect(asksPayer(domain, days(-7))).toBe(true);
    expect(next(domain, days(-7))).toMatchObject({ do: { type: "renew", renewal: { renewalId: first } } });
    expect(next(domain, days(-7), { ...rich, isErased: true })).toEqual({ do: { type: "stop-renewing" } });
  });

  it("waits for a renewal in progress", () => {
    expect(next(after(...renewing, started()), days(-6))).toBe("done");
  });

  it("waits a day after a renewal that could not be paid, or until a payment", () => {
    const unpaid = after(...renewing, ...failed(first, days(-7)));
    const poor = { balanceCents: 1_427n, isErased: false };
    expect(asksPayer(unpaid, days(-6.5))).toBe(true);
    expect(next(unpaid, days(-6.5), poor)).toEqual({ wait: days(-6), awaitsFunds: true });
    expect(next(unpaid, days(-6.5), { balanceCents: 1_428n, isErased: false })).toMatchObject({
      do: { type: "renew", availableCents: 1_428n },
    });
  });

  it("waits for staff if the renewal is more than a year late", () => {
    expect(next(after(...renewing), days(366))).toMatchObject({
      stopped: expect.stringContaining("year") as string,
    });
  });

  it("expires without a renewal", () => {
    expect(next(after(...registered), days(-1))).toEqual({ wait: expiresAt, awaitsFunds: false });
    expect(next(after(...registered), expiresAt)).toEqual({ do: { type: "expire" } });
  });

  it("ends after its days of grace and its last days, checked every hour", () => {
    const domain = after(...registered, expired);
    expect(next(domain, days(45))).toEqual({ wait: "2028-04-15T10:00:00.001000Z" });
    expect(next(domain, days(1))).toEqual({ wait: "2028-03-02T11:00:00.000000Z" });
    expect(next(domain, days(45.1))).toEqual({ do: { type: "withhold", lifeCycle: genericLifeCycle } });
    expect(next(domain, days(80))).toEqual({ do: { type: "delete", lifeCycle: genericLifeCycle } });
  });

  it("does not end during a transfer to another registrar", () => {
    const started: DomainNameEvent = {
      type: "DomainTransferStarted",
      data: { domainId, startedAt: days(1) },
    };
    expect(next(after(...registered, expired, started), days(80))).toBe("done");
  });
});
