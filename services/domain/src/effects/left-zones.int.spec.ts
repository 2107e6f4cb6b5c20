import { refused, unknown, type Dns, type RegistryMessage, type ZoneRecord } from "@hostledger/providers";
import { plainDns, plainRegistrar } from "@hostledger/providers/testing";
import { describe, expect, it } from "vitest";

import { ofTest, openDomainService } from "../domain-service.fixture.ts";

/** The zone of a name that left for another registrar stays (ADR 0011). Whoever registers the name here later finds it there. */

const name = "left.com";
const custom = ["ns1.customer.test", "ns2.customer.test"];

/** A name with records of its customer that has left, and its zone as it stayed. */
async function left(dns: (provider: Dns) => Partial<Dns> = () => ({})) {
  const queue: RegistryMessage[] = [];
  const service = ofTest(
    await openDomainService({
      lifeCycleIntervalMs: 1_000,
      registrar: (provider) => ({
        ...plainRegistrar(provider),
        messages: () => Promise.resolve({ outcome: "done", value: queue.slice(0, 1) }),
        acknowledge() {
          queue.pop();
          return Promise.resolve({ outcome: "done", value: undefined });
        },
      }),
      dns: (provider) => ({ ...plainDns(provider), ...dns(provider) }),
    }),
  );
  const { sandbox } = service;
  const zoneNow = (): readonly ZoneRecord[] | undefined =>
    sandbox.show().dns.find((zone) => zone.name === name)?.records;
  const leave = async (): Promise<void> => {
    await sandbox.registrar.cancel(name);
    queue.push({ registrar: "Sandbox", id: "1", about: "transferred-away", name, words: "It left." });
    expect(await service.runMessageRound()).toEqual({ acknowledged: 1, left: 0 });
    await service.settled();
  };
  const { domains } = service.customer();
  const { domain } = await domains.registerDomain({ domain: name });
  await service.settled();
  const domainId = domain?.id ?? 0n;
  const defaults = zoneNow();
  await domains.addDnsRecord({ domainId, content: { type: "TXT", name: "@", value: "of the former owner" } });
  await domains.addDnsRecord({ domainId, content: { type: "A", name: "mail", value: "198.51.100.7" } });
  await leave();
  expect(zoneNow()).toHaveLength(4);
  return { service, sandbox, zoneNow, defaults, leave, next: () => service.customer().domains };
}

describe("a name that left and is registered anew", () => {
  it("has a zone of its own, with nothing in it of the former owner's", async () => {
    const { next, zoneNow, defaults } = await left();
    expect(await next().registerDomain({ domain: name })).toMatchObject({ domain: { dnsRecordsCount: 2 } });
    expect(zoneNow()).toEqual(defaults);
  });

  it.each<
    [
      string,
      (
        times: number,
        dns: Dns,
        call: Parameters<Dns["replaceRecordSets"]>,
      ) => ReturnType<Dns["replaceRecordSets"]>,
    ]
  >([
    [
      "is not reached at first",
      (times, dns, call) =>
        times === 1 ? Promise.resolve(refused("unreachable", "No route")) : dns.replaceRecordSets(...call),
    ],
    [
      "does not answer",
      async (_times, dns, call) => {
        await dns.replaceRecordSets(...call);
        return unknown("The connection was closed");
      },
    ],
  ])("has its zone although the DNS server %s", async (_what, answer) => {
    let times = 0;
    let isScripted = false;
    const { service, next, zoneNow, defaults } = await left((dns) => ({
      replaceRecordSets(...call) {
        times += 1;
        return isScripted ? answer(times, dns, call) : dns.replaceRecordSets(...call);
      },
    }));
    [times, isScripted] = [0, true];
    const domains = next();
    await domains.registerDomain({ domain: name });
    await service.settled();
    expect(zoneNow()).toEqual(defaults);
    expect((await domains.listDomains({})).domains).toMatchObject([{ dnsRecordsCount: 2 }]);
  });

  it("has its zone as soon as it uses our nameservers, despite earlier failures", async () => {
    const { sandbox, next, zoneNow, defaults, leave } = await left();
    const first = await next().registerDomain({ domain: name, nameservers: custom });
    expect(zoneNow()).toHaveLength(4);
    await leave();
    const domains = next();
    const { domain } = await domains.registerDomain({ domain: name, nameservers: custom });
    expect(first.domain?.id).not.toBe(domain?.id);
    await domains.updateNameservers({ domainId: domain?.id ?? 0n, useServiceNameservers: true });
    expect(zoneNow()).toEqual(defaults);
    expect(sandbox.show().registrar).toMatchObject([
      { name, nameservers: ["ns1.hostledger.test", "ns2.hostledger.test"] },
    ]);
  });

  it("leaves a zone alone that differs from its former owner's: it may be somebody else's", async () => {
    const { service, sandbox, next, zoneNow } = await left();
    await sandbox.dns.deleteZone(name);
    const theirs = [{ type: "A", name: "@", value: "203.0.113.9", ttlSeconds: 60 }];
    await sandbox.dns.createZone({ name, records: theirs });
    const answer = await next().registerDomain({ domain: name });
    expect(answer).toMatchObject({ domain: { dnsRecordsCount: 0 } });
    await service.caughtUp();
    expect((await service.staff().listRuns({})).runs).toMatchObject([
      { subject: name, step: "creating-zone" },
    ]);
    expect(zoneNow()).toEqual(theirs);
  });
});
