import { refused, unknown, type Dns } from "@hostledger/providers";
import { plainDns } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import { heldRecords, openDomain, recordsOf, type DomainFixture } from "../effects/effects.fixture.ts";
import { operation } from "../domain-service.fixture.ts";

const www = { type: "A", name: "www2" } as const;

async function read({ domains, domainId }: DomainFixture) {
  const { domain } = await domains.getDomain({ domainId });
  return (domain?.dnsRecords ?? []).filter(({ name }) => name === www.name);
}

function setOf(...values: readonly string[]) {
  return { ...www, ttl: 300, records: values.map((value) => ({ value })) };
}

describe("a record set", () => {
  it("is replaced at once, is read, and ends; unchanged records keep their ids, and the DNS server has the same set", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    await expect(
      domains.replaceRecordSet({ domainId, set: setOf("192.0.2.1", "192.0.2.2") }),
    ).resolves.toMatchObject({ set: setOf("192.0.2.1", "192.0.2.2") });
    const before = await read(domain);
    await domains.replaceRecordSet({
      domainId,
      set: { ...setOf("192.0.2.2", "192.0.2.3"), name: "WWW2", ttl: 60 },
    });
    const after = await read(domain);
    expect(after.map(({ value, ttl }) => [value, ttl]).sort()).toEqual([
      ["192.0.2.2", 60],
      ["192.0.2.3", 60],
    ]);
    const idOf = (records: typeof after, address: string) =>
      records.find(({ value }) => value === address)?.id;
    expect(idOf(after, "192.0.2.2")).toBe(idOf(before, "192.0.2.2"));
    await expect(domains.getRecordSet({ domainId, ...www })).resolves.toMatchObject({
      set: { ...www, ttl: 60, records: [{ value: "192.0.2.2" }, { value: "192.0.2.3" }] },
    });
    expect(heldRecords(domain)).toEqual(await recordsOf(domain));

    await expect(domains.replaceRecordSet({ domainId, set: www })).resolves.toMatchObject({
      set: { ...www, records: [] },
    });
    expect(await read(domain)).toEqual([]);
    expect(heldRecords(domain)).toEqual(await recordsOf(domain));
    expect(await refusalOf(domains.getRecordSet({ domainId, ...www }))).toMatchObject({ code: "not-found" });
    expect(await refusalOf(domains.replaceRecordSet({ domainId, set: www }))).toMatchObject({
      code: "not-found",
    });
  });

  it("that is equal calls no provider and adds no event; a repeated request gets the first answer", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const set = { type: "MX", name: "@", ttl: 3_600, records: [{ value: "mail.example.com", priority: 10 }] };
    const first = operation("replace");
    await domains.replaceRecordSet({ domainId, set }, first);
    const position = await domain.service.store.lastPosition();
    await expect(domains.replaceRecordSet({ domainId, set })).resolves.toMatchObject({ set });
    await expect(domains.replaceRecordSet({ domainId, set }, first)).resolves.toMatchObject({ set });
    await expect(domain.service.store.lastPosition()).resolves.toBe(position);
  });

  it.each<[string, object, string]>([
    ["two values of which one breaks its rule", setOf("192.0.2.1", "no address"), "records"],
    [
      "a priority that is missing",
      { type: "MX", name: "@", records: [{ value: "mail.example.com" }] },
      "records",
    ],
    ["too many", setOf(...Array.from({ length: 101 }, (_, index) => `192.0.2.${String(index)}`)), "records"],
    ["the same twice", setOf("192.0.2.1", "192.0.2.1"), "value"],
    ["an unknown type", { type: "SPF", name: "@", records: [] }, "type"],
    ["a name that is none", { ...setOf("192.0.2.1"), name: "-a" }, "name"],
    ["a TTL out of its limits", { ...setOf("192.0.2.1"), ttl: 59 }, "ttl"],
  ])("is refused with %s, and nothing is written", async (_, set, field) => {
    const { domains, domainId, service } = await openDomain();
    const position = await service.store.lastPosition();
    expect(await refusalOf(domains.replaceRecordSet({ domainId, set }))).toMatchObject({
      code: "validation-failed",
      detail: { fieldErrors: { [field]: [/./] } },
    });
    await expect(service.store.lastPosition()).resolves.toBe(position);
  });

  it("of another type than the caller may write, and of another account, is refused", async () => {
    const { domains, domainId } = await openDomain();
    const asked = { domainId, set: setOf("192.0.2.1"), onlyTypes: ["TXT"] };
    expect(await refusalOf(domains.replaceRecordSet(asked))).toMatchObject({ code: "missing-scope" });
    expect(await refusalOf(domains.getRecordSet({ domainId: 999n, ...www }))).toMatchObject({
      code: "not-found",
    });
  });

  it("that the DNS server refuses stays unchanged; an unanswered one leads to inquiries until it is known", async () => {
    type Answer = Awaited<ReturnType<Dns["replaceRecordSets"]>>;
    const answers: Answer[] = [refused("rejected", "no room"), unknown("timeout")];
    const domain = await openDomain({
      dns: (dns) => ({
        ...plainDns(dns),
        replaceRecordSets(name, sets) {
          const answer = answers.shift();
          return answer === undefined ? dns.replaceRecordSets(name, sets) : Promise.resolve(answer);
        },
      }),
    });
    const { domains, domainId } = domain;
    expect(await refusalOf(domains.replaceRecordSet({ domainId, set: setOf("192.0.2.1") }))).toMatchObject({
      code: "dns-unavailable",
    });
    expect(await read(domain)).toEqual([]);
    await domains.replaceRecordSet({ domainId, set: setOf("192.0.2.1") });
    expect((await read(domain)).map(({ value }) => value)).toEqual(["192.0.2.1"]);
    expect(heldRecords(domain)).toEqual(await recordsOf(domain));
  });
});
