import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { changedAt as at, changeEvents, changeId, mailRecord } from "./domain-changes.fixture.ts";
import type { DomainChangeCommand, StartDomainChange } from "./domain.commands.ts";
import { domain } from "./domain.decider.ts";
import type { DomainChange, DomainNameEvent } from "./domain.events.ts";
import { customNameservers, samples, serviceNameservers } from "./domain.fixture.ts";
import { rememberedChanges } from "./domain.state.ts";

const spec = deciderSpec(domain);
const registered = [samples.RegistrationReserved, samples.DomainRegistered] as const;
const zoned = [...registered, samples.ZoneCreated] as const;
const elsewhere = [...zoned, samples.NameserversChanged] as const;

const toCustom: DomainChange = {
  kind: "nameservers",
  usesServiceNameservers: false,
  nameservers: customNameservers,
};
const toService: DomainChange = {
  kind: "nameservers",
  usesServiceNameservers: true,
  nameservers: serviceNameservers,
};
const addMail: DomainChange = { kind: "add-record", record: mailRecord };
const openBoth: DomainChange = { kind: "settings", whoisPrivacy: false, transferLock: false };

function start(change: DomainChange, data: Partial<StartDomainChange["data"]> = {}): StartDomainChange {
  return { type: "StartDomainChange", data: { changeId, change, registrationEnded: true, at, ...data } };
}

function started(change: DomainChange, id = changeId): DomainNameEvent {
  return { type: "DomainChangeStarted", data: { domainId: 3, changeId: id, change, startedAt: at } };
}

const complete: DomainChangeCommand = { type: "CompleteDomainChange", data: { changeId, at } };
const fail: DomainChangeCommand = {
  type: "FailDomainChange",
  data: { changeId, code: "dns-unavailable", reason: "The DNS server is down", by: "party", at },
};

describe("the start of a change", () => {
  it.each([
    ["custom nameservers", zoned, toCustom],
    ["other custom nameservers", elsewhere, { ...toCustom, nameservers: ["a.b", "c.d"] }],
    [
      "the same nameservers in another order",
      elsewhere,
      { ...toCustom, nameservers: customNameservers.toReversed() },
    ],
    ["the service's nameservers", elsewhere, toService],
    ["the service's nameservers, without a zone", [...registered, samples.NameserversChanged], toService],
    ["a new record", zoned, addMail],
    ["a deleted record", zoned, { kind: "delete-record", recordId: 20 }],
    ["settings", zoned, openBoth],
    ["one setting", zoned, { ...openBoth, whoisPrivacy: null }],
  ] as const)("%s: is stored before a provider is called", (_, given, change) => {
    spec
      .given(...given)
      .when(start(change))
      .then(started(change));
  });

  it.each([
    ["service nameservers", zoned, toService],
    ["service nameservers, while the zone is being created", registered, toService],
    ["custom nameservers", elsewhere, toCustom],
    ["settings", zoned, { kind: "settings", whoisPrivacy: true, transferLock: true }],
    ["no setting", zoned, { kind: "settings", whoisPrivacy: null, transferLock: null }],
  ] as const)("%s: needs no provider if nothing would change", (_, given, change) => {
    spec
      .given(...given)
      .when(start(change))
      .thenNothing();
  });

  it.each([
    ["on custom nameservers", elsewhere, "custom-nameservers"],
    ["without a zone", registered, "zone-not-ready"],
    [
      "without a zone on custom nameservers",
      [...registered, samples.NameserversChanged],
      "custom-nameservers",
    ],
  ] as const)("no records are changed %s", (_, given, code) => {
    for (const change of [addMail, { kind: "delete-record", recordId: 20 }] as const)
      spec
        .given(...given)
        .when(start(change))
        .thenRejected(code);
  });

  it("is refused while another change is in progress, and not repeated for the same change", () => {
    const given = [...zoned, started(addMail)];
    for (const change of [toCustom, openBoth, { kind: "delete-record", recordId: 20 }] as const)
      spec
        .given(...given)
        .when(start(change, { changeId: "change-2" }))
        .thenRejected("change-in-flight");
    spec
      .given(...given)
      .when(start(addMail))
      .thenNothing();
  });

  it("is not repeated for an ended change, whatever its outcome", () => {
    for (const end of [changeEvents.DomainChangeCompleted, changeEvents.DomainChangeFailed])
      spec
        .given(...zoned, started(addMail), end)
        .when(start(addMail))
        .thenNothing();
  });

  it("waits until the registration's run no longer sets nameservers", () => {
    const reserved = {
      ...samples.RegistrationReserved,
      data: { ...samples.RegistrationReserved.data, nameservers: customNameservers },
    };
    const delegating = [reserved, samples.DomainRegistered] as const;
    const begin = (registrationEnded: boolean) => start(toCustom, { registrationEnded });
    spec
      .given(...delegating)
      .when(begin(false))
      .thenRejected("change-in-flight");
    spec
      .given(...delegating)
      .when(begin(true))
      .then(started(toCustom));
    spec
      .given(...delegating, samples.NameserversRefused)
      .when(begin(false))
      .then(started(toCustom));
    spec
      .given(...delegating)
      .when(start(openBoth, { registrationEnded: false }))
      .then(started(openBoth));
  });
});

