import { refused, unknown } from "@hostledger/providers";
import { plainDns } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import {
  changesOf,
  heldDomain,
  heldRecords,
  openDomain,
  readDomain,
  recordsOf,
  registrarThat,
} from "../effects/effects.fixture.ts";
import { eventually } from "../domain-service.fixture.ts";

const custom = ["ns1.customer.test", "ns2.customer.test"];
const service = ["ns1.hostledger.test", "ns2.hostledger.test"];

describe("nameservers", () => {
  it("are switched to the customer's and back; the records stay and are managed again", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const { record } = await domains.addDnsRecord({
      domainId,
      content: { type: "TXT", name: "@", value: "kept" },
    });
    const there = await domains.updateNameservers({
      domainId,
      nameservers: ["NS1.Customer.test", "ns2.customer.test"],
    });
    expect(there.domain).toMatchObject({
      usesServiceNameservers: false,
      nameservers: custom,
      dnsRecordsCount: 3,
    });
    expect(heldDomain(domain)?.nameservers).toEqual(custom);
    const back = await domains.updateNameservers({
      domainId,
      useServiceNameservers: true,
      nameservers: ["ignored"],
    });
    expect(back.domain).toMatchObject({
      usesServiceNameservers: true,
      nameservers: service,
      dnsRecordsCount: 3,
    });
    expect(heldDomain(domain)?.nameservers).toEqual(service);
    await domains.deleteDnsRecord({ domainId, recordId: record?.id ?? 0n });
    expect(heldRecords(domain)).toEqual(await recordsOf(domain));
  });

  it("below the name itself have their addresses from its zone, which does not change meanwhile", async () => {
    const seen: unknown[] = [];
    const domain = await openDomain(
      registrarThat((provider) => ({
        updateNameservers(...delegation) {
          seen.push(delegation.at(3));
          return provider.updateNameservers(...delegation);
        },
      })),
    );
    const { domains, domainId, name } = domain;
    const add = (type: string, label: string, value: string) =>
      domains.addDnsRecord({ domainId, content: { type, name: label, value } });
    await add("A", "ns1", "192.0.2.53");
    await add("AAAA", "ns1", "2001:db8::53");
    await add("TXT", "ns1", "no address");
    const nameservers = [`NS1.${name}`, `ns2.${name}`, `ns1.other-${name}`, name];
    await domains.updateNameservers({ domainId, nameservers });
    expect(seen).toEqual([
      { [`ns1.${name}`]: ["192.0.2.53", "2001:db8::53"], [`ns2.${name}`]: [], [name]: ["192.0.2.1"] },
    ]);
    await expect(refusalOf(add("A", "ns2", "192.0.2.54"))).resolves.toMatchObject({
      code: "custom-nameservers",
    });
    await domains.updateNameservers({ domainId, useServiceNameservers: true });
    expect(seen.slice(1)).toEqual([undefined]);
  });

  it("that are so already need no registrar", async () => {
    const domain = await openDomain(
      registrarThat(() => ({ updateNameservers: () => Promise.resolve(refused("unreachable", "No route")) })),
    );
    await expect(
      domain.domains.updateNameservers({ domainId: domain.domainId, useServiceNameservers: true }),
    ).resolves.toMatchObject({
      domain: { usesServiceNameservers: true },
    });
    await expect(changesOf(domain)).resolves.toEqual([]);
  });

  it.each([
    [[]],
    [["one.test"]],
    [["a.test", "A.test"]],
    [["a.test", "192.0.2.1"]],
    [Array.from({ length: 7 }, (_, index) => `ns${String(index)}.test.test`)],
  ])("of the customer's own are 2 to 6 host names: %j are refused", async (nameservers) => {
    const domain = await openDomain();
    const refusal = await refusalOf(
      domain.domains.updateNameservers({ domainId: domain.domainId, nameservers }),
    );
    expect(refusal).toMatchObject({
      code: "validation-failed",
      detail: { fieldErrors: { nameservers: [/./] } },
    });
    await expect(changesOf(domain)).resolves.toEqual([]);
  });

  it("bring the default zone to a domain that never had one", async () => {
    const domain = await openDomain({}, { nameservers: custom });
    expect(heldRecords(domain)).toEqual([]);
    const { domains, domainId } = domain;
    await expect(domains.updateNameservers({ domainId, useServiceNameservers: true })).resolves.toMatchObject(
      {
        domain: { usesServiceNameservers: true, dnsRecordsCount: 2 },
      },
    );
    expect(heldRecords(domain)).toHaveLength(2);
    expect(heldRecords(domain)).toEqual(await recordsOf(domain));
  });

  it("bring the stored zone to one whose zone was lost meanwhile", async () => {
    const domain = await openDomain();
    const { domains, domainId, name } = domain;
    await domains.addDnsRecord({
      domainId,
      content: { type: "MX", name: "@", value: "mail.example.com", priority: 10 },
    });
    await domains.updateNameservers({ domainId, nameservers: custom });
    await domain.service.sandbox.dns.deleteZone(name);
    await domains.updateNameservers({ domainId, useServiceNameservers: true });
    expect(heldRecords(domain)).toHaveLength(3);
    expect(heldRecords(domain)).toEqual(await recordsOf(domain));
  });

  it("stay unchanged if no zone can be created for them", async () => {
    const domain = await openDomain({}, { name: "nozone.com", nameservers: custom });
    const { domains, domainId } = domain;
    await expect(
      refusalOf(domains.updateNameservers({ domainId, useServiceNameservers: true })),
    ).resolves.toMatchObject({ code: "dns-unavailable" });
    expect(heldDomain(domain)?.nameservers).toEqual(custom);
    await expect(readDomain(domain)).resolves.toMatchObject({
      usesServiceNameservers: false,
      dnsRecordsCount: 0,
    });
  });

  it.each([
    ["badns.com", "registrar-refused"],
    ["example.com", "registrar-unavailable"],
  ])("that the registrar refuses stay unchanged: %s", async (name, code) => {
    const offline = registrarThat(() => ({
      updateNameservers: () => Promise.resolve(refused("unreachable", "No route")),
    }));
    const domain = await openDomain(code === "registrar-refused" ? {} : offline, { name });
    await expect(
      refusalOf(domain.domains.updateNameservers({ domainId: domain.domainId, nameservers: custom })),
    ).resolves.toMatchObject({ code });
    await expect(readDomain(domain)).resolves.toMatchObject({
      usesServiceNameservers: true,
      nameservers: service,
    });
    await expect(changesOf(domain)).resolves.toEqual(["DomainChangeStarted", "DomainChangeFailed"]);
  });

  it("are changed although the answer is lost, and the customer gets a success", async () => {
    const domain = await openDomain(
      registrarThat((provider) => ({
        async updateNameservers(name, nameservers) {
          await provider.updateNameservers(name, nameservers);
          return unknown("The connection was closed");
        },
      })),
    );
    await expect(
      domain.domains.updateNameservers({ domainId: domain.domainId, nameservers: custom }),
    ).resolves.toMatchObject({
      domain: { nameservers: custom },
    });
  });

  it("are changed one request at a time: another one is refused at once, records wait", async () => {
    const asked = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<undefined>();
    const domain = await openDomain(
      registrarThat((provider) => ({
        async updateNameservers(name, nameservers) {
          asked.resolve(undefined);
          await answer.promise;
          return provider.updateNameservers(name, nameservers);
        },
      })),
    );
    const { domains, domainId } = domain;
    const first = domains.updateNameservers({ domainId, nameservers: custom });
    await asked.promise;
    await expect(
      refusalOf(domains.updateNameservers({ domainId, useServiceNameservers: true })),
    ).resolves.toMatchObject({ code: "change-in-flight" });
    const record = refusalOf(
      domains.addDnsRecord({ domainId, content: { type: "A", name: "web", value: "192.0.2.7" } }),
    );
    answer.resolve(undefined);
    await expect(first).resolves.toMatchObject({ domain: { nameservers: custom } });
    await expect(record).resolves.toMatchObject({ code: "custom-nameservers" });
  });

  it("are not the customer's to change while the registration still asks for its own", async () => {
    let isSilent = true;
    const asked = Promise.withResolvers<undefined>();
    const fixture = await openDomain(
      registrarThat((provider) => ({
        async updateNameservers(name, nameservers) {
          asked.resolve(undefined);
          await eventually(() => expect(isSilent).toBe(false));
          return provider.updateNameservers(name, nameservers);
        },
      })),
    );
    const customer = fixture.service.customer().domains;
    const registering = customer.registerDomain({ domain: "other.com", nameservers: custom });
    await asked.promise;
    const { domains: listed } = await eventually(async () => {
      const answer = await customer.listDomains({});
      expect(answer.domains).toHaveLength(1);
      return answer;
    });
    const change = customer.updateNameservers({
      domainId: listed[0]?.id ?? 0n,
      nameservers: ["a.test", "b.test"],
    });
    await expect(refusalOf(change)).resolves.toMatchObject({ code: "change-in-flight" });
    isSilent = false;
    await expect(registering).resolves.toMatchObject({ domain: { nameservers: custom } });
  });
});

describe("a DNS server that loses the answer about a zone", () => {
  it("leads to an inquiry, and the domain is switched", async () => {
    const domain = await openDomain(
      {
        dns: (dns) => ({
          ...plainDns(dns),
          async createZone(zone) {
            await dns.createZone(zone);
            return unknown("The connection was closed");
          },
        }),
      },
      { nameservers: custom },
    );
    await expect(
      domain.domains.updateNameservers({ domainId: domain.domainId, useServiceNameservers: true }),
    ).resolves.toMatchObject({
      domain: { usesServiceNameservers: true, dnsRecordsCount: 2 },
    });
  });
});
