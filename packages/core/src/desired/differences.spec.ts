import { describe, expect, it } from "vitest";

import type { DelegationSigner } from "../domain/delegation-signer.ts";
import { domain as decider } from "../domain/domain.decider.ts";
import type { DomainNameEvent } from "../domain/domain.events.ts";
import { customNameservers, samples } from "../domain/domain.fixture.ts";
import type { RegisteredDomain } from "../domain/domain.state.ts";
import { causeOfDifference, isCauseOfDifference } from "../comparison/comparison.decider.ts";
import { staffTickets } from "../ticket/staff-tickets.ts";
import { difference } from "./difference.ts";
import { domainDifferences, isToBeCompared, zoneDifferences, type HeldRecord } from "./domain.differences.ts";
import { serverDifferences, unitDifference } from "./server.differences.ts";

const registered = [samples.RegistrationReserved, samples.DomainRegistered];
const domain = domainAfter(...registered, samples.ZoneCreated);

function domainAfter(...events: readonly DomainNameEvent[]): RegisteredDomain {
  const state = events.reduce(decider.evolve, decider.initialState);
  if (state.status !== "registered") throw new Error("the name is not registered");
  return state.domain;
}

const records: readonly HeldRecord[] = [...(domain.zone?.records.values() ?? [])].map(
  ({ recordId: _, priority, ...record }) => ({ ...record, ...(priority === null ? {} : { priority }) }),
);

const signer: DelegationSigner = { keyTag: 1, algorithm: 13, digestType: 2, digest: "AB".repeat(32) };

const kindsOf = (found: readonly { readonly kind: string }[]) => found.map(({ kind }) => kind);

describe("the difference of a name at the registrar", () => {
  it.each([
    ["nothing", {}, []],
    [
      "nothing but the order and the case of hosts",
      { nameservers: domain.nameservers.map((host) => host.toUpperCase()).reverse() },
      [],
    ],
    [
      "nothing but the time of the day",
      { expiresAt: `${domain.expiresAt.slice(0, 10)}T00:00:00.000000Z` },
      [],
    ],
    ["the nameservers", { nameservers: customNameservers }, ["domain-nameservers"]],
    ["the lock", { transferLock: !domain.transferLock }, ["domain-lock"]],
    ["privacy", { whoisPrivacy: !domain.whoisPrivacy }, ["domain-privacy"]],
    ["the expiry", { expiresAt: "2031-01-01T00:00:00.000000Z" }, ["domain-expiry"]],
    [
      "two things",
      { nameservers: [], transferLock: !domain.transferLock },
      ["domain-nameservers", "domain-lock"],
    ],
  ])("is %s", (_what, held, kinds) => {
    expect(kindsOf(domainDifferences(domain, { ...domain, ...held }))).toEqual(kinds);
  });

  it.each([
    ["nothing, where the zone is signed by the keys that the registrar knows", [signer], [signer], []],
    ["a signer too few", [], [signer], ["domain-signers"]],
    ["a signer too many", [signer, { ...signer, keyTag: 2 }], [signer], ["domain-signers"]],
    ["a signer of a zone without keys", [signer], [], ["domain-signers"]],
    ["nothing, where they are not ours to say", [signer], undefined, []],
    ["nothing, where the registry says nothing of them", undefined, [signer], []],
  ])("is %s", (_what, signers, wanted, kinds) => {
    expect(kindsOf(domainDifferences(domain, { ...domain, ...(signers && { signers }) }, wanted))).toEqual(
      kinds,
    );
  });

  it("is the whole name if the registrar does not have it", () => {
    expect(domainDifferences(domain, undefined)).toMatchObject([
      { kind: "domain-missing", resource: "example.com", severity: "critical", found: "not held" },
    ]);
  });
});

