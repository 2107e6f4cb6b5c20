import { done, refused, type Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { manualClock, realTiming } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { ofTest, openDomainService, type DomainServiceFixtureOptions } from "../domain-service.fixture.ts";

const dayMs = 86_400_000;
const nothing = { renewed: 0, failed: 0, unsettled: 0, expired: 0, withheld: 0, deleted: 0, skipped: 0 };

/** A domain that nobody renews, at its expiry. */
async function anExpired(options: DomainServiceFixtureOptions = {}) {
  const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  const service = ofTest(await openDomainService({ clock, ...options }));
  const customer = service.customer(5_000n);
  const { domain } = await customer.domains.registerDomain({ domain: "one.com" });
  await service.settled();
  clock.advance(Date.parse(domain?.expiryDate ?? "") - clock.epochMilliseconds());
  await service.runDueWork();
  await service.settled();
  return {
    ...customer,
    service,
    domain,
    held: () => service.sandbox.show().registrar.map(({ name }) => name),
    zones: () => service.sandbox.show().dns.map(({ name }) => name),
    listed: async (domains = customer.domains) => {
      await service.settled();
      return (await domains.listDomains({})).domains.map(({ domainName, status }) => [domainName, status]);
    },
    pass: (days: number) => {
      clock.advance(days * dayMs);
    },
    /** Returns how many tickets staff got. */
    ticketsAsked: async () => {
      let count = 0;
      const streamPrefixes = ["ticketcause-"];
      for await (const { events, caughtUp } of service.store.subscribe({ from: "start", streamPrefixes })) {
        count += events.length;
        if (caughtUp) break;
      }
      return count;
    },
  };
}

/** A registrar of which one answer is another. */
function registrarWith(change: (registrar: Registrar) => Partial<Registrar>): DomainServiceFixtureOptions {
  return { registrar: (registrar) => ({ ...plainRegistrar(registrar), ...change(registrar) }) };
}

describe("a domain that nobody renews", () => {
  it("leaves the list after 80 days, at the registrar and at the DNS server too; then anybody may register it", async () => {
    const { service, domain, held, zones, listed, pass } = await anExpired();
    pass(45);
    expect(await service.runDueWork()).toEqual(nothing);
    expect(held()).toEqual(["one.com"]);
    pass(0.1);
    expect(await service.runDueWork()).toEqual({ ...nothing, withheld: 1 });
    pass(34.8);
    expect(await service.runDueWork()).toEqual(nothing);
    expect([held(), zones(), await listed()]).toEqual([[], ["one.com"], [["one.com", "expired"]]]);
    pass(0.1);
    expect(await service.runDueWork()).toEqual({ ...nothing, deleted: 1 });
    expect(await service.runDueWork()).toEqual(nothing);
    expect([held(), zones(), await listed()]).toEqual([[], [], []]);
    // The registry counts its days from the deletion request.
    pass(0.1);
    const other = service.customer();
    const again = await other.domains.registerDomain({ domain: "one.com" });
    expect(again.domain).toMatchObject({ domainName: "one.com", status: "active" });
    expect(again.domain?.id).not.toBe(domain?.id);
    expect([held(), zones(), await listed(other.domains)]).toEqual([
      ["one.com"],
      ["one.com"],
      [["one.com", "active"]],
    ]);
  });

  it("goes by its extension's days, which staff set", async () => {
    const { service, domains, domain, listed, pass } = await anExpired();
    const prices = { registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 900n, active: true };
    await service.staff().setPrice({ tld: "com", ...prices, graceDays: 10, redemptionDays: 2 });
    pass(10.9);
    const refusal = await domains.renewDomain({ domainId: domain?.id ?? 0n }).catch(String);
    expect(refusal).toContain("expired more than 10 days ago");
    expect(await service.runDueWork()).toEqual({ ...nothing, withheld: 1 });
    expect(await service.runDueWork()).toEqual(nothing);
    pass(6.1);
    expect(await service.runDueWork()).toEqual({ ...nothing, deleted: 1 });
    expect(await listed()).toEqual([]);
  });

  it("stays until its registrar denies to hold it, which is asked hourly", async () => {
    let isDown = true;
    const { service, pass, listed } = await anExpired(
      registrarWith((registrar) => ({
        cancel: (name) =>
          isDown ? Promise.resolve(refused("unreachable", "No route")) : registrar.cancel(name),
      })),
    );
    pass(80);
    expect(await service.runDueWork()).toEqual({ ...nothing, skipped: 1 });
    expect(await service.runDueWork()).toEqual(nothing);
    expect(await listed()).toEqual([["one.com", "expired"]]);
    isDown = false;
    pass(1 / 24);
    expect(await service.runDueWork()).toEqual({ ...nothing, deleted: 1 });
  });

  it("opens one staff ticket if its registrar refuses to cancel it or holds it for longer", async () => {
    const refusing = await anExpired(
      registrarWith(() => ({ cancel: () => Promise.resolve(refused("rejected", "serverDeleteProhibited")) })),
    );
    refusing.pass(80);
    expect(await refusing.service.runDueWork()).toEqual({ ...nothing, skipped: 1 });
    refusing.pass(1);
    expect(await refusing.service.runDueWork()).toEqual({ ...nothing, skipped: 1 });
    expect(await refusing.listed()).toEqual([["one.com", "expired"]]);
    expect(await refusing.ticketsAsked()).toBe(1);

    const renewed = await anExpired();
    const { registrar } = renewed.service.sandbox;
    const [known] = renewed.service.sandbox.show().registrar;
    await registrar.renew({
      clientTransactionId: "by-hand",
      name: "one.com",
      currentExpiresAt: known?.expiresAt ?? "",
      years: 1,
    });
    renewed.pass(80);
    expect(await renewed.service.runDueWork()).toEqual({ ...nothing, skipped: 1 });
    expect(renewed.held()).toEqual(["one.com"]);
    expect(await renewed.ticketsAsked()).toBe(1);
  });

  it("is deleted even if its registry renewed it automatically, but not if somebody else renewed it", async () => {
    for (const [isRenewedUnasked, step] of [
      [true, "withheld"],
      [false, "skipped"],
    ] as const) {
      const { service, pass, held } = await anExpired(
        registrarWith((registrar) => ({
          async inquire(name) {
            const answer = await registrar.inquire(name);
            if (answer.outcome !== "done" || !answer.value.held) return answer;
            return done({ held: true, domain: { ...answer.value.domain, isRenewedUnasked } });
          },
        })),
      );
      const [known] = service.sandbox.show().registrar;
      await service.sandbox.registrar.renew({
        clientTransactionId: "by-somebody",
        name: "one.com",
        currentExpiresAt: known?.expiresAt ?? "",
        years: 1,
      });
      pass(45.1);
      expect(await service.runDueWork()).toEqual({ ...nothing, [step]: 1 });
      expect(held()).toEqual(isRenewedUnasked ? [] : ["one.com"]);
    }
  });

  it("stays while its zone cannot be removed, while staff has it on its way, and while the clock is not trusted", async () => {
    let isDown = true;
    let trusted = true;
    const { service, domain, pass, listed } = await anExpired({
      isTimeTrusted: () => trusted,
      dns: (dns) => ({
        createZone: (zone) => dns.createZone(zone),
        replaceRecordSets: (zone, sets) => dns.replaceRecordSets(zone, sets),
        inquireZone: (name) => dns.inquireZone(name),
        deleteZone: (name) =>
          isDown ? Promise.resolve(refused("unreachable", "No route")) : dns.deleteZone(name),
      }),
    });
    pass(80);
    trusted = false;
    expect(await service.runDueWork()).toEqual(nothing);
    trusted = true;
    await service.staff().setDomainTransfer({ domainId: domain?.id ?? 0n, transferring: true });
    expect(await service.runDueWork()).toEqual(nothing);
    await service.staff().setDomainTransfer({ domainId: domain?.id ?? 0n, transferring: false });
    expect(await service.runDueWork()).toEqual({ ...nothing, skipped: 1 });
    expect(await listed()).toEqual([["one.com", "expired"]]);
    isDown = false;
    pass(1);
    expect(await service.runDueWork()).toEqual({ ...nothing, deleted: 1 });
  });
});
