import { rejection } from "@hostledger/core";
import { refused, unknown, type Outcome, type Registrar, type RegistrarDomain } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { callHeaders } from "@hostledger/rpc";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import {
  eventually,
  ofTest,
  openDomainService,
  sell,
  type DomainClient,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

type Renew = Registrar["renew"];

const open = async (options: DomainServiceFixtureOptions = {}): Promise<DomainServiceFixture> =>
  ofTest(await openDomainService(options));

/** Wraps the sandbox's registrar with a spec's answers to renewals and inquiries. */
function renewing(
  renew: (registrar: Registrar) => Renew,
  inquire?: (registrar: Registrar) => Registrar["inquire"],
) {
  return (registrar: Registrar): Registrar => ({
    ...plainRegistrar(registrar),
    renew: renew(registrar),
    inquire: inquire?.(registrar) ?? ((name) => registrar.inquire(name)),
  });
}

/** Creates a customer with a paid domain and a remaining balance. */
async function withDomain(service: DomainServiceFixture, balanceCents = 10_000n, name = "one.com") {
  const customer = service.customer(balanceCents + 1_000n);
  const { domain } = await customer.domains.registerDomain({ domain: name });
  return { ...customer, domainId: domain?.id ?? 0n, expiryDate: domain?.expiryDate ?? "" };
}

const yearOf = (instant = ""): number => Number(instant.slice(0, 4));
const asOperation = (operationId: string) => ({ headers: { [callHeaders.operationId]: operationId } });
const expiryAtRegistrar = (service: DomainServiceFixture): string =>
  service.sandbox.show().registrar[0]?.expiresAt ?? "";

async function expiryOf(domains: DomainClient, domainId: bigint): Promise<string | undefined> {
  return (await domains.getDomain({ domainId })).domain?.expiryDate;
}

async function typesIn(service: DomainServiceFixture, stream: string): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of service.store.read(stream)) types.push(type.replace(/\.v\d+$/, ""));
  return types;
}

describe("a renewal", () => {
  it("is paid for and moves the expiry date, here and at the registrar", async () => {
    const service = await open();
    const { domains, domainId, accountId, expiryDate } = await withDomain(service);
    const answer = await domains.renewDomain({ domainId, years: 3 });
    expect(answer).toMatchObject({ amountChargedCents: 3_600n, years: 3, domain: { status: "active" } });
    expect(answer.domain?.expiryDate).toBe(expiryAtRegistrar(service));
    expect(yearOf(answer.domain?.expiryDate) - yearOf(expiryDate)).toBe(3);
    expect(service.accounts.balanceOf(accountId)).toBe(6_400n);
  });

  it("is for a year by default, and each request is a renewal", async () => {
    const service = await open();
    const { domains, domainId, expiryDate } = await withDomain(service);
    await domains.renewDomain({ domainId });
    const { domain } = await domains.renewDomain({ domainId });
    expect(yearOf(domain?.expiryDate) - yearOf(expiryDate)).toBe(2);
  });

  it("of an extension that is no longer sold costs the fallback price", async () => {
    const service = await open();
    const { domains, domainId } = await withDomain(service);
    await sell(service.staff(), "com", { active: false });
    await expect(domains.renewDomain({ domainId, years: 2 })).resolves.toMatchObject({
      amountChargedCents: 3_998n,
    });
  });
});

describe("a renewal that is refused", () => {
  it("is of another account's domain, or a missing one", async () => {
    const service = await open();
    const { domainId } = await withDomain(service);
    const stranger = service.customer().domains;
    await expect(refusalOf(stranger.renewDomain({ domainId }))).resolves.toMatchObject({
      code: "unauthorized",
    });
    await expect(refusalOf(stranger.renewDomain({ domainId: 999n }))).resolves.toMatchObject({
      code: "not-found",
    });
  });

  it.each([0, 11, 10, 4_294_967_295])("is for %s years", async (years) => {
    const service = await open();
    const { domains, domainId, accountId } = await withDomain(service, 1_000_000n);
    await expect(refusalOf(domains.renewDomain({ domainId, years }))).resolves.toMatchObject({
      code: "validation-failed",
      detail: { fieldErrors: { years: [expect.any(String)] } },
    });
    expect(service.accounts.balanceOf(accountId)).toBe(1_000_000n);
    expect(await typesIn(service, "domain-one.com")).not.toContain("DomainRenewalStarted");
  });

  it("cannot be paid: nothing is written", async () => {
    const service = await open();
    const { domains, domainId } = await withDomain(service, 1_199n);
    await expect(refusalOf(domains.renewDomain({ domainId }))).resolves.toMatchObject({
      code: "insufficient-balance",
      detail: { requiredCents: 1_200n, availableCents: 1_199n },
    });
    expect(await typesIn(service, "domain-one.com")).not.toContain("DomainRenewalStarted");
  });

  it("is of a domain in transfer to another registrar", async () => {
    const service = await open();
    const { domains, domainId } = await withDomain(service);
    await service.staff().setDomainTransfer({ domainId, transferring: true });
    await expect(refusalOf(domains.renewDomain({ domainId }))).resolves.toMatchObject({
      code: "domain-not-renewable",
      message: "The domain is on its way to another registrar and cannot be renewed.",
    });
  });

  it("comes while another one is in progress: exactly one succeeds", async () => {
    const service = await open();
    const { domains, domainId, accountId, expiryDate } = await withDomain(service);
    const calls = Array.from({ length: 8 }, () => domains.renewDomain({ domainId }));
    const answers = await Promise.allSettled(calls);
    const renewals = answers.filter(({ status }) => status === "fulfilled").length;
    expect(renewals).toBeGreaterThanOrEqual(1);
    expect(service.accounts.balanceOf(accountId)).toBe(10_000n - BigInt(renewals) * 1_200n);
    expect(yearOf(await expiryOf(domains, domainId)) - yearOf(expiryDate)).toBe(renewals);
    for (const call of calls) {
      const code = await call.then(
        () => "done",
        async () => (await refusalOf(call)).code,
      );
      expect(["done", "renewal-in-flight", "domain-not-renewable"]).toContain(code);
    }
  });
});

