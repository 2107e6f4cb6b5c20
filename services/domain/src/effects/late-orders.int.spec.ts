import { unknown, type Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { systemClock } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import {
  eventually,
  ofTest,
  openDomainService,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

/** Orders that the registrar does not answer, says that it does not hold, and carries out after all. */

const open = async (options: DomainServiceFixtureOptions): Promise<DomainServiceFixture> =>
  ofTest(await openDomainService(options));

const quietMs = 600;

/** A registrar that keeps quiet about orders and carries them out so much later; without a time, never. */
function keepingQuiet(orders: "register" | "renew", lateMs?: number) {
  return (registrar: Registrar): Registrar => {
    const later = (order: () => Promise<unknown>) => {
      if (lateMs !== undefined) systemClock().after(lateMs, () => void order());
      return Promise.resolve(unknown("No answer"));
    };
    return {
      ...plainRegistrar(registrar),
      ...(orders === "register"
        ? { register: (order) => later(() => registrar.register(order)) }
        : { renew: (order) => later(() => registrar.renew(order)) }),
    };
  };
}

describe("a registration that is carried out late", () => {
  it("is refunded at once, stays reserved, and is cancelled when it appears", async () => {
    const service = await open({ quietMs, registrar: keepingQuiet("register", 150) });
    const { domains } = service.customer();
    const refusal = await refusalOf(domains.registerDomain({ domain: "tardy.com" }));
    expect(refusal.code).toBe("registrar-failed");
    expect(service.accounts.standing).toEqual([]);
    expect((await refusalOf(domains.registerDomain({ domain: "tardy.com" }))).code).toBe(
      "registration-in-flight",
    );

    await eventually(() => {
      expect(service.sandbox.show().registrar).toHaveLength(1);
    });
    await service.settled();
    expect(service.sandbox.show().registrar).toEqual([]);
    expect(service.accounts.standing).toEqual([]);
    expect((await domains.listDomains({})).domains).toEqual([]);
  });

  it("is cancelled by the next process, too, when this one ends meanwhile", async () => {
    const service = await openDomainService({ quietMs, registrar: keepingQuiet("register", 150) });
    const { domains } = service.customer();
    await refusalOf(domains.registerDomain({ domain: "tardy.com" }));
    await eventually(() => {
      expect(service.sandbox.show().registrar).toHaveLength(1);
    });
    const next = ofTest(await service.restart({ quietMs }));
    await next.settled();
    expect(next.sandbox.show().registrar).toEqual([]);
    expect(next.accounts.standing).toEqual([]);
  });

  it("that never comes leaves the name free after the quiet period", async () => {
    const service = await open({ quietMs, registrar: keepingQuiet("register") });
    const { domains } = service.customer();
    await refusalOf(domains.registerDomain({ domain: "tardy.com" }));
    await service.settled();
    expect(service.accounts.standing).toEqual([]);
    // Asked about again, it is refused by the registrar and not for the name.
    expect((await refusalOf(domains.registerDomain({ domain: "tardy.com" }))).code).toBe("registrar-failed");
  });
});

describe("a renewal that is carried out late", () => {
  async function renewedBy(lateMs?: number) {
    const service = await open({ quietMs, registrar: keepingQuiet("renew", lateMs) });
    const { domains } = service.customer();
    const { domain } = await domains.registerDomain({ domain: "tardy.com" });
    const renewal = domains.renewDomain({ domainId: domain?.id ?? 0n });
    return { service, domains, domain, renewal };
  }

  it("stays charged, and is confirmed: it cannot be taken back", async () => {
    const { service, domains, domain, renewal } = await renewedBy(150);
    const { domain: renewed } = await renewal;
    const yearOf = (instant = ""): number => Number(instant.slice(0, 4));
    expect(yearOf(renewed?.expiryDate)).toBe(yearOf(domain?.expiryDate) + 1);
    expect(yearOf(service.sandbox.show().registrar[0]?.expiresAt)).toBe(yearOf(renewed?.expiryDate));
    expect(service.accounts.standing).toHaveLength(2);
    expect((await domains.listDomains({})).domains).toHaveLength(1);
  });

  it("that never arrives is refunded after the registrar has denied it twice", async () => {
    const { service, domain, renewal } = await renewedBy();
    expect((await refusalOf(renewal)).code).toBe("registrar-failed");
    expect(service.accounts.standing).toHaveLength(1);
    expect(service.sandbox.show().registrar[0]?.expiresAt.slice(0, 10)).toBe(
      domain?.expiryDate?.slice(0, 10),
    );
  });
});
