import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import type { RejectionCode } from "../kernel/rejection-catalogue.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import type { RegistrationNameCommand } from "./domain.commands.ts";
import { domain } from "./domain.decider.ts";
import { domainCodec, type DomainNameEvent } from "./domain.events.ts";
import {
  at,
  commands,
  customNameservers,
  samples,
  registrationId,
  reserve,
  serviceNameservers,
} from "./domain.fixture.ts";
import type { DomainState } from "./domain.state.ts";

const spec = deciderSpec(domain);

type Status = DomainState["status"];
type Answer = DomainNameEvent | "nothing" | RejectionCode;

const histories: Readonly<Record<Status, readonly DomainNameEvent[]>> = {
  free: [],
  reserved: [samples.RegistrationReserved],
  held: [samples.RegistrationReserved, samples.RegistrationHeld],
  transferring: [samples.TransferReserved],
  registered: [samples.RegistrationReserved, samples.DomainRegistered],
};

/** The answers to every command in every state, for the run that has the name. */
const own: Readonly<Record<RegistrationNameCommand["type"], Readonly<Record<Status, Answer>>>> = {
  ReserveRegistration: {
    free: samples.RegistrationReserved,
    reserved: "nothing",
    held: "nothing",
    transferring: "registration-in-flight",
    registered: "domain-taken",
  },
  ReleaseRegistration: {
    free: "nothing",
    reserved: samples.RegistrationReleased,
    held: samples.RegistrationReleased,
    transferring: "registration-not-found",
    registered: "domain-taken",
  },
  HoldRegistration: {
    free: "registration-not-found",
    reserved: samples.RegistrationHeld,
    held: "nothing",
    transferring: "registration-not-found",
    registered: "domain-taken",
  },
  RegisterDomain: {
    free: "registration-not-found",
    reserved: samples.DomainRegistered,
    held: "registration-not-found",
    transferring: "registration-not-found",
    registered: "nothing",
  },
  RecordZoneCreated: onlyRegistered(samples.ZoneCreated),
  RecordZoneFailed: onlyRegistered(samples.ZoneCreationFailed),
  RecordNameserversChanged: onlyRegistered(samples.NameserversChanged),
  RecordNameserversRefused: onlyRegistered(samples.NameserversRefused),
};

/** The answers for a run that does not have the name. */
const foreign: Readonly<
  Record<RegistrationNameCommand["type"], Readonly<Record<Exclude<Status, "free">, RejectionCode>>>
> = {
  ReserveRegistration: {
    reserved: "registration-in-flight",
    held: "registration-in-flight",
    transferring: "registration-in-flight",
    registered: "domain-taken",
  },
  ReleaseRegistration: always("registration-not-found"),
  HoldRegistration: always("registration-not-found"),
  RegisterDomain: always("registration-not-found"),
  RecordZoneCreated: always("registration-not-found"),
  RecordZoneFailed: always("registration-not-found"),
  RecordNameserversChanged: always("registration-not-found"),
  RecordNameserversRefused: always("registration-not-found"),
};

function onlyRegistered(event: DomainNameEvent): Readonly<Record<Status, Answer>> {
  return { ...always("registration-not-found"), free: "registration-not-found", registered: event };
}

function always(code: RejectionCode): Readonly<Record<Exclude<Status, "free">, RejectionCode>> {
  return { reserved: code, held: code, transferring: code, registered: code };
}

function expectAnswer(status: Status, command: RegistrationNameCommand, answer: Answer): void {
  const when = spec.given(...histories[status]).when(command);
  if (answer === "nothing") when.thenNothing();
  else if (typeof answer === "string") when.thenRejected(answer);
  else when.then(answer);
}

describe("every command on a name in every state", () => {
  const statuses = Object.keys(histories).filter((status): status is Status => status in histories);
  const types = Object.values(commands).map((command) => command.type);

  for (const status of statuses) {
    test.each(types)(`${status}: %s of its own run`, (type) => {
      expectAnswer(status, commands[type], own[type][status]);
    });

    if (status === "free") continue;
    test.each(types)(`${status}: %s of another run`, (type) => {
      expectAnswer(status, ofAnotherRun(commands[type]), foreign[type][status]);
    });
  }
});

function ofAnotherRun(command: RegistrationNameCommand): RegistrationNameCommand {
  switch (command.type) {
    case "ReserveRegistration":
      return reserve({ registrationId: "r-2", domainId: 4, accountId: 8 });
    case "ReleaseRegistration":
      return { ...command, data: { ...command.data, registrationId: "r-2" } };
    case "HoldRegistration":
      return { ...command, data: { ...command.data, registrationId: "r-2" } };
    case "RegisterDomain":
      return { ...command, data: { ...command.data, registrationId: "r-2" } };
    case "RecordZoneCreated":
      return { ...command, data: { ...command.data, registrationId: "r-2" } };
    case "RecordZoneFailed":
      return { ...command, data: { ...command.data, registrationId: "r-2" } };
    case "RecordNameserversChanged":
      return { ...command, data: { ...command.data, registrationId: "r-2" } };
    case "RecordNameserversRefused":
      return { ...command, data: { ...command.data, registrationId: "r-2" } };
  }
}

