import { unknown } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openDomainService,
  sell,
  type DomainClient,
  type DomainServiceFixture,
} from "../domain-service.fixture.ts";

let service: DomainServiceFixture;
beforeAll(async () => {
  service = await openDomainService();
});
afterAll(() => service.close());

describe("who may ask", () => {
  const methods: readonly [string, (client: DomainClient) => Promise<unknown>][] = [
    ["listDomains", (client) => client.listDomains({})],
    ["getDomain", (client) => client.getDomain({ domainId: 1n })],
    ["searchDomain", (client) => client.searchDomain({ domain: "example.com" })],
    ["listPrices", (client) => client.listPrices({})],
    ["updateNameservers", (client) => client.updateNameservers({ domainId: 1n })],
    ["updateSettings", (client) => client.updateSettings({ domainId: 1n })],
    ["cancelDomain", (client) => client.cancelDomain({ domainId: 1n })],
    ["getAuthCode", (client) => client.getAuthCode({ domainId: 1n })],
    ["addDnsRecord", (client) => client.addDnsRecord({ domainId: 1n })],
    ["updateDnsRecord", (client) => client.updateDnsRecord({ domainId: 1n, recordId: 1n })],
    ["deleteDnsRecord", (client) => client.deleteDnsRecord({ domainId: 1n, recordId: 1n })],
  ];

  it.each(methods)("%s: only customers", async (_, call) => {
    for (const caller of [
      { kind: "service", name: "gateway" },
      { kind: "staff", name: "ada" },
    ] as const)
      await expect(refusalOf(call(service.domains(caller)))).resolves.toMatchObject({ code: "unauthorized" });
    await expect(refusalOf(call(service.domains(undefined)))).resolves.toMatchObject({
      code: "unauthenticated",
    });
  });
});

describe("the domains of a customer", () => {
  it("are the customer's own, oldest first", async () => {
    const [one, other] = [service.customer(), service.customer()];
    await one.domains.registerDomain({ domain: "b.com" });
    await other.domains.registerDomain({ domain: "c.com" });
    await one.domains.registerDomain({ domain: "a.com" });
    const { domains } = await one.domains.listDomains({});
    expect(domains.map(({ domainName }) => domainName)).toEqual(["b.com", "a.com"]);
    expect(domains.every(({ dnsRecords }) => dnsRecords.length === 0)).toBe(true);
  });

  it("are read page by page, with every filter", async () => {
    const { domains } = service.customer();
    const names = ["p1.com", "p2.com", "p3.com"];
    for (const domain of names) await domains.registerDomain({ domain });
    const all = (await domains.listDomains({})).domains;
    const idOf = (index: number): bigint => all[index]?.id ?? 0n;
    const read = async (afterId: bigint, limit: number): Promise<string[]> => {
      const page = await domains.listDomains({ page: { afterId, limit } });
      return page.domains.map(({ domainName }) => domainName);
    };
    await expect(read(0n, 2)).resolves.toEqual(["p1.com", "p2.com"]);
    await expect(read(idOf(1), 2)).resolves.toEqual(["p3.com"]);
    await expect(read(idOf(2), 2)).resolves.toEqual([]);
    await expect(read(idOf(0), 0)).resolves.toEqual(["p2.com", "p3.com"]);
    for (const [afterId, limit] of [
      [-5n, 1],
      [2n ** 62n, 1],
      [0n, 1_002],
    ] as const)
      expect(await refusalOf(read(afterId, limit))).toMatchObject({
        code: "validation-failed",
      });
  });

  it("show their records one by one", async () => {
    const { domains } = service.customer();
    const { domain } = await domains.registerDomain({ domain: "records.com" });
    const read = await domains.getDomain({ domainId: domain?.id ?? 0n });
    expect(read.domain).toMatchObject({
      domainName: "records.com",
      dnsRecordsCount: 2,
      dnsRecords: [
        { type: "A", name: "@", value: "192.0.2.1", ttl: 3_600 },
        { type: "A", name: "www", value: "192.0.2.1", ttl: 3_600 },
      ],
    });
    expect(read.domain?.dnsRecords.map(({ priority }) => priority)).toEqual([undefined, undefined]);
  });

  it("can be read only by their customer", async () => {
    const { domain } = await service.customer().domains.registerDomain({ domain: "private.com" });
    const stranger = service.customer().domains;
    await expect(refusalOf(stranger.getDomain({ domainId: domain?.id ?? 0n }))).resolves.toMatchObject({
      code: "unauthorized",
    });
  });

  it.each([0n, -1n, 999_999n, 2n ** 62n])("have ids that exist: %s is not found", async (domainId) => {
    await expect(refusalOf(service.customer().domains.getDomain({ domainId }))).resolves.toMatchObject({
      code: "not-found",
    });
  });
});

describe("a search", () => {
  it("returns the exact price and that the name is available", async () => {
    const { domains } = service.customer(0n);
    await expect(domains.searchDomain({ domain: "New-Name.com", years: 3 })).resolves.toMatchObject({
      domain: "new-name.com",
      available: true,
      price: { tld: "com", registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 900n },
      years: 3,
      netCents: 3_000n,
      vatCents: 0n,
      grossCents: 3_000n,
    });
    await expect(domains.searchDomain({ domain: "new-name.com" })).resolves.toMatchObject({ years: 1 });
  });

  it.each(["taken.com", "ours.com"])("returns that the name is not available: %s", async (name) => {
    await service
      .customer()
      .domains.registerDomain({ domain: "ours.com" })
      .catch(() => undefined);
    await expect(service.customer().domains.searchDomain({ domain: name })).resolves.toMatchObject({
      available: false,
    });
  });

  it("checks the fields first, then the extension", async () => {
    const { domains } = service.customer();
    const refusal = await refusalOf(domains.searchDomain({ domain: "no name", years: 0 }));
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual(["domain", "years"]);
    await expect(refusalOf(domains.searchDomain({ domain: "example.net" }))).resolves.toMatchObject({
      code: "unsupported-extension",
    });
    await sell(service.staff(), "org", { active: false });
    await expect(refusalOf(domains.searchDomain({ domain: "example.org" }))).resolves.toMatchObject({
      code: "unsupported-extension",
    });
  });

  it("reports that the registrar does not answer", async () => {
    const silent = await openDomainService({
      registrar: (provider) => ({
        ...plainRegistrar(provider),
        check: () => Promise.resolve(unknown("No answer")),
      }),
    });
    await expect(
      refusalOf(silent.customer().domains.searchDomain({ domain: "example.com" })),
    ).resolves.toMatchObject({ code: "registrar-unavailable" });
    await silent.close();
  });
});
