import { refused, unknown, type Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { manualClock, realTiming } from "@hostledger/runtime";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import {
  eventually,
  ofTest,
  openDomainService,
  operation,
  type DomainClient,
  type DomainServiceFixture,
} from "../domain-service.fixture.ts";

/** Tests `POST /domains/{d}/restore` (contract, second part): 45 days of grace, 30 of redemption, deleted 5 days later. */

const dayMs = 86_400_000;
const prices = {
  tld: "com",
  registrationCents: 1_000n,
  renewalCents: 1_200n,
  transferCents: 900n,
  active: true,
};

interface Setting {
  readonly balanceCents?: bigint;
  /** Price of a restoration; undefined if not offered. */
  readonly restoreCents?: bigint;
  readonly registrar?: (registrar: Registrar) => Partial<Registrar>;
  readonly before?: (domains: DomainClient, domainId: bigint) => Promise<unknown>;
}

async function expired(
  days: number,
  { balanceCents = 10_000n, restoreCents = 8_000n, registrar = () => ({}), before }: Setting = {},
) {
  const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  const service = ofTest(
    await openDomainService({
      clock,
      registrar: (provider) => ({ ...plainRegistrar(provider), ...registrar(provider) }),
    }),
  );
  await service.staff().setPrice({ ...prices, ...(restoreCents > 0n && { restoreCents }) });
  const customer = service.customer(balanceCents + 1_000n);
  const { domain } = await customer.domains.registerDomain({ domain: "one.com" });
  await service.settled();
  const domainId = domain?.id ?? 0n;
  await before?.(customer.domains, domainId);
  const passTo = async (day: number): Promise<void> => {
    clock.advance(Date.parse(domain?.expiryDate ?? "") + day * dayMs - clock.epochMilliseconds());
    await service.runDueWork();
    await service.settled();
  };
  await passTo(0);
  if (days > 0) await passTo(days);
  return {
    ...customer,
    service,
    domainId,
    passTo,
    expiryDate: domain?.expiryDate ?? "",
    balance: () => service.accounts.balanceOf(customer.accountId),
    restore: (operationId = "restore-1") =>
      customer.domains.renewDomain({ domainId, restore: true }, operation(operationId)),
    held: () => service.sandbox.show().registrar.map(({ name, expiresAt }) => [name, expiresAt.slice(0, 10)]),
    status: async () => (await customer.domains.getDomain({ domainId })).domain?.status,
  };
}

async function countIn(service: DomainServiceFixture, stream: string): Promise<number> {
  let count = 0;
  for await (const _ of service.store.read(stream)) count += 1;
  return count;
}

describe("a domain that its registry withholds", () => {
  it("is restored for the restoration price, with a year and its earlier data", async () => {
    const { service, domains, domainId, restore, balance, held, expiryDate, status } = await expired(46);
    expect([held(), await status()]).toEqual([[], "expired"]);
    const answer = await restore();
    expect(answer).toMatchObject({ amountChargedCents: 8_000n, years: 1, domain: { status: "active" } });
    const year = Number(expiryDate.slice(0, 4)) + 1;
    expect(answer.domain?.expiryDate).toBe(`${String(year)}${expiryDate.slice(4)}`);
    expect(held()).toEqual([["one.com", answer.domain?.expiryDate?.slice(0, 10)]]);
    expect(balance()).toBe(2_000n);
    expect(service.sandbox.show().dns.map(({ name }) => name)).toEqual(["one.com"]);
    // The restored domain can be changed and renewed as usual, and a repeat costs nothing.
    await domains.updateSettings({ domainId, lockStatus: false });
    expect(await restore()).toMatchObject({ invoiceId: answer.invoiceId });
    expect(balance()).toBe(2_000n);
    await domains.renewDomain({ domainId });
    expect(balance()).toBe(800n);
  });

  it("is delegated again to nameservers below itself, which ended with it at the registry", async () => {
    const hosts = ["ns1.one.com", "ns2.one.com"];
    const seen: unknown[] = [];
    const { service, restore } = await expired(46, {
      registrar: (provider) => ({
        async cancel(name) {
          await provider.updateNameservers(name, []);
          return provider.cancel(name);
        },
        updateNameservers(...delegation) {
          seen.push(delegation);
          return provider.updateNameservers(...delegation);
        },
      }),
      async before(domains, domainId) {
        for (const name of ["ns1", "ns2"])
          await domains.addDnsRecord({ domainId, content: { type: "A", name, value: "192.0.2.7" } });
        await domains.updateNameservers({ domainId, nameservers: hosts });
      },
    });
    seen.length = 0;
    expect(await restore()).toMatchObject({ domain: { status: "active", nameservers: hosts } });
    expect(service.sandbox.show().registrar).toMatchObject([{ name: "one.com", nameservers: hosts }]);
    const glue = Object.fromEntries(hosts.map((host) => [host, ["192.0.2.7"]]));
    expect(seen).toEqual([["one.com", hosts, undefined, glue]]);
  });

  it("is neither renewed nor sold to another customer", async () => {
    const { service, domains, domainId, balance } = await expired(46);
    expect(await refusalOf(domains.renewDomain({ domainId }))).toMatchObject({
      code: "domain-not-renewable",
      message: expect.stringContaining("it can only be restored"),
    });
    const other = service.customer();
    expect(await refusalOf(other.domains.registerDomain({ domain: "one.com" }))).toMatchObject({
      code: "domain-taken",
    });
    expect(await other.domains.searchDomain({ domain: "one.com" })).toMatchObject({
      available: false,
      price: { restoreCents: 8_000n },
    });
    expect(balance()).toBe(10_000n);
  });

  it("can be withheld and restored again a year later", async () => {
    const { restore, passTo, held, status } = await expired(46, { balanceCents: 20_000n });
    await restore();
    await passTo(366);
    await passTo(366 + 46);
    expect([held(), await status()]).toEqual([[], "expired"]);
    await restore("restore-2");
    expect(await status()).toBe("active");
  });
});

describe("a restoration", () => {
  it.each([
    ["before the domain is withheld", 44.9, {}, "not-restorable"],
    ["when it is about to be deleted", 75, {}, "not-restorable"],
    ["where none are sold", 46, { restoreCents: 0n }, "not-restorable"],
    ["without the balance for it", 46, { balanceCents: 7_999n }, "insufficient-balance"],
  ])("is refused %s, and nothing is ordered", async (_when, days, requested, code) => {
    const { service, restore, balance, status } = await expired(days, {
      ...requested,
      registrar: () => ({
        restore: () => {
          throw new Error("it was ordered");
        },
      }),
    });
    const before = balance();
    const events = await countIn(service, "domain-one.com");
    expect(await refusalOf(restore())).toMatchObject({ code });
    expect([balance(), await status()]).toEqual([before, "expired"]);
    expect(await countIn(service, "domain-one.com")).toBe(events);
  });

  it.each([
    ["the registrar refuses it", refused("rejected", "Policy")],
    ["the registrar cannot be reached", refused("unreachable", "No route")],
  ])("is refunded if %s, and can be tried again", async (_what, outcome) => {
    let isDown = true;
    const { restore, balance, status, held } = await expired(46, {
      registrar: (provider) => ({
        restore: (order) => (isDown ? Promise.resolve(outcome) : provider.restore(order)),
      }),
    });
    expect(await refusalOf(restore())).toMatchObject({ code: "registrar-failed" });
    expect([balance(), await status(), held()]).toEqual([10_000n, "expired", []]);
    isDown = false;
    await restore("restore-2");
    expect([balance(), await status()]).toEqual([2_000n, "active"]);
  });

  it("whose answer is lost has happened", async () => {
    const { restore, balance, status } = await expired(46, {
      registrar: (provider) => ({
        async restore(order) {
          await provider.restore(order);
          return unknown("The connection was closed");
        },
      }),
    });
    await restore();
    expect([balance(), await status()]).toEqual([2_000n, "active"]);
  });

  it("succeeds if the registry had renewed the name automatically, and does not renew it twice", async () => {
    const { restore, balance, status } = await expired(46, {
      registrar: (provider) => ({
        async restore(order) {
          await provider.restore(order);
          return refused("rejected", "The expiry date is a year later.");
        },
      }),
    });
    await restore();
    expect([balance(), await status()]).toEqual([2_000n, "active"]);
  });

  it("that the registrar does not follow by a renewal is left to staff: the charge stands, as the registry's fee does", async () => {
    const { service, restore, balance } = await expired(46, {
      registrar: (provider) => ({
        async restore(order) {
          // A wrong expiry date restores without a renewal.
          await provider.restore({ ...order, currentExpiresAt: "2001-01-01T00:00:00.000000Z" });
          return refused("rejected", "No renewal");
        },
      }),
    });
    restore().catch(() => undefined);
    await eventually(async () => {
      const { runs } = await service.staff().listRuns({ parkedOnly: true });
      expect(runs.map(({ reason }) => reason)).toEqual([
        "The registrar holds the name again, and has not renewed it",
      ]);
    });
    expect(balance()).toBe(2_000n);
  });

  it("and a simultaneous second one are one restoration", async () => {
    const { restore, balance } = await expired(46, { balanceCents: 20_000n });
    const answers = await Promise.allSettled([restore("restore-1"), restore("restore-2")]);
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(balance()).toBe(12_000n);
  });
});
