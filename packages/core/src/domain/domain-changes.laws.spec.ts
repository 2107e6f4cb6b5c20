import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { changedAt as at, mailRecord } from "./domain-changes.fixture.ts";
import type { DomainChangeCommand } from "./domain.commands.ts";
import { domain } from "./domain.decider.ts";
import type { DomainChange, DomainNameEvent } from "./domain.events.ts";
import { customNameservers, samples, serviceNameservers } from "./domain.fixture.ts";
import { domainCodec } from "./domain.events.ts";

const zoned = [samples.RegistrationReserved, samples.DomainRegistered, samples.ZoneCreated] as const;

describe("the laws of changes", () => {
  const anyChange = fc.constantFrom<DomainChange>(
    { kind: "nameservers", usesServiceNameservers: false, nameservers: customNameservers },
    { kind: "nameservers", usesServiceNameservers: true, nameservers: serviceNameservers },
    { kind: "add-record", record: mailRecord },
    { kind: "settings", whoisPrivacy: false, transferLock: false },
    { kind: "settings", whoisPrivacy: true, transferLock: true },
    { kind: "update-record", record: { ...mailRecord, recordId: 20, ttlSeconds: 60 } },
    { kind: "delete-record", recordId: 21 },
  );
  const anyId = fc.constantFrom("change-1", "change-2", "change-3");
  const anyCommand: fc.Arbitrary<DomainChangeCommand> = fc.oneof(
    fc.tuple(anyChange, anyId).map(([change, id]) => ({
      type: "StartDomainChange" as const,
      data: { changeId: id, change, registrationEnded: true, at },
    })),
    anyId.map((id) => ({ type: "CompleteDomainChange" as const, data: { changeId: id, at } })),
    anyId.map((id): DomainChangeCommand => ({
      type: "FailDomainChange",
      data: { changeId: id, code: "dns-unavailable", reason: "down", by: "party", at },
    })),
    fc
      .tuple(anyId, fc.constantFrom("whoisPrivacy" as const, "transferLock" as const))
      .map(([id, setting]): DomainChangeCommand => ({
        type: "RecordChangedSetting",
        data: { changeId: id, setting, at },
      })),
    fc.tuple(anyId, fc.boolean()).map(([id, autoRenew]): DomainChangeCommand => ({
      type: "SetAutoRenewal",
      data: { changeId: `${id}/auto`, autoRenew, at },
    })),
  );

  test("one change at a time, each begun and ended once; every decided event can be stored", () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 40 }), (commands) => {
        let state = [...zoned].reduce(domain.evolve, domain.initialState);
        const events: DomainNameEvent[] = [];
        for (const command of commands) {
          const decision = domain.decide(command, state);
          if (!decision.accepted) continue;
          events.push(...decision.events);
          state = decision.events.reduce(domain.evolve, state);
          const again = domain.decide(command, state);
          expect(again.accepted ? again.events : []).toEqual([]);
        }
        const begun = events.filter(({ type }) => type === "DomainChangeStarted");
        const ended = events.filter(
          ({ type }) => type === "DomainChangeCompleted" || type === "DomainChangeFailed",
        );
        const idsOf = (found: readonly DomainNameEvent[]) =>
          found.map(({ data }) => ("changeId" in data ? data.changeId : ""));
        expect(new Set(idsOf(begun)).size).toBe(begun.length);
        expect(idsOf(begun).slice(0, ended.length)).toEqual(idsOf(ended));
        expect(begun.length - ended.length).toBeLessThanOrEqual(1);
        for (const { type, data } of events)
          expect(domainCodec.decode(domainCodec.storedType(type), JSON.stringify(data))).toEqual({
            type,
            data,
          });
      }),
    );
  });
});