describe("a registrar that does not renew", () => {
  it.each([
    ["cannot be reached", refused("unreachable", "No route")],
    ["says no", refused("rejected", "Policy")],
    ["does not answer, and did nothing", unknown("No answer")],
  ] as [string, Outcome<RegistrarDomain>][])("%s: 500, and the money is back", async (_, outcome) => {
    const service = await open({ registrar: renewing(() => () => Promise.resolve(outcome)) });
    const { domains, domainId, accountId, expiryDate } = await withDomain(service);
    await expect(refusalOf(domains.renewDomain({ domainId }))).resolves.toMatchObject({
      code: "registrar-failed",
    });
    expect(service.accounts.balanceOf(accountId)).toBe(10_000n);
    expect(await expiryOf(domains, domainId)).toBe(expiryDate);
  });

  it("can be asked again: a refunded charge does not count as paid", async () => {
    let isDown = true;
    const service = await open({
      registrar: renewing(
        (registrar) => (order) =>
          isDown ? Promise.resolve(refused("unreachable", "No route")) : registrar.renew(order),
      ),
    });
    const { domains, domainId, accountId } = await withDomain(service);
    await refusalOf(domains.renewDomain({ domainId }));
    isDown = false;
    await expect(domains.renewDomain({ domainId })).resolves.toMatchObject({ amountChargedCents: 1_200n });
    expect(service.accounts.balanceOf(accountId)).toBe(8_800n);
  });
});

describe("a registrar that says nothing", () => {
  const losing =
    (registrar: Registrar): Renew =>
    async (order) => {
      await registrar.renew(order);
      return unknown("No answer");
    };

  it("but has renewed: the inquiry shows it", async () => {
    const service = await open({ registrar: renewing(losing) });
    const { domains, domainId, accountId } = await withDomain(service);
    const { domain } = await domains.renewDomain({ domainId });
    expect(domain?.expiryDate).toBe(expiryAtRegistrar(service));
    expect(service.accounts.balanceOf(accountId)).toBe(8_800n);
  });

  it("to the inquiry either: the charge stands, the client gets 504, and the run keeps asking", async () => {
    let isSilent = false;
    const service = await open({
      registrar: renewing(
        losing,
        (registrar) => (name) => (isSilent ? Promise.resolve(unknown("No answer")) : registrar.inquire(name)),
      ),
    });
    const { domains, domainId, accountId } = await withDomain(service);
    isSilent = true;
    const call = domains.renewDomain({ domainId }, asOperation("op-1"));
    await expect(refusalOf(call)).resolves.toMatchObject({
      code: "deadline-exceeded",
      message: expect.stringContaining("not known yet") as unknown,
    });
    expect(service.accounts.balanceOf(accountId)).toBe(8_800n);
    await expect(refusalOf(domains.renewDomain({ domainId }))).resolves.toMatchObject({
      code: "renewal-in-flight",
    });
    isSilent = false;
    await eventually(async () => {
      expect(await expiryOf(domains, domainId)).toBe(expiryAtRegistrar(service));
    });
    // A repeat of the operation returns the completed renewal.
    await expect(domains.renewDomain({ domainId }, asOperation("op-1"))).resolves.toMatchObject({
      amountChargedCents: 1_200n,
    });
    expect(service.accounts.balanceOf(accountId)).toBe(8_800n);
  });
});