describe("the difference of a zone", () => {
  const extra: HeldRecord = { type: "TXT", name: "new", value: "x", ttlSeconds: 60 };

  it.each([
    ["nothing", records, []],
    ["nothing but the order", records.toReversed(), []],
    ["a set too many", [...records, extra], ["example.com new TXT"]],
    ["a type that is not ours", [{ ...extra, type: "LOC" }, ...records], ["example.com new LOC"]],
    [
      "a set too few",
      records.slice(1),
      [`example.com ${String(records[0]?.name)} ${String(records[0]?.type)}`],
    ],
    [
      "a TTL",
      records.map((record) => ({ ...record, ttlSeconds: 61 })),
      records.map(({ name, type }) => `example.com ${name} ${type}`),
    ],
  ])("is %s", (_what, held, resources) => {
    expect(zoneDifferences(domain, held).map(({ resource }) => resource)).toEqual(resources);
  });

  it("is the whole zone if it is missing, and nothing for a name without a zone", () => {
    expect(kindsOf(zoneDifferences(domain, undefined))).toEqual(["zone-missing"]);
    expect(zoneDifferences({ ...domain, zone: null }, undefined)).toEqual([]);
  });

  it("is its owner if another account has the zone, whatever its records are", () => {
    const foreign = [{ kind: "zone-foreign", resource: "example.com", found: "a zone of the account other" }];
    expect(zoneDifferences(domain, records, "the account other")).toMatchObject(foreign);
    expect(zoneDifferences({ ...domain, offline: "zone" }, records, "the account other")).toEqual([]);
    const failed = domainAfter(...registered, samples.ZoneCreationFailed);
    expect(zoneDifferences(failed, [extra], "the account other")).toMatchObject(foreign);
    expect(zoneDifferences(failed, [extra])).toMatchObject([
      { kind: "zone-foreign", severity: "major", found: "a zone with 1 other records" },
    ]);
    expect(zoneDifferences(failed, undefined)).toEqual([]);
    const elsewhere = { ...failed, usesServiceNameservers: false };
    expect(zoneDifferences(elsewhere, [extra], "the account other")).toEqual([]);
  });
});

describe("a domain", () => {
  it.each([
    ["is compared when nothing goes on", domain, true],
    ["is not while its zone is on its way", domainAfter(...registered), false],
    [
      "is not while staff looks at its delivery",
      domainAfter(...registered, samples.DomainDeliverySuspended),
      false,
    ],
    ["is not while it leaves", { ...domain, transferring: true }, false],
    ["is not once it has expired", { ...domain, expired: true }, false],
  ])("%s", (_what, compared, expected) => {
    expect(isToBeCompared(compared)).toBe(expected);
  });
});

describe("the difference of a server", () => {
  const rule = {
    type: "in",
    action: "ACCEPT",
    proto: "tcp",
    dport: "22",
    sport: "",
    source: "",
    dest: "",
    comment: "",
    enable: true,
  } as const;
  const node = { running: true, firewall: { enabled: true, rules: [rule] } };

  it.each([
    ["nothing", node, []],
    ["the power", { ...node, running: false }, ["server-power"]],
    [
      "the firewall's switch",
      { ...node, firewall: { ...node.firewall, enabled: false } },
      ["server-firewall"],
    ],
    ["a rule", { ...node, firewall: { enabled: true, rules: [] } }, ["server-firewall"]],
    ["both", { running: false, firewall: { enabled: true, rules: [] } }, ["server-power", "server-firewall"]],
    ["the server itself", undefined, ["server-missing"]],
  ])("is %s", (_what, held, kinds) => {
    expect(kindsOf(serverDifferences("server-5", node, held))).toEqual(kinds);
  });

  it("is described in words", () => {
    const held = { ...node, firewall: { enabled: false, rules: [] } };
    expect(serverDifferences("server-5", node, held)).toMatchObject([
      { expected: "on: in ACCEPT tcp 22", found: "off: no rules" },
    ]);
    expect(unitDifference("Small fra", "o-1")).toMatchObject({ resource: "Small fra", severity: "minor" });
  });
});

describe("a ticket", () => {
  const said = { expected: "not held", found: "held" };

  it("is opened once per kind and resource, and again when the difference returns", () => {
    const unpaid = difference("domain-unpaid", "a.com", said);
    const [first, second] = [causeOfDifference(unpaid, 1), causeOfDifference(unpaid, 2)];
    expect([first, second]).toEqual(["drift-domain-unpaid-a.com", "drift-2-domain-unpaid-a.com"]);
    expect([first, second, "zone-1"].map(isCauseOfDifference)).toEqual([true, true, false]);
    expect(staffTickets.difference(unpaid, second)).toMatchObject({ cause: second, priority: "emergency" });
  });
});
