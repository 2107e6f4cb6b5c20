import { refused, unknown, type Dns } from "@hostledger/providers";
import { plainDns } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import {
  changesOf,
  heldRecords,
  openDomain,
  recordsOf,
  type DomainFixture,
} from "../effects/effects.fixture.ts";
import { eventually, operation } from "../domain-service.fixture.ts";

const address = { type: "A", name: "web", value: "192.0.2.7" };

async function expectAgreement(domain: DomainFixture): Promise<void> {
  expect(heldRecords(domain)).toEqual(await recordsOf(domain));
}

async function recordsRead({ domains, domainId }: DomainFixture) {
  const { domain } = await domains.getDomain({ domainId });
  return domain?.dnsRecords ?? [];
}

describe("a record", () => {
  it("is added, read back at once, updated and removed, at the DNS server too", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const { record } = await domains.addDnsRecord({ domainId, content: { ...address, ttl: 600 } });
    expect(record).toMatchObject({ ...address, ttl: 600 });
    expect(record?.priority).toBeUndefined();
    expect(await recordsRead(domain)).toContainEqual(record);
    await expectAgreement(domain);

    const recordId = record?.id ?? 0n;
    const content = { type: "MX", name: "@", value: "mail.example.com", priority: 10 };
    const updated = await domains.updateDnsRecord({ domainId, recordId, content });
    expect(updated.record).toMatchObject({
      ...content,
      id: recordId,
      ttl: 3_600,
      createdAt: record?.createdAt,
    });
    expect(await recordsRead(domain)).toContainEqual(updated.record);
    await expectAgreement(domain);

    await domains.deleteDnsRecord({ domainId, recordId });
    expect((await recordsRead(domain)).map(({ id }) => id)).not.toContain(recordId);
    await expect(domains.getDomain({ domainId })).resolves.toMatchObject({ domain: { dnsRecordsCount: 2 } });
    await expect(domains.listDomains({})).resolves.toMatchObject({ domains: [{ dnsRecordsCount: 2 }] });
    await expectAgreement(domain);
  });

  it("with another TTL changes the TTL of its whole set", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    await domains.addDnsRecord({
      domainId,
      content: { type: "A", name: "www", value: "192.0.2.9", ttl: 60 },
    });
    const set = (await recordsRead(domain)).filter(({ name }) => name === "www");
    expect(set.map(({ ttl }) => ttl)).toEqual([60, 60]);
    await expectAgreement(domain);
  });

  it("that is updated to its present content calls no provider", async () => {
    const domain = await openDomain({
      dns: (dns) => ({
        ...plainDns(dns),
        replaceRecordSets: () => Promise.resolve(refused("unreachable", "No route")),
      }),
    });
    const { domains, domainId } = domain;
    const [record] = await recordsRead(domain);
    const { id: recordId = 0n, type = "", name = "", value = "", ttl = 0 } = record ?? {};
    await expect(
      domains.updateDnsRecord({ domainId, recordId, content: { type, name, value, ttl } }),
    ).resolves.toMatchObject({ record });
    await expect(changesOf(domain)).resolves.toEqual([]);
  });

  it("is given by its fields: every wrong one is named, and nothing is written", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const before = await domain.service.store.lastPosition();
    const content = { type: "MX", name: "a..b", value: "192.0.2.1", ttl: 5 };
    const calls = [
      domains.addDnsRecord({ domainId, content }),
      domains.updateDnsRecord({ domainId, recordId: 1n, content }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect(refusal.code).toBe("validation-failed");
      expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual(["name", "value", "ttl", "priority"]);
    }
    const empty = await refusalOf(domains.addDnsRecord({ domainId }));
    expect(Object.keys(empty.detail?.fieldErrors ?? {})).toEqual(
      ["type", "name", "value"].filter((field) => field !== "value"),
    );
    await expect(domain.service.store.lastPosition()).resolves.toBe(before);
  });

  it.each([
    ["repeats another one", { type: "A", name: "www", value: "192.0.2.1" }, "validation-failed"],
    ["is a CNAME beside others", { type: "CNAME", name: "www", value: "a.example" }, "validation-failed"],
    ["is a CNAME of the apex", { type: "CNAME", name: "@", value: "a.example" }, "validation-failed"],
    [
      "is one of the apex nameservers",
      { type: "NS", name: "@", value: "ns1.example.net" },
      "protected-record",
    ],
  ])("is refused if it %s, without a call", async (_, content, code) => {
    const domain = await openDomain();
    await expect(
      refusalOf(domain.domains.addDnsRecord({ domainId: domain.domainId, content })),
    ).resolves.toMatchObject({ code });
    await expect(changesOf(domain)).resolves.toEqual([]);
    await expectAgreement(domain);
  });
});