describe("what a status allows", () => {
  const { DomainSuspended, DomainTransferStarted, DomainExpired } = samples;
  const update: DomainChange = { kind: "update-record", record: { ...mailRecord, recordId: 20 } };
  const autoRenew = { type: "SetAutoRenewal", data: { changeId, autoRenew: true, at } } as const;

  it.each([
    ["suspended", DomainSuspended, []],
    ["transferring", DomainTransferStarted, ["records", "renewal off"]],
    ["expired", DomainExpired, ["renewal off"]],
  ] as const)("%s", (_, event, allowed: readonly string[]) => {
    const given = spec.given(...zoned, event);
    for (const change of [toCustom, openBoth]) given.when(start(change)).thenRejected("domain-not-active");
    for (const change of [addMail, update, { kind: "delete-record", recordId: 20 } as const]) {
      if (allowed.includes("records")) given.when(start(change)).then(started(change));
      else given.when(start(change)).thenRejected("domain-not-active");
    }
    // Automatic renewal can be turned off but not on, because it would not happen.
    const isOn = spec.given(...zoned, changeEvents.AutoRenewalChanged, event);
    const off = { ...autoRenew, data: { changeId: "change-2", autoRenew: false, at } };
    const turnedOff = { ...changeEvents.AutoRenewalChanged.data, changeId: "change-2", autoRenew: false };
    if (allowed.includes("renewal off")) {
      given.when(autoRenew).thenRejected("domain-not-renewable");
      isOn.when(off).then({ type: "AutoRenewalChanged", data: turnedOff });
    } else {
      given.when(autoRenew).thenRejected("domain-not-active");
      isOn.when(off).thenRejected("domain-not-active");
    }
  });

  it("is checked at the start only, so earlier changes can end", () => {
    spec
      .given(...zoned, started(addMail), samples.DomainSuspended)
      .when(complete)
      .then(
        { ...changeEvents.DnsRecordAdded, data: { ...changeEvents.DnsRecordAdded.data, addedAt: at } },
        changeEvents.DomainChangeCompleted,
      );
  });
});

describe("the end of a change", () => {
  const changed = { domainId: 3, changeId };
  const [first] = samples.ZoneCreated.data.records;
  if (first === undefined) throw new Error("the example has records");

  it.each<[string, readonly DomainNameEvent[], DomainChange, readonly DomainNameEvent[]]>([
    [
      "custom nameservers",
      zoned,
      toCustom,
      [
        {
          ...samples.NameserversChanged,
          data: { ...samples.NameserversChanged.data, changedAt: at },
        },
      ],
    ],
    ["a new record", zoned, addMail, [changeEvents.DnsRecordAdded]],
    [
      "a new record with another TTL",
      zoned,
      { kind: "add-record", record: { ...first, recordId: 22, value: "192.0.2.9", ttlSeconds: 60 } },
      [
        {
          type: "DnsRecordAdded",
          data: {
            ...changed,
            record: { ...first, recordId: 22, value: "192.0.2.9", ttlSeconds: 60 },
            addedAt: at,
          },
        },
        {
          type: "DnsRecordUpdated",
          data: { ...changed, record: { ...first, ttlSeconds: 60 }, updatedAt: at },
        },
      ],
    ],
    [
      "an updated record",
      zoned,
      { kind: "update-record", record: { ...first, value: "192.0.2.9" } },
      [
        {
          type: "DnsRecordUpdated",
          data: { ...changed, record: { ...first, value: "192.0.2.9" }, updatedAt: at },
        },
      ],
    ],
    [
      "a deleted record",
      zoned,
      { kind: "delete-record", recordId: 21 },
      [{ type: "DnsRecordDeleted", data: { ...changed, recordId: 21, deletedAt: at } }],
    ],
    ["two settings", zoned, openBoth, [changeEvents.WhoisPrivacyChanged, changeEvents.TransferLockChanged]],
    [
      "one setting of two",
      [...zoned, changeEvents.WhoisPrivacyChanged],
      openBoth,
      [changeEvents.TransferLockChanged],
    ],
  ])("%s: stores the new state and that no change is in progress", (_, given, change, outcome) => {
    spec
      .given(...given, started(change))
      .when(complete)
      .then(...outcome, changeEvents.DomainChangeCompleted);
    spec
      .given(...given, started(change))
      .when(fail)
      .then(changeEvents.DomainChangeFailed);
  });

  it("is stored once, with either outcome", () => {
    for (const end of [changeEvents.DomainChangeCompleted, changeEvents.DomainChangeFailed])
      for (const again of [complete, fail])
        spec
          .given(...zoned, started(addMail), end)
          .when(again)
          .thenNothing();
  });

  it("is refused for a change that was not begun", () => {
    for (const given of [zoned, [...zoned, started(addMail, "change-2")]])
      for (const command of [complete, fail])
        spec
          .given(...given)
          .when(command)
          .thenRejected("not-found");
  });

  it("is refused for a name that is not registered", () => {
    for (const command of [start(addMail), complete, fail])
      spec.given(samples.RegistrationReserved).when(command).thenRejected("not-found");
  });
});

