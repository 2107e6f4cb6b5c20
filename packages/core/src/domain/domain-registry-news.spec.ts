import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { domain } from "./domain.decider.ts";
import { samples, reserve } from "./domain.fixture.ts";
import { registryCommands } from "./domain-registry-news.fixture.ts";
import type { DomainNameEvent } from "./domain.events.ts";
import { holderOf } from "./domain.state.ts";

const spec = deciderSpec(domain);
const registered = [samples.RegistrationReserved, samples.DomainRegistered] as const;
const { RecordTransferredAway: leave, FollowExpiry: follow } = registryCommands;

describe("a poll message about a name", () => {
  it("is ignored if the name is not ours", () => {
    for (const command of [leave, follow]) {
      spec.given().when(command).thenRejected("not-found");
      spec.given(samples.TransferReserved).when(command).thenRejected("domain-not-active");
    }
  });

  it("waits until other work on the name ends", () => {
    for (const command of [leave, follow]) {
      spec
        .given(...registered, samples.DomainRenewalStarted)
        .when(command)
        .thenRejected("renewal-in-flight");
      spec
        .given(...registered, samples.ZoneCreated, samples.DomainChangeStarted)
        .when(command)
        .thenRejected("change-in-flight");
    }
  });

  it("ends the domain in any state, and the name can be registered again", () => {
    for (const earlier of [
      [],
      [samples.DomainExpired],
      [samples.DomainSuspended],
      [samples.DomainTransferStarted],
    ])
      spec
        .given(...registered, ...earlier)
        .when(leave)
        .then(samples.DomainTransferredAway);
    spec
      .given(...registered, samples.DomainTransferredAway)
      .when(leave)
      .thenRejected("not-found");
    const again = reserve({ registrationId: "r-2", domainId: 9 });
    spec
      .given(...registered, samples.DomainTransferredAway)
      .when(again)
      .then({
        type: "RegistrationReserved",
        data: { ...samples.RegistrationReserved.data, registrationId: "r-2", domainId: 9 },
      });
  });

  it("ends the domain without a message if staff had started its transfer away, and only then", () => {
    const gone = { ...leave, data: { ...leave.data, messageId: null } };
    const { data } = samples.DomainTransferredAway;
    spec
      .given(...registered, samples.DomainTransferStarted)
      .when(gone)
      .then({ type: "DomainTransferredAway", data: { ...data, messageId: null } });
    const withheld = [samples.DomainTransferStarted, samples.DomainExpired, samples.DomainWithheld];
    for (const earlier of [[], [samples.DomainExpired], withheld])
      spec
        .given(...registered, ...earlier)
        .when(gone)
        .thenRejected("domain-not-active");
  });

  it("moves the expiry date only to a later day, and not of an expired domain", () => {
    spec
      .given(...registered)
      .when(follow)
      .then(samples.DomainExpiryFollowed);
    spec
      .given(...registered, samples.DomainExpiryFollowed)
      .when(follow)
      .thenNothing();
    for (const expiresAt of ["2027-03-01T10:00:00.000000Z", "2028-03-01T23:00:00.000000Z"])
      spec
        .given(...registered)
        .when({ ...follow, data: { ...follow.data, expiresAt } })
        .thenNothing();
    spec
      .given(...registered, samples.DomainExpired)
      .when(follow)
      .thenRejected("domain-not-active");
  });

  it("after the expiry waits for the last renewal attempt or the expiry event", () => {
    const { expiresAt: at } = samples.DomainRegistered.data;
    const late = { ...follow, data: { ...follow.data, at } };
    const before = { ...late, data: { ...late.data, at: at.replace("T10", "T09") } };
    spec
      .given(...registered)
      .when(late)
      .thenRejected("domain-not-renewable");
    const { data } = samples.DomainExpiryFollowed;
    spec
      .given(...registered)
      .when(before)
      .then({ type: "DomainExpiryFollowed", data: { ...data, followedAt: before.data.at } });
  });

  it("leaves a zone of the name, which is remembered until it is removed or a new domain has its own", () => {
    const leftAfter = (...more: readonly DomainNameEvent[]) => {
      const events = [...registered, samples.ZoneCreated, samples.DomainTransferredAway, ...more];
      const state = events.reduce(domain.evolve, domain.initialState);
      return (state.status === "free" ? state : holderOf(state))?.leftZone?.size;
    };
    const { RegistrationReserved, RegistrationReleased, RegistrationHeld } = samples;
    const { TransferReserved, TransferReleased, DomainTransferredIn } = samples;
    const { DomainTransferredAway, DomainExpired, DomainDeleted, ZoneCreated } = samples;
    for (const again of [
      [],
      [RegistrationReserved],
      [RegistrationReserved, RegistrationHeld, RegistrationReleased],
      registered,
      [...registered, DomainTransferredAway, ...registered],
      [...registered, DomainExpired, DomainDeleted],
      [TransferReserved, TransferReleased, ...registered],
      [TransferReserved, DomainTransferredIn],
      [...registered, ZoneCreated, DomainTransferredAway],
    ])
      expect(leftAfter(...again)).toBe(2);
    expect(leftAfter(...registered, ZoneCreated, DomainExpired, DomainDeleted)).toBeUndefined();
  });

  it("is refused if it cannot follow", () => {
    const broken = [
      [samples.DomainTransferredAway],
      [...registered, samples.DomainRenewalStarted, samples.DomainExpiryFollowed],
    ];
    for (const events of broken)
      expect(() => events.reduce(domain.evolve, domain.initialState)).toThrow(CorruptStreamError);
  });
});