describe("whose record it is", () => {
  it("belongs to a domain of the caller: another account's is refused, a missing one not found", async () => {
    const { service, domains, domainId } = await openDomain();
    const stranger = service.customer().domains;
    const other = await stranger.registerDomain({ domain: "other.com" });
    const read = await stranger.getDomain({ domainId: other.domain?.id ?? 0n });
    const [theirs] = read.domain?.dnsRecords ?? [];
    const recordId = theirs?.id ?? 0n;
    const content = address;
    const codesOf = async (client: typeof domains, id: bigint, record: bigint): Promise<string[]> => {
      const update = client.updateDnsRecord({ domainId: id, recordId: record, content });
      const remove = client.deleteDnsRecord({ domainId: id, recordId: record });
      return (await Promise.all([refusalOf(update), refusalOf(remove)])).map(({ code }) => code);
    };
    await expect(codesOf(stranger, domainId, recordId)).resolves.toEqual(["unauthorized", "unauthorized"]);
    for (const [id, record] of [
      [99_999n, recordId],
      [domainId, recordId],
      [domainId, 0n],
    ] as const)
      await expect(codesOf(domains, id, record)).resolves.toEqual(["not-found", "not-found"]);
    const add = (client: typeof domains, id: bigint) =>
      refusalOf(client.addDnsRecord({ domainId: id, content }));
    await expect(add(stranger, domainId)).resolves.toMatchObject({ code: "unauthorized" });
    await expect(add(domains, 0n)).resolves.toMatchObject({ code: "not-found" });
  });
});

describe("where DNS is not managed here", () => {
  it("custom nameservers refuse every change of records", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const [record] = await recordsRead(domain);
    const recordId = record?.id ?? 0n;
    await domains.updateNameservers({ domainId, nameservers: ["ns1.customer.test", "ns2.customer.test"] });
    for (const call of [
      () => domains.addDnsRecord({ domainId, content: address }),
      () => domains.updateDnsRecord({ domainId, recordId, content: address }),
      () => domains.deleteDnsRecord({ domainId, recordId }),
    ])
      await expect(refusalOf(call())).resolves.toMatchObject({ code: "custom-nameservers" });
  });

  it("a zone that is not created yet refuses too", async () => {
    const { domains, domainId } = await openDomain({}, { name: "nozone.com" });
    await expect(domains.getDomain({ domainId })).resolves.toMatchObject({ domain: { dnsRecordsCount: 0 } });
    await expect(refusalOf(domains.addDnsRecord({ domainId, content: address }))).resolves.toMatchObject({
      code: "zone-not-ready",
    });
  });
});

