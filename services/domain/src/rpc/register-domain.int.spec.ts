import { done, refused, unknown, type Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import {
  ofTest,
  openDomainService,
  patientRegistrar,
  sell,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

const open = async (options?: DomainServiceFixtureOptions): Promise<DomainServiceFixture> =>
  ofTest(await openDomainService(options));

describe("a registration", () => {
  it("charges, registers, and is read back at once", async () => {
    const { customer, accounts, sandbox } = await open();
    const { domains, accountId } = customer(5_000n);
    const answer = await domains.registerDomain({ domain: "Example.COM", years: 2, autoRenew: true });
    expect(answer).toMatchObject({ amountChargedCents: 2_000n, years: 2, invoiceId: 101n });
    expect(answer.warning).toBeUndefined();
    expect(answer.domain).toMatchObject({ domainName: "example.com", autoRenew: true, dnsRecordsCount: 2 });
    expect(accounts.balanceOf(accountId)).toBe(3_000n);
    await expect(domains.listDomains({})).resolves.toMatchObject({ domains: [{ id: answer.domain?.id }] });
    expect(sandbox.show()).toMatchObject({
      registrar: [{ name: "example.com" }],
      dns: [{ name: "example.com" }],
    });
  });

  it("warns if the registrar refuses the customer's nameservers", async () => {
    const { customer } = await open();
    const nameservers = ["ns1.customer.test", "ns2.customer.test"];
    const answer = await customer().domains.registerDomain({ domain: "badns.com", nameservers });
    expect(answer.warning).toMatch(
      /^The domain is registered, but .* The service nameservers stay in use\.$/,
    );
    expect(answer.domain).toMatchObject({ usesServiceNameservers: true });
  });

  it("is for customers only", async () => {
    const { domains } = await open();
    for (const caller of [
      { kind: "service", name: "gateway" },
      { kind: "staff", name: "ada" },
    ] as const)
      await expect(
        refusalOf(domains(caller).registerDomain({ domain: "example.com" })),
      ).resolves.toMatchObject({ code: "unauthorized" });
    await expect(
      refusalOf(domains(undefined).registerDomain({ domain: "example.com" })),
    ).resolves.toMatchObject({ code: "unauthenticated" });
  });
});

describe("the order of the checks", () => {
  it("fields come before the extension, and all of them are named", async () => {
    const { customer } = await open();
    const refusal = await refusalOf(
      customer(0n).domains.registerDomain({ domain: "taken.nowhere.", years: 11, nameservers: ["one"] }),
    );
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual(["domain", "years", "nameservers"]);
  });

  it("the extension comes before the name: unknown or no longer sold", async () => {
    const { customer, staff } = await open();
    const poor = customer(0n).domains;
    await expect(refusalOf(poor.registerDomain({ domain: "taken.net" }))).resolves.toMatchObject({
      code: "unsupported-extension",
    });
    await customer().domains.registerDomain({ domain: "mine.com" });
    await sell(staff(), "com", { active: false });
    await expect(refusalOf(poor.registerDomain({ domain: "mine.com" }))).resolves.toMatchObject({
      code: "unsupported-extension",
    });
  });

  it("a name that is registered here comes before the registrar and the balance", async () => {
    const asked: string[] = [];
    const { customer } = await open({
      registrar: (provider) => ({
        ...plainRegistrar(provider),
        check(name) {
          asked.push(name);
          return provider.check(name);
        },
      }),
    });
    await customer().domains.registerDomain({ domain: "mine.com" });
    for (const { domains } of [customer(), customer(0n)])
      await expect(refusalOf(domains.registerDomain({ domain: "mine.com" }))).resolves.toMatchObject({
        code: "domain-taken",
      });
    expect(asked).toEqual(["mine.com"]);
  });

  it.each([
    ["says that it is free", done({ available: true })],
    ["does not answer", unknown("No answer")],
    [
      "takes more for it",
      done({ available: true, fee: { cents: 9_999n, currency: "EUR", isPremium: true } }),
    ],
  ])("a name is taken after a start, when it was not read yet and the registrar %s", async (_, answer) => {
    const first = await open();
    await first.customer().domains.registerDomain({ domain: "mine.com" });
    const { customer } = await first.restart({
      registrar: (provider) => ({ ...plainRegistrar(provider), check: () => Promise.resolve(answer) }),
    });
    const { domains } = customer(0n);
    await expect(refusalOf(domains.registerDomain({ domain: "mine.com" }))).resolves.toMatchObject({
      code: "domain-taken",
    });
  });

  it("a registration in flight comes before the registrar and the balance", async () => {
    const { registrar, letGo, ordered } = patientRegistrar();
    const { customer } = await open({ registrar });
    const first = customer().domains.registerDomain({ domain: "mine.com" });
    await ordered;
    await expect(
      refusalOf(customer(0n).domains.registerDomain({ domain: "mine.com" })),
    ).resolves.toMatchObject({ code: "registration-in-flight" });
    letGo();
    await expect(first).resolves.toMatchObject({ years: 1 });
  });

  it("the registrar comes before the balance", async () => {
    const { customer } = await open();
    await expect(
      refusalOf(customer(0n).domains.registerDomain({ domain: "taken.com" })),
    ).resolves.toMatchObject({ code: "domain-not-available" });
  });

  it("checks the balance last, and returns the required and the available amount", async () => {
    const { customer } = await open();
    await expect(
      refusalOf(customer(1_999n).domains.registerDomain({ domain: "mine.com", years: 2 })),
    ).resolves.toMatchObject({
      code: "insufficient-balance",
      detail: { requiredCents: 2_000n, availableCents: 1_999n },
    });
  });

  it("an outdated balance refuses nobody, and gives nobody an order", async () => {
    const { customer, accounts } = await open();
    const [rich, poor] = [customer(2_000n), customer(1_999n)];
    accounts.seemed.set(rich.accountId, 0n).set(poor.accountId, 2_000n);
    await expect(rich.domains.registerDomain({ domain: "seemed-poor.com", years: 2 })).resolves.toMatchObject(
      { amountChargedCents: 2_000n },
    );
    await expect(
      refusalOf(poor.domains.registerDomain({ domain: "seemed-rich.com", years: 2 })),
    ).resolves.toMatchObject({
      code: "insufficient-balance",
      detail: { requiredCents: 2_000n, availableCents: 1_999n },
    });
  });

  it("leaves nothing after a refusal", async () => {
    const { customer, store, accounts } = await open();
    const before = await store.lastPosition();
    for (const [balance, domain] of [
      [0n, "no name"],
      [0n, "mine.net"],
      [100n, "taken.com"],
      [100n, "mine.com"],
    ] as const)
      await refusalOf(customer(balance).domains.registerDomain({ domain }));
    await expect(store.lastPosition()).resolves.toBe(before);
    expect(accounts.charges.size).toBe(0);
  });
});

describe("a check that another registration overtakes", () => {
  const overtaken = async (answer: (name: string) => ReturnType<Registrar["check"]>) => {
    const { registrar, letGo, ordered } = patientRegistrar();
    let overtake: (() => Promise<void>) | undefined;
    const service = await open({
      registrar: (provider) => ({
        ...registrar(provider),
        async check(name) {
          await overtake?.();
          return answer(name);
        },
      }),
    });
    const winner = Promise.withResolvers<unknown>();
    overtake = async () => {
      overtake = undefined;
      winner.resolve(service.customer().domains.registerDomain({ domain: "mine.com" }));
      await ordered;
    };
    return { service, winner: winner.promise, letGo };
  };

  it("reports that the balance is too low: it may be in the other registration", async () => {
    const { service, winner, letGo } = await overtaken(() => Promise.resolve(done({ available: true })));
    await expect(
      refusalOf(service.customer(0n).domains.registerDomain({ domain: "mine.com" })),
    ).resolves.toMatchObject({ code: "registration-in-flight" });
    letGo();
    await winner;
  });

  it("reports that the name is no longer available", async () => {
    const calls: string[] = [];
    const { service, winner, letGo } = await overtaken((name) => {
      // The first question finds the name available, the second does not.
      calls.push(name);
      return Promise.resolve(done({ available: calls.length === 1 }));
    });
    await expect(
      refusalOf(service.customer().domains.registerDomain({ domain: "mine.com" })),
    ).resolves.toMatchObject({ code: "registration-in-flight" });
    letGo();
    await winner;
  });

  it("loses at the reservation if all its checks passed", async () => {
    const { service, winner, letGo } = await overtaken(() => Promise.resolve(done({ available: true })));
    const loser = service.customer();
    await expect(refusalOf(loser.domains.registerDomain({ domain: "mine.com" }))).resolves.toMatchObject({
      code: "registration-in-flight",
    });
    expect(service.accounts.balanceOf(loser.accountId)).toBe(100_000n);
    letGo();
    await winner;
  });
});

describe("what goes wrong after the checks", () => {
  it.each([
    ["refuses", refused("unreachable", "No route")],
    ["does not answer", unknown("No answer")],
  ])("a registrar that %s in the check of the name: nothing begins", async (_, outcome) => {
    const { customer, store } = await open({
      registrar: (provider) => ({ ...plainRegistrar(provider), check: () => Promise.resolve(outcome) }),
    });
    const before = await store.lastPosition();
    await expect(refusalOf(customer().domains.registerDomain({ domain: "mine.com" }))).resolves.toMatchObject(
      {
        code: "registrar-failed",
        detail: { hadNoEffect: true },
      },
    );
    await expect(store.lastPosition()).resolves.toBe(before);
  });

  it.each([
    ["a premium name", { cents: 1_000n, currency: "EUR", isPremium: true }],
    ["a name that is dearer than the price list", { cents: 2_001n, currency: "EUR", isPremium: false }],
    ["a name whose fee is in dollars", { cents: 1n, currency: "USD", isPremium: false }],
    ["a name whose fee is in no currency", { cents: 1n, currency: "", isPremium: false }],
  ])("%s is refused before anything is charged, and not offered (RFC 8748)", async (_, fee) => {
    const { customer, store, accounts } = await open({
      registrar: (provider) => ({
        ...plainRegistrar(provider),
        check: (name) => Promise.resolve(done({ available: !name.startsWith("held"), fee })),
      }),
    });
    const { domains, accountId } = customer();
    const before = await store.lastPosition();
    const orders = [
      domains.registerDomain({ domain: "mine.com", years: 2 }),
      domains.transferDomain({ domain: "held.com", authCode: "let-me-go" }),
    ];
    for (const refusal of await Promise.all(orders.map(refusalOf)))
      expect(refusal).toMatchObject({
        code: "premium-name",
        message: expect.stringContaining(
          fee.currency === "EUR" ? "charges more than the price list says" : "the price list is in EUR",
        ),
      });
    await expect(domains.searchDomain({ domain: "mine.com", years: 2 })).resolves.toMatchObject({
      available: false,
    });
    await expect(store.lastPosition()).resolves.toBe(before);
    expect(accounts.balanceOf(accountId)).toBe(100_000n);
  });

  it("a name whose fee the price covers to the cent is registered", async () => {
    const asked: unknown[] = [];
    const { customer } = await open({
      registrar: (provider) => ({
        ...plainRegistrar(provider),
        check(name, order) {
          asked.push([name, order]);
          const fee = { cents: 2_000n, currency: "EUR", isPremium: false };
          return Promise.resolve(done({ available: true, fee }));
        },
      }),
    });
    const { domain } = await customer().domains.registerDomain({ domain: "mine.com", years: 2 });
    expect(domain?.domainName).toBe("mine.com");
    expect(asked).toEqual([["mine.com", { kind: "create", years: 2 }]]);
  });

  it.each(["refused.com", "offline.com"])("a refused order returns the money: %s", async (name) => {
    const { customer, accounts } = await open();
    const { domains, accountId } = customer();
    await expect(refusalOf(domains.registerDomain({ domain: name }))).resolves.toMatchObject({
      code: "registrar-failed",
    });
    expect(accounts.balanceOf(accountId)).toBe(100_000n);
    expect(accounts.charges.size).toBe(1);
  });

  it("a charge refused after all frees the name, and the figures reach the customer", async () => {
    const { customer, accounts, sandbox } = await open();
    const { domains, accountId } = customer(1_000n);
    accounts.beforeCharge = () => {
      accounts.open(accountId, 5n);
    };
    await expect(refusalOf(domains.registerDomain({ domain: "mine.com" }))).resolves.toMatchObject({
      code: "insufficient-balance",
      detail: { requiredCents: 1_000n, availableCents: 5n },
    });
    expect(sandbox.show().registrar).toEqual([]);
    accounts.beforeCharge = () => undefined;
    accounts.open(accountId, 1_000n);
    await expect(domains.registerDomain({ domain: "mine.com" })).resolves.toMatchObject({ years: 1 });
  });

  it("more registrations than may be under way are turned away before anything is promised", async () => {
    const { registrar, letGo, ordered } = patientRegistrar();
    const { customer, store } = await open({ registrar, activeRegistrations: 1 });
    const first = customer().domains.registerDomain({ domain: "one.com" });
    await ordered;
    const before = await store.lastPosition();
    await expect(refusalOf(customer().domains.registerDomain({ domain: "two.com" }))).resolves.toMatchObject({
      code: "overloaded",
      detail: { retryAfterSeconds: 1 },
    });
    await expect(store.lastPosition()).resolves.toBe(before);
    letGo();
    await first;
  });
});
