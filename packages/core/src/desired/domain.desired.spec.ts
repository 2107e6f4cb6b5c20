import { describe, expect, it } from "vitest";

import {
  deliveryWarning,
  isDeliveryKnown,
  isToBeHeld,
  nextDelivery,
  wantedOffline,
} from "./domain.desired.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { deliveryCommands, deliveryEvents } from "../domain/domain-delivery.fixture.ts";
import { domain } from "../domain/domain.decider.ts";
import type { DomainNameEvent } from "../domain/domain.events.ts";
import { customNameservers, samples } from "../domain/domain.fixture.ts";
import type { RegisteredDomain } from "../domain/domain.state.ts";

const spec = deciderSpec(domain);
const { SuspendDelivery, ResumeDelivery, AbandonDelivery } = deliveryCommands;
const { DomainDeliverySuspended, DomainDeliveryResumed, DomainDeliveryAbandoned } = deliveryEvents;
const registered: readonly DomainNameEvent[] = [samples.RegistrationReserved, samples.DomainRegistered];
const suspended = [...registered, DomainDeliverySuspended];
const withOwnNameservers: readonly DomainNameEvent[] = [
  {
    ...samples.RegistrationReserved,
    data: { ...samples.RegistrationReserved.data, nameservers: customNameservers },
  },
  samples.DomainRegistered,
];

function domainAfter(...events: readonly DomainNameEvent[]): RegisteredDomain {
  const state = events.reduce(domain.evolve, domain.initialState);
  if (state.status !== "registered") throw new Error("the name is not registered");
  return state.domain;
}

describe("a failing setup of a domain", () => {
  it("waits for staff after a limit, and records that once", () => {
    spec
      .given(...registered)
      .when(SuspendDelivery)
      .then(DomainDeliverySuspended);
    spec
      .given(...suspended)
      .when(SuspendDelivery)
      .thenNothing();
  });

  it("is retried when staff allow it, and may wait again", () => {
    spec
      .given(...suspended)
      .when(ResumeDelivery)
      .then(DomainDeliveryResumed);
    spec
      .given(...suspended, DomainDeliveryResumed)
      .when(SuspendDelivery)
      .then(DomainDeliverySuspended);
  });

  it("ends for good when staff abandon it", () => {
    const abandoned = [...suspended, DomainDeliveryAbandoned];
    spec
      .given(...suspended)
      .when(AbandonDelivery)
      .then(DomainDeliveryAbandoned);
    spec
      .given(...abandoned)
      .when(SuspendDelivery)
      .thenNothing();
    spec
      .given(...abandoned)
      .when(ResumeDelivery)
      .thenRejected("run-not-parked");
  });

  it("ignores staff while it runs on its own", () => {
    for (const word of [ResumeDelivery, AbandonDelivery])
      spec
        .given(...registered)
        .when(word)
        .thenRejected("run-not-parked");
  });

  it("exists only for a registered domain", () => {
    for (const command of Object.values(deliveryCommands))
      spec.given(samples.RegistrationReserved).when(command).thenRejected("not-found");
  });

  it("refuses events that cannot follow", () => {
    for (const [given, event] of [
      [registered, DomainDeliveryResumed],
      [registered, DomainDeliveryAbandoned],
      [suspended, DomainDeliverySuspended],
    ] as const)
      expect(() => domainAfter(...given, event)).toThrow(/cannot follow|corrupt/i);
  });
});

describe("the next setup step of a domain", () => {
  const zone = { type: "zone" };
  const delegation = { type: "delegation", nameservers: customNameservers };
  const { NameserversChanged, NameserversRefused, ZoneCreated, ZoneCreationFailed } = samples;

  it.each<[string, readonly DomainNameEvent[], unknown, boolean]>([
    ["a zone", registered, zone, false],
    ["a zone that failed", [...registered, ZoneCreationFailed], zone, true],
    ["nothing with its zone", [...registered, ZoneCreated], undefined, true],
    [
      "nothing on nameservers that its customer has set meanwhile",
      [...registered, NameserversChanged],
      undefined,
      true,
    ],
    ["its customer's nameservers", withOwnNameservers, delegation, false],
    ["nothing on its customer's nameservers", [...withOwnNameservers, NameserversChanged], undefined, true],
    ["a zone where they were refused", [...withOwnNameservers, NameserversRefused], zone, false],
    ["nothing while it waits for staff", suspended, undefined, true],
    ["the same again once staff says so", [...suspended, DomainDeliveryResumed], zone, false],
    ["nothing where staff has left it", [...suspended, DomainDeliveryAbandoned], undefined, true],
  ])("%s", (_, events, next, isRecorded) => {
    const state = domainAfter(...events);
    expect(nextDelivery(state)).toEqual(next);
    expect(isDeliveryKnown(state)).toBe(isRecorded);
  });
});

describe("the warning about a registration's nameservers", () => {
  it("is the registrar's reason for a refusal", () => {
    expect(deliveryWarning(domainAfter(...withOwnNameservers, samples.NameserversRefused))).toBe(
      samples.NameserversRefused.data.reason,
    );
  });

  it("shows that the outcome is unknown, until it is known", () => {
    const waiting = [...withOwnNameservers, DomainDeliverySuspended];
    expect(deliveryWarning(domainAfter(...waiting))).toBe(DomainDeliverySuspended.data.reason);
    for (const event of [DomainDeliveryResumed, DomainDeliveryAbandoned, samples.NameserversChanged])
      expect(deliveryWarning(domainAfter(...waiting, event))).toBeUndefined();
  });

  it("does not concern zones", () => {
    expect(deliveryWarning(domainAfter(...registered))).toBeUndefined();
    expect(deliveryWarning(domainAfter(...suspended))).toBeUndefined();
  });
});

describe("the registrar must report the domain as present", () => {
  const { DomainExpired, DomainTransferStarted, DomainRenewalStarted, DomainChangeStarted } = samples;

  it.each<[string, readonly DomainNameEvent[], boolean]>([
    ["a domain in force", [], true],
    ["not one that has expired", [DomainExpired], false],
    ["not one that leaves", [DomainTransferStarted], false],
    ["not one that is being renewed", [DomainRenewalStarted], false],
    ["not one that is being changed", [DomainChangeStarted], false],
  ])("is %s", (_, given, expected) => {
    expect(isToBeHeld(domainAfter(...registered, ...given))).toBe(expected);
  });
});

describe("a suspended domain", () => {
  const active = domainAfter(...registered);
  const withZone = { ...domainAfter(...registered, samples.ZoneCreated), suspended: true };

  it.each([
    ["active", active, null],
    ["on the service's nameservers", withZone, "zone"],
    ["on the service's nameservers, without a zone yet", { ...withZone, zone: null }, "registrar"],
    ["on the customer's nameservers", { ...withZone, usesServiceNameservers: false }, "registrar"],
    ["offline by its registrar already", { ...withZone, offline: "registrar" as const }, "registrar"],
    ["withheld by its registry", { ...withZone, withheld: true }, null],
    ["suspended no more", { ...active, offline: "zone" as const }, null],
  ])("that is %s", (_how, domain, wanted) => {
    expect(wantedOffline(domain, "zone")).toBe(wanted);
  });
});