describe("a DNS server that fails", () => {
  const failing = (replaceRecordSets: (dns: Dns) => Dns["replaceRecordSets"]) => ({
    dns: (dns: Dns): Dns => ({ ...plainDns(dns), replaceRecordSets: replaceRecordSets(dns) }),
  });

  it.each([
    ["refuses", refused("rejected", "Policy")],
    ["cannot be reached", refused("unreachable", "No route")],
  ])("%s: nothing has changed, and the next change is free to begin", async (_, answer) => {
    let failures = 1;
    const domain = await openDomain(
      failing((dns) => (zone, sets) => {
        failures -= 1;
        return failures >= 0 ? Promise.resolve(answer) : dns.replaceRecordSets(zone, sets);
      }),
    );
    const { domains, domainId } = domain;
    await expect(refusalOf(domains.addDnsRecord({ domainId, content: address }))).resolves.toMatchObject({
      code: "dns-unavailable",
      message: "The DNS server could not be reached or refused the change.",
    });
    await expect(changesOf(domain)).resolves.toEqual(["DomainChangeStarted", "DomainChangeFailed"]);
    await expectAgreement(domain);
    await expect(domains.addDnsRecord({ domainId, content: address })).resolves.toMatchObject({
      record: address,
    });
  });

  it("carries out the change and loses the answer: after an inquiry the client gets a success", async () => {
    const domain = await openDomain(
      failing((dns) => async (zone, sets) => {
        await dns.replaceRecordSets(zone, sets);
        return unknown("The connection was closed");
      }),
    );
    await expect(
      domain.domains.addDnsRecord({ domainId: domain.domainId, content: address }),
    ).resolves.toMatchObject({ record: address });
    await expectAgreement(domain);
  });

  it("loses a request: it is sent again", async () => {
    let lost = 2;
    const domain = await openDomain(
      failing((dns) => (zone, sets) => {
        lost -= 1;
        return lost >= 0 ? Promise.resolve(unknown("No answer")) : dns.replaceRecordSets(zone, sets);
      }),
    );
    await expect(
      domain.domains.addDnsRecord({ domainId: domain.domainId, content: address }),
    ).resolves.toMatchObject({ record: address });
    await expectAgreement(domain);
  });

  it("is silent: the client gets an error, other changes wait and are refused, and the change is settled after an answer", async () => {
    let isSilent = true;
    const domain = await openDomain({
      changeWaitLimitMs: 100,
      dns: (dns) => ({
        ...plainDns(dns),
        replaceRecordSets: (zone, sets) =>
          isSilent ? Promise.resolve(unknown("No answer")) : dns.replaceRecordSets(zone, sets),
        inquireZone: (zone) => (isSilent ? Promise.resolve(unknown("No answer")) : dns.inquireZone(zone)),
      }),
    });
    const { domains, domainId } = domain;
    await expect(refusalOf(domains.addDnsRecord({ domainId, content: address }))).resolves.toMatchObject({
      code: "dns-unavailable",
    });
    const other = domains.addDnsRecord({ domainId, content: { ...address, name: "other" } });
    await expect(refusalOf(other)).resolves.toMatchObject({ code: "change-in-flight" });
    isSilent = false;
    await eventually(async () => {
      expect(await changesOf(domain)).toEqual([
        "DomainChangeStarted",
        "DnsRecordAdded",
        "DomainChangeCompleted",
      ]);
    });
    await expectAgreement(domain);
  });

  it("a refusal after silence is no proof: the change was made, and the zone shows it", async () => {
    let calls = 0;
    let questions = 0;
    const domain = await openDomain({
      dns: (dns) => ({
        ...plainDns(dns),
        async replaceRecordSets(zone, sets) {
          calls += 1;
          if (calls > 1) return refused("rejected", "No");
          await dns.replaceRecordSets(zone, sets);
          return unknown("No answer");
        },
        inquireZone(zone) {
          questions += 1;
          return questions === 1 ? Promise.resolve(unknown("No answer")) : dns.inquireZone(zone);
        },
      }),
    });
    const { domains, domainId } = domain;
    await expect(domains.addDnsRecord({ domainId, content: address })).resolves.toMatchObject({
      record: address,
    });
    expect(calls).toBe(2);
    await expectAgreement(domain);
  });

  it("a refusal after silence stands if the zone shows no change", async () => {
    let calls = 0;
    const domain = await openDomain(
      failing((dns) => async (zone) => {
        calls += 1;
        if (calls > 1) return refused("rejected", "No");
        await dns.replaceRecordSets(zone, []);
        return unknown("No answer");
      }),
    );
    await expect(
      refusalOf(domain.domains.addDnsRecord({ domainId: domain.domainId, content: address })),
    ).resolves.toMatchObject({ code: "dns-unavailable" });
    await expect(changesOf(domain)).resolves.toEqual(["DomainChangeStarted", "DomainChangeFailed"]);
    await expectAgreement(domain);
  });
});

