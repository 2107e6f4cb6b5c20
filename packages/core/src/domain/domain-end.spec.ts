import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { genericLifeCycle } from "../pricing/extension-life-cycle.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import type { DeleteDomain, WithholdDomain } from "./domain.commands.ts";
import { domain } from "./domain.decider.ts";
import { samples, reserve } from "./domain.fixture.ts";

const spec = deciderSpec(domain);
const expired = [samples.RegistrationReserved, samples.DomainRegistered, samples.DomainExpired] as const;
/** The domain expired on 1 March; it is deleted 45, 30 and 5 days later. */
const at = samples.DomainDeleted.data.deletedAt;
const end: DeleteDomain = { type: "DeleteDomain", data: { lifeCycle: genericLifeCycle, at } };

const hold: WithholdDomain = {
  type: "WithholdDomain",
  data: { lifeCycle: genericLifeCycle, at: samples.DomainWithheld.data.withheldAt },
};

describe("the hold of a name that nobody renewed", () => {
  it("begins when its extension's days of grace are over, once", () => {
    spec
      .given(...expired)
      .when(hold)
      .then(samples.DomainWithheld);
    spec
      .given(...expired)
      .when({ ...hold, data: { ...hold.data, at: "2028-04-15T10:00:00.000000Z" } })
      .thenRejected("domain-not-active");
    spec
      .given(...expired, samples.DomainWithheld)
      .when(hold)
      .thenNothing();
  });

  it("does not begin while the name is renewed, changed, on its way, or not expired", () => {
    const [reserved, registered] = expired;
    spec.given(reserved, registered).when(hold).thenRejected("domain-not-active");
    for (const [event, code] of [
      [samples.DomainTransferStarted, "domain-not-active"],
      [samples.DomainRenewalStarted, "renewal-in-flight"],
    ] as const)
      spec
        .given(...expired, event)
        .when(hold)
        .thenRejected(code);
  });

  it("ends with a renewal, and with the name", () => {
    const held = [...expired, samples.DomainWithheld] as const;
    spec
      .given(...held)
      .when(end)
      .then(samples.DomainDeleted);
    const state = [...held, samples.DomainRenewalStarted, samples.DomainRenewed].reduce(
      domain.evolve,
      domain.initialState,
    );
    expect(state).toMatchObject({ domain: { expired: false, withheld: false } });
  });
});

describe("the end of a name that nobody renewed", () => {
  it("comes when its extension's days are over, not a moment earlier", () => {
    spec
      .given(...expired)
      .when(end)
      .then(samples.DomainDeleted);
    const early = { ...end.data, at: "2028-05-20T09:59:59.999999Z" };
    spec
      .given(...expired)
      .when({ ...end, data: early })
      .thenRejected("domain-not-active");
    const lifeCycle = { ...genericLifeCycle, redemptionDays: 31 };
    spec
      .given(...expired)
      .when({ ...end, data: { ...end.data, lifeCycle } })
      .thenRejected("domain-not-active");
  });

  it("does not come to a name that has not expired, is on its way, or is worked on", () => {
    const [reserved, registered] = expired;
    spec.given(reserved, registered).when(end).thenRejected("domain-not-active");
    spec
      .given(...expired, samples.DomainTransferStarted)
      .when(end)
      .thenRejected("domain-not-active");
    spec
      .given(...expired, samples.DomainRenewalStarted)
      .when(end)
      .thenRejected("renewal-in-flight");
    spec
      .given(...expired, samples.ZoneCreated, samples.DomainChangeStarted)
      .when(end)
      .thenRejected("change-in-flight");
    spec.given().when(end).thenRejected("not-found");
    spec.given(samples.TransferReserved).when(end).thenRejected("domain-not-active");
  });

  it("comes once; afterwards anybody may register the name, also its former owner", () => {
    const ended = [...expired, samples.DomainDeleted];
    spec
      .given(...ended)
      .when(end)
      .thenRejected("not-found");
    const again = { registrationId: "r-2", domainId: 9 };
    spec
      .given(...ended)
      .when(reserve(again))
      .then({ type: "RegistrationReserved", data: { ...samples.RegistrationReserved.data, ...again } });
    expect(() => domain.evolve(domain.initialState, samples.DomainDeleted)).toThrow(CorruptStreamError);
  });
});