describe("the same operation again", () => {
  it("returns the first answer, and renews once", async () => {
    const service = await open();
    const { domains, domainId, accountId } = await withDomain(service);
    const first = await domains.renewDomain({ domainId }, asOperation("op-1"));
    expect(await domains.renewDomain({ domainId }, asOperation("op-1"))).toEqual(first);
    const restarted = ofTest(await service.restart());
    const again = restarted.domains({ kind: "account", accountId, keyId: 1 });
    const answer = await again.renewDomain({ domainId }, asOperation("op-1"));
    expect([answer.invoiceId, answer.amountChargedCents]).toEqual([
      first.invoiceId,
      first.amountChargedCents,
    ]);
    expect(restarted.accounts.balanceOf(accountId)).toBe(8_800n);
  });

  it("at the same time joins the first", async () => {
    const service = await open();
    const { domains, domainId, accountId } = await withDomain(service);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => domains.renewDomain({ domainId }, asOperation("op-1"))),
    );
    expect(new Set(answers.map(({ invoiceId }) => invoiceId)).size).toBe(1);
    expect(service.accounts.balanceOf(accountId)).toBe(8_800n);
  });

  it("after a failure fails as before, and charges nothing", async () => {
    let isDown = true;
    const service = await open({
      registrar: renewing(
        (registrar) => (order) =>
          isDown ? Promise.resolve(refused("rejected", "Policy")) : registrar.renew(order),
      ),
    });
    const { domains, domainId, accountId } = await withDomain(service);
    for (isDown of [true, false])
      await expect(refusalOf(domains.renewDomain({ domainId }, asOperation("op-1")))).resolves.toMatchObject({
        code: "registrar-failed",
      });
    expect(service.accounts.balanceOf(accountId)).toBe(10_000n);
  });

  it("of two domains is two renewals", async () => {
    const service = await open();
    const { domains, domainId } = await withDomain(service, 10_000n);
    const { domain } = await domains.registerDomain({ domain: "two.com" });
    const one = await domains.renewDomain({ domainId }, asOperation("op-1"));
    const two = await domains.renewDomain({ domainId: domain?.id ?? 0n }, asOperation("op-1"));
    expect(two.invoiceId).not.toBe(one.invoiceId);
    expect(two.domain?.domainName).toBe("two.com");
  });

  it("continues where its process died, after every possible last event", async () => {
    // The process dies after the n-th append of the renewal and has no effect afterwards.
    for (let appends = 1; appends <= 5; appends += 1) {
      let left = Number.POSITIVE_INFINITY;
      const dying: DomainServiceFixtureOptions["store"] = (store) => ({
        async append(stream, expected, events) {
          if (left <= 0) throw new Error("the process is dead");
          left -= 1;
          return store.append(stream, expected, events);
        },
        read: (stream, options) => store.read(stream, options),
        subscribe: (options) => store.subscribe(options),
        lastPosition: () => store.lastPosition(),
        close: () => store.close(),
      });
      const service = await openDomainService({ store: dying });
      const { domains, domainId, accountId, expiryDate } = await withDomain(service);
      await service.settled();
      left = appends;
      void domains.renewDomain({ domainId }, asOperation("op-1")).catch(() => undefined);
      await eventually(() => {
        if (left > 0) throw new Error("still alive");
      });
      const restarted = ofTest(await service.restart());
      const again = restarted.domains({ kind: "account", accountId, keyId: 1 });
      const { domain } = await again.renewDomain({ domainId }, asOperation("op-1"));
      expect(yearOf(domain?.expiryDate) - yearOf(expiryDate), `after ${String(appends)} appends`).toBe(1);
      expect(restarted.accounts.balanceOf(accountId)).toBe(8_800n);
    }
  });
});

describe("staff", () => {
  /** Creates a renewal whose charge was refused unexpectedly. */
  async function parked() {
    const service = await open();
    const customer = await withDomain(service);
    service.accounts.beforeCharge = () => rejection("charge-conflict");
    await expect(
      refusalOf(customer.domains.renewDomain({ domainId: customer.domainId })),
    ).resolves.toMatchObject({
      code: "deadline-exceeded",
    });
    const { runs } = await eventually(async () => {
      const listed = await service.staff().listRuns({ parkedOnly: true });
      if (listed.runs.length === 0) throw new Error("nothing is parked");
      return listed;
    });
    service.accounts.beforeCharge = () => undefined;
    return { service, customer, listed: runs[0], run: runs[0]?.run ?? "" };
  }

  it("see a renewal that waits for them, and can retry it", async () => {
    const { service, customer, listed, run } = await parked();
    expect(listed).toMatchObject({
      process: "renewal",
      subject: "one.com",
      step: "charging",
      accountId: BigInt(customer.accountId),
      reason: "charge-conflict: The charge was already made with another amount.",
    });
    await service.staff().retryRun({ run });
    await service.settled();
    expect(service.accounts.balanceOf(customer.accountId)).toBe(8_800n);
    expect(await expiryOf(customer.domains, customer.domainId)).toBe(expiryAtRegistrar(service));
  });

  it("end a run: no charge remains, and the domain can be renewed", async () => {
    const { service, customer, run } = await parked();
    await service.staff().abandonRun({ run, reason: "The customer called" });
    await service.settled();
    expect(service.accounts.balanceOf(customer.accountId)).toBe(10_000n);
    await expect(customer.domains.renewDomain({ domainId: customer.domainId })).resolves.toMatchObject({
      amountChargedCents: 1_200n,
    });
  });
});