describe("many changes of one zone at once", () => {
  it("wait in line, and all of them are made", async () => {
    const domain = await openDomain({ changeWaitLimitMs: 20_000 });
    const { domains, domainId } = domain;
    const names = Array.from({ length: 20 }, (_, index) => `host-${String(index)}`);
    const added = await Promise.all(
      names.map((name) => domains.addDnsRecord({ domainId, content: { ...address, name } })),
    );
    expect(new Set(added.map(({ record }) => record?.id))).toHaveLength(20);
    await Promise.all([
      ...added
        .slice(0, 10)
        .map(({ record }) => domains.deleteDnsRecord({ domainId, recordId: record?.id ?? 0n })),
      ...added.slice(10).map(({ record }, index) =>
        domains.updateDnsRecord({
          domainId,
          recordId: record?.id ?? 0n,
          content: { type: "TXT", name: "notes", value: String(index) },
        }),
      ),
    ]);
    expect(await recordsRead(domain)).toHaveLength(12);
    await expectAgreement(domain);
  });
});

describe("a request that is run again", () => {
  it("adds its record once, and answers with it", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const again = () => domains.addDnsRecord({ domainId, content: address }, operation("operation-1"));
    const first = await again();
    await expect(again()).resolves.toEqual(first);
    expect((await changesOf(domain)).filter((type) => type === "DnsRecordAdded")).toHaveLength(1);
  });

  it("removes its record once, even if the record is gone", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const [record] = await recordsRead(domain);
    const again = () =>
      domains.deleteDnsRecord({ domainId, recordId: record?.id ?? 0n }, operation("operation-1"));
    await again();
    await expect(again()).resolves.toEqual(await again());
    await expect(
      refusalOf(domains.deleteDnsRecord({ domainId, recordId: record?.id ?? 0n })),
    ).resolves.toMatchObject({ code: "not-found" });
  });

  it("does not undo later changes", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const { record } = await domains.addDnsRecord({ domainId, content: address });
    const recordId = record?.id ?? 0n;
    const update = (value: string, id: string) =>
      domains.updateDnsRecord({ domainId, recordId, content: { ...address, value } }, operation(id));
    const first = await update("192.0.2.8", "operation-1");
    await update("192.0.2.9", "operation-2");
    await expect(update("192.0.2.8", "operation-1")).resolves.toEqual(first);
    expect(await recordsRead(domain)).toContainEqual({ ...first.record, value: "192.0.2.9" });
  });

  it("is refused again with the first refusal", async () => {
    let failures = 1;
    const domain = await openDomain({
      dns: (dns) => ({
        ...plainDns(dns),
        replaceRecordSets(zone, sets) {
          failures -= 1;
          return failures >= 0
            ? Promise.resolve(refused("rejected", "Policy"))
            : dns.replaceRecordSets(zone, sets);
        },
      }),
    });
    const { domains, domainId } = domain;
    for (let run = 0; run < 2; run += 1)
      await expect(
        refusalOf(domains.addDnsRecord({ domainId, content: address }, operation("operation-1"))),
      ).resolves.toMatchObject({
        code: "dns-unavailable",
      });
    await expect(changesOf(domain)).resolves.toEqual(["DomainChangeStarted", "DomainChangeFailed"]);
  });
});
