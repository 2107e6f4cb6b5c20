import { withAppend, type EventStore } from "@hostledger/store";
import { done, unknown } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import {
  ofTest,
  openDomainService,
  operation,
  patientRegistrar,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

const open = async (options?: DomainServiceFixtureOptions): Promise<DomainServiceFixture> =>
  ofTest(await openDomainService(options));

describe("a registration that is sent again under its key", () => {
  const options = operation("operation-1");

  it("answers as the first time, and charges and orders once", async () => {
    const { customer, accounts, sandbox } = await open();
    const { domains, accountId } = customer();
    const first = await domains.registerDomain({ domain: "mine.com", years: 2 }, options);
    await expect(domains.registerDomain({ domain: "mine.com", years: 2 }, options)).resolves.toEqual(first);
    expect(accounts.charges).toHaveLength(1);
    expect(accounts.balanceOf(accountId)).toBe(98_000n);
    expect(sandbox.show().registrar).toMatchObject([
      { clientTransactionId: expect.stringMatching(/^registration-[a-z0-9]{6}-operation-1$/) as string },
    ]);
  });

  it("joins the first one while that is in progress", async () => {
    const { registrar, letGo, ordered } = patientRegistrar();
    const { customer, accounts } = await open({ registrar });
    const { domains } = customer();
    const first = domains.registerDomain({ domain: "mine.com" }, options);
    await ordered;
    const second = domains.registerDomain({ domain: "mine.com" }, options);
    letGo();
    expect(await second).toEqual(await first);
    expect(accounts.charges).toHaveLength(1);
  });

  it.each(["refused.com", "offline.com"])(
    "answers that the registrar failed, although the name is free again: %s",
    async (domain) => {
      const { customer, accounts } = await open();
      const { domains, accountId } = customer();
      for (let time = 0; time < 2; time += 1)
        await expect(refusalOf(domains.registerDomain({ domain }, options))).resolves.toMatchObject({
          code: "registrar-failed",
        });
      expect(accounts.charges).toHaveLength(1);
      expect(accounts.balanceOf(accountId)).toBe(100_000n);
    },
  );

  it("answers that the charge was refused, although the balance suffices now", async () => {
    const { customer, accounts, sandbox } = await open();
    const { domains, accountId } = customer(1_000n);
    accounts.beforeCharge = () => {
      accounts.open(accountId, 5n);
    };
    const again = () => refusalOf(domains.registerDomain({ domain: "mine.com" }, options));
    const refusal = await again();
    expect(refusal).toMatchObject({ code: "insufficient-balance", detail: { availableCents: 5n } });
    accounts.beforeCharge = () => undefined;
    accounts.open(accountId, 1_000n);
    await expect(again()).resolves.toEqual(refusal);
    expect(sandbox.show().registrar).toEqual([]);
  });

  it("is tried again if the first one began nothing", async () => {
    const { customer, accounts } = await open();
    const { domains, accountId } = customer(5n);
    const again = () => domains.registerDomain({ domain: "mine.com" }, options);
    await expect(refusalOf(again())).resolves.toMatchObject({ code: "insufficient-balance" });
    accounts.open(accountId, 1_000n);
    await expect(again()).resolves.toMatchObject({ domain: { domainName: "mine.com" } });
  });

  it("joins a registration of a process that died", async () => {
    const { registrar, letGo, ordered } = patientRegistrar();
    const service = await open({ registrar });
    const { domains, accountId } = service.customer();
    const first = domains.registerDomain({ domain: "mine.com" }, options);
    await ordered;
    first.catch(() => undefined);
    const restarting = service.restart();
    letGo();
    const next = ofTest(await restarting);
    const again = next.domains({ kind: "account", accountId, keyId: 1 });
    await expect(again.registerDomain({ domain: "mine.com" }, options)).resolves.toMatchObject({
      domain: { domainName: "mine.com" },
    });
    expect(next.accounts.charges).toHaveLength(1);
    expect(next.sandbox.show().registrar).toMatchObject([
      { clientTransactionId: expect.stringMatching(/^registration-[a-z0-9]{6}-operation-1$/) as string },
    ]);
  });

  const free = { available: true };
  it.each([
    ["finds the money spent", 1_000n, done(free)],
    ["finds the name gone at the registrar", 2_000n, done({ available: false })],
    ["finds no registrar", 2_000n, unknown("No answer")],
  ])("gets the answer of its own earlier copy, although it %s", async (_, balance, then) => {
    const looking = Promise.withResolvers<undefined>();
    const goesOn = Promise.withResolvers<undefined>();
    const answers = [
      async () => {
        looking.resolve(undefined);
        await goesOn.promise;
        return then;
      },
    ];
    const { customer, accounts } = await open({
      registrar: (provider) => ({
        ...plainRegistrar(provider),
        check: () => answers.shift()?.() ?? Promise.resolve(done(free)),
      }),
    });
    const { domains } = customer(balance);
    const overtaken = domains.registerDomain({ domain: "mine.com" }, options);
    await looking.promise;
    const first = await domains.registerDomain({ domain: "mine.com" }, options);
    goesOn.resolve(undefined);
    expect(await overtaken).toEqual(first);
    expect(accounts.charges).toHaveLength(1);
  });

  it("is another registration under another key, or under none", async () => {
    const { customer, sandbox } = await open();
    const { domains } = customer();
    await domains.registerDomain({ domain: "mine.com" }, options);
    await expect(
      refusalOf(domains.registerDomain({ domain: "mine.com" }, operation("operation-2"))),
    ).resolves.toMatchObject({ code: "domain-taken" });
    const { domain } = await domains.registerDomain({ domain: "other.com" });
    expect(sandbox.show().registrar).toMatchObject([
      { name: "mine.com" },
      {
        clientTransactionId: expect.stringMatching(
          new RegExp(`^registration-[a-z0-9]{6}-${String(domain?.id)}$`),
        ) as string,
      },
    ]);
  });

  it("begins nothing for a disconnected caller, who may have asked again and been refused", async () => {
    const looking = Promise.withResolvers<undefined>();
    const goesOn = Promise.withResolvers<undefined>();
    const { customer, sandbox } = await open({
      registrar: (provider) => ({
        ...plainRegistrar(provider),
        async check(name) {
          looking.resolve(undefined);
          await goesOn.promise;
          return provider.check(name);
        },
      }),
    });
    const { domains } = customer();
    const caller = new AbortController();
    const asked = domains.registerDomain({ domain: "mine.com" }, { ...options, signal: caller.signal });
    const gone = expect(asked).rejects.toThrow("aborted");
    await looking.promise;
    caller.abort();
    goesOn.resolve(undefined);
    await gone;
    // If the first order had been carried out, it would have arrived before this one.
    await domains.registerDomain({ domain: "other.com" });
    expect(sandbox.show().registrar).toMatchObject([{ name: "other.com" }]);
  });
});

it("is one registration of one domain if two processes get it at the same moment", async () => {
  const shared = (store: EventStore): EventStore => ({
    ...withAppend(store, (...append) => store.append(...append)),
    shared: true,
  });
  const one = await open({ store: shared });
  const other = await open({ store: () => shared(one.store), accounts: one.accounts });
  const { accountId } = one.customer();
  const clients = [one, other].map(({ domains }) => domains({ kind: "account", accountId, keyId: 1 }));
  for (let number = 1; number <= 10; number += 1) {
    const name = `mine${String(number)}.com`;
    const asked = clients.map((client) =>
      client.registerDomain({ domain: name }, operation(`operation-${String(number)}`)),
    );
    const answers = await Promise.allSettled(asked);
    const answered = answers.flatMap((answer) =>
      answer.status === "fulfilled" ? [answer.value.domain?.id] : [],
    );
    const stored: unknown[] = [];
    for await (const { data } of one.store.read(`domain-${name}`)) {
      const event = z.looseObject({ domainId: z.number().optional() }).parse(JSON.parse(data));
      if (event.domainId !== undefined) stored.push(BigInt(event.domainId));
    }
    expect(answered.length).toBeGreaterThan(0);
    expect(new Set([...answered, ...stored]).size).toBe(1);
  }
});