describe("the steps of a change", () => {
  const { records } = samples.ZoneCreated.data;
  const zone: DomainChangeCommand = { type: "RecordChangeZone", data: { changeId, records, at } };

  it("store the zone for service nameservers once", () => {
    const given = [...registered, samples.NameserversChanged, started(toService)];
    const created = { type: "ZoneCreated", data: { domainId: 3, records, createdAt: at } } as const;
    spec
      .given(...given)
      .when(zone)
      .then(created);
    spec
      .given(...given, created)
      .when(zone)
      .thenNothing();
  });

  it("store each setting on its own, so a later failure keeps it", () => {
    const given = [...zoned, started(openBoth)];
    const privacy: DomainChangeCommand = {
      type: "RecordChangedSetting",
      data: { changeId, setting: "whoisPrivacy", at },
    };
    spec
      .given(...given)
      .when(privacy)
      .then(changeEvents.WhoisPrivacyChanged);
    spec
      .given(...given, changeEvents.WhoisPrivacyChanged)
      .when(privacy)
      .thenNothing();
    const state = [...given, changeEvents.WhoisPrivacyChanged, changeEvents.DomainChangeFailed].reduce(
      domain.evolve,
      domain.initialState,
    );
    expect(state).toMatchObject({ domain: { whoisPrivacy: false, transferLock: true, pendingChange: null } });
  });
});

describe("automatic renewal", () => {
  const set = (autoRenew: boolean, id = changeId): DomainChangeCommand => ({
    type: "SetAutoRenewal",
    data: { changeId: id, autoRenew, at },
  });

  it("can be set while a change is in progress", () => {
    for (const given of [zoned, [...zoned, started(addMail, "change-2")]])
      spec
        .given(...given)
        .when(set(true))
        .then(changeEvents.AutoRenewalChanged);
  });

  it("adds no event if it is unchanged", () => {
    spec
      .given(...zoned)
      .when(set(false))
      .thenNothing();
  });

  it("repeated by the same request does not override a later change", () => {
    const later = { ...changeEvents.AutoRenewalChanged.data, changeId: "change-2", autoRenew: false };
    spec
      .given(...zoned, changeEvents.AutoRenewalChanged, { type: "AutoRenewalChanged", data: later })
      .when(set(true))
      .thenNothing();
  });
});

describe("the memory of changes", () => {
  it("is bounded, and keeps the newest", () => {
    const past = Array.from({ length: rememberedChanges + 5 }, (_, index): DomainNameEvent[] => [
      started(openBoth, `change-${String(index)}`),
      {
        ...changeEvents.DomainChangeCompleted,
        data: { ...changeEvents.DomainChangeCompleted.data, changeId: `change-${String(index)}` },
      },
    ]).flat();
    const state = [...zoned, ...past].reduce(domain.evolve, domain.initialState);
    if (state.status !== "registered") throw new Error("the example is registered");
    const { settledChanges } = state.domain;
    expect([settledChanges.size, settledChanges.first()?.changeId]).toEqual([rememberedChanges, "change-5"]);
  });
});

describe("a corrupt stream", () => {
  const { DomainChangeCompleted, DomainChangeFailed, DnsRecordAdded, DnsRecordUpdated, DnsRecordDeleted } =
    changeEvents;

  it.each([
    ["a second start", [...zoned, started(addMail), started(addMail, "change-2")]],
    ["an end without a start", [...zoned, DomainChangeCompleted]],
    ["a failure of another change", [...zoned, started(addMail, "change-2"), DomainChangeFailed]],
    ["a record without a zone", [...registered, DnsRecordAdded]],
    ["a changed record without a zone", [...registered, DnsRecordUpdated]],
    ["a deleted record without a zone", [...registered, DnsRecordDeleted]],
  ])("is noticed: %s", (_, events) => {
    expect(() => events.reduce(domain.evolve, domain.initialState)).toThrow(CorruptStreamError);
  });
});