describe("the life of a name", () => {
  it("is free again after a release, for anyone", () => {
    const another = reserve({ registrationId: "r-2", domainId: 4, accountId: 8 });
    const { at: reservedAt, ...order } = another.data;
    for (const history of [histories.reserved, histories.held]) {
      spec
        .given(...history, samples.RegistrationReleased)
        .when(another)
        .then({ type: "RegistrationReserved", data: { ...order, reservedAt } });
    }
  });

  it("is not released by an earlier run", () => {
    const { at: reservedAt, ...order } = reserve({ registrationId: "r-2" }).data;
    spec
      .given(samples.RegistrationReserved, samples.RegistrationReleased, {
        type: "RegistrationReserved",
        data: { ...order, reservedAt },
      })
      .when(commands.ReleaseRegistration)
      .thenRejected("registration-not-found");
  });

  it("is registered for the account, the years and the renewal it was reserved with", () => {
    const state = [...histories.registered].reduce(domain.evolve, domain.initialState);
    expect(state).toMatchObject({
      status: "registered",
      domain: {
        domainId: 3,
        accountId: 7,
        years: 2,
        autoRenew: false,
        zone: null,
        nameservers: serviceNameservers,
      },
    });
  });

  it("gets its zone once", () => {
    spec
      .given(...histories.registered, samples.ZoneCreated)
      .when(commands.RecordZoneCreated)
      .thenNothing();
  });

  it("gets its zone after failures, of which the first is recorded", () => {
    const failed = [...histories.registered, samples.ZoneCreationFailed];
    spec
      .given(...failed)
      .when(commands.RecordZoneFailed)
      .thenNothing();
    spec
      .given(...failed)
      .when(commands.RecordZoneCreated)
      .then(samples.ZoneCreated);
    spec
      .given(...failed, samples.ZoneCreated)
      .when(commands.RecordZoneFailed)
      .thenNothing();
  });

  it("is delegated once: a late repetition by its registration is ignored", () => {
    const delegated = [...histories.registered, samples.NameserversChanged];
    spec
      .given(...delegated)
      .when(commands.RecordNameserversChanged)
      .thenNothing();
    const swapped = [customNameservers[1], customNameservers[0]];
    spec
      .given(...delegated)
      .when({ type: "RecordNameserversChanged", data: { registrationId, nameservers: swapped, at } })
      .thenNothing();
  });

  it("records once that nameservers were refused", () => {
    const refused = [...histories.registered, samples.NameserversRefused];
    spec
      .given(...refused)
      .when(commands.RecordNameserversRefused)
      .thenNothing();
  });
});

describe("a corrupt stream", () => {
  /** The events that can follow each state; evolve refuses all others. */
  const canFollow: Readonly<Record<Status, readonly DomainNameEvent["type"][]>> = {
    free: ["RegistrationReserved", "TransferReserved"],
    reserved: ["RegistrationReleased", "RegistrationHeld", "DomainRegistered"],
    held: ["RegistrationReleased"],
    transferring: ["TransferReleased", "DomainTransferredIn"],
    registered: [
      "ZoneCreated",
      "ZoneCreationFailed",
      "NameserversChanged",
      "NameserversRefused",
      "DomainDeliverySuspended",
      "DomainChangeStarted",
      "AutoRenewalChanged",
      "WhoisPrivacyChanged",
      "TransferLockChanged",
      "DomainRenewalStarted",
      "LateRenewalAllowed",
      "DomainExpired",
      "DomainSuspended",
      "DomainTakenOffline",
      "DomainTransferStarted",
      "DomainDeleted",
      "DomainTransferredAway",
      "DomainExpiryFollowed",
    ],
  };

  for (const status of ["free", "reserved", "held", "transferring", "registered"] as const) {
    test.each(Object.values(samples))(`${status}: $type`, (event) => {
      const fold = (): DomainState =>
        [...histories[status], event].reduce<DomainState>(domain.evolve, domain.initialState);
      if (canFollow[status].includes(event.type)) expect(fold).not.toThrow();
      else expect(fold).toThrow(CorruptStreamError);
    });
  }
});

describe("a reservation of version 1, of before there were several registrars", () => {
  const { type, data } = samples.RegistrationReserved;
  const { provider: _, ...v1 } = data;

  it("names none", () => {
    const lifted = { type, data: { ...data, provider: null } };
    expect(domainCodec.decode("RegistrationReserved.v1", JSON.stringify(v1))).toEqual(lifted);
    expect(domainCodec.storedType(type)).toBe("RegistrationReserved.v2");
  });

  it("cannot name one", () => {
    expect(() => domainCodec.decode("RegistrationReserved.v1", JSON.stringify(data))).toThrow(
      'Unrecognized key: "provider"',
    );
  });
});
