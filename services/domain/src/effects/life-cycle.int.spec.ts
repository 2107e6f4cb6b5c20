import { addYears } from "@hostledger/core";
import {
  done,
  refused,
  unknown,
  type Outcome,
  type Registrar,
  type RegistrarHolding,
} from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { manualClock, realTiming } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import {
  eventually,
  ofTest,
  openDomainService,
  sell,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

const start = "2026-03-01T10:00:00.000000Z";
const dayMs = 86_400_000;
const days = (count: number): number => count * dayMs;

const nothing = { renewed: 0, failed: 0, unsettled: 0, expired: 0, withheld: 0, deleted: 0, skipped: 0 };

/** A domain of one year that renews itself, and so much left on the account. */
async function aYear(
  balanceCents: bigint,
  { autoRenew = true, ...options }: DomainServiceFixtureOptions & { readonly autoRenew?: boolean } = {},
) {
  const clock = manualClock(start, realTiming);
  const service = ofTest(await openDomainService({ clock, ...options }));
  const customer = service.customer(balanceCents + 1_000n);
  const { domain } = await customer.domains.registerDomain({ domain: "one.com", autoRenew });
  await service.settled();
  const domainId = domain?.id ?? 0n;
  const expiresAt = domain?.expiryDate ?? "";
  return {
    ...customer,
    service,
    clock,
    domainId,
    expiresAt,
    show: async () => {
      await service.settled();
      const read = await customer.domains.getDomain({ domainId });
      return { status: read.domain?.status, expires: read.domain?.expiryDate };
    },
    balance: () => service.accounts.balanceOf(customer.accountId),
    /** Days from now to so many days before expiry. */
    untilDaysBefore(count: number) {
      clock.advance(Date.parse(expiresAt) - clock.epochMilliseconds() - days(count));
    },
  };
}

/** A registrar that renews in this way. */
function renewingBy(renew: (registrar: Registrar) => Registrar["renew"]): DomainServiceFixtureOptions {
  return {
    registrar: (registrar) => ({
      ...plainRegistrar(registrar),
      renew: renew(registrar),
    }),
  };
}

async function typesOf(
  service: DomainServiceFixture,
  from = "DomainRenewalStarted",
): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of service.store.read("domain-one.com")) types.push(type.replace(/\.v\d+$/, ""));
  const first = types.indexOf(from);
  return first < 0 ? [] : types.slice(first);
}

describe("automatic renewal", () => {
  it("comes a week before expiry, once", async () => {
    const { service, untilDaysBefore, balance, show, expiresAt } = await aYear(5_000n);
    untilDaysBefore(7);
    expect(await service.runDueWork()).toEqual({ ...nothing, renewed: 1 });
    expect(await service.runDueWork()).toEqual(nothing);
    expect(balance()).toBe(3_800n);
    expect(await show()).toEqual({ status: "active", expires: addYears(expiresAt, 1) });
  });

  it("does not come while the clock is not trusted, nor does expiry; both come once it is", async () => {
    let trusted = false;
    const isTimeTrusted = () => trusted;
    const renewing = await aYear(5_000n, { isTimeTrusted });
    const expiring = await aYear(5_000n, { isTimeTrusted, autoRenew: false });
    renewing.untilDaysBefore(1);
    expiring.untilDaysBefore(0);
    for (const { service } of [renewing, expiring]) expect(await service.runDueWork()).toEqual(nothing);
    trusted = true;
    expect(await renewing.service.runDueWork()).toEqual({ ...nothing, renewed: 1 });
    expect(await expiring.service.runDueWork()).toEqual({ ...nothing, expired: 1 });
  });

  it("stops in the middle of a round when the clock is not trusted any more", async () => {
    let looks = 0;
    const { service, untilDaysBefore } = await aYear(5_000n, {
      // Fine when the round begins, not any more when the domain has its turn.
      isTimeTrusted: () => (looks += 1) === 1,
    });
    untilDaysBefore(1);
    expect(await service.runDueWork()).toEqual(nothing);
    expect(looks).toBe(2);
  });

  it("does not come a moment earlier, nor to a domain that is not to be renewed", async () => {
    const early = await aYear(5_000n);
    early.untilDaysBefore(7.0001);
    expect(await early.service.runDueWork()).toEqual(nothing);
    const unwanted = await aYear(5_000n, { autoRenew: false });
    unwanted.untilDaysBefore(0.5);
    expect(await unwanted.service.runDueWork()).toEqual(nothing);
    unwanted.untilDaysBefore(0);
    expect(await unwanted.service.runDueWork()).toEqual({ ...nothing, expired: 1 });
    expect(await unwanted.show()).toMatchObject({ status: "expired" });
  });

  it("follows the customer's setting", async () => {
    const { service, untilDaysBefore, domains, domainId } = await aYear(5_000n, { autoRenew: false });
    untilDaysBefore(3);
    await domains.updateSettings({ domainId, autoRenew: true });
    expect(await service.runDueWork()).toEqual({ ...nothing, renewed: 1 });
  });

  it("that cannot be paid is tried daily, and at the moment of expiry; then the domain expires", async () => {
    const { service, clock, untilDaysBefore, show, balance } = await aYear(1_199n);
    untilDaysBefore(7);
    const rounds = [];
    for (let day = 0; day <= 8; day += 1) {
      rounds.push(await service.runDueWork());
      expect(await service.runDueWork()).toEqual(nothing);
      clock.advance(dayMs);
    }
    const failed = { ...nothing, failed: 1 };
    expect(rounds).toEqual([...Array<object>(7).fill(failed), { ...failed, expired: 1 }, nothing]);
    expect(await show()).toMatchObject({ status: "expired" });
    expect(balance()).toBe(1_199n);
  });

  it("ends with an erasure: nothing is charged, and the domain ends", async () => {
    const { service, accountId, untilDaysBefore, show, balance } = await aYear(5_000n);
    service.accounts.erased.add(accountId);
    untilDaysBefore(7);
    expect(await service.runDueWork()).toEqual(nothing);
    untilDaysBefore(0);
    expect(await service.runDueWork()).toEqual({ ...nothing, expired: 1 });
    expect(await typesOf(service, "AutoRenewalChanged")).toEqual(["AutoRenewalChanged", "DomainExpired"]);
    expect([(await show()).status, balance()]).toEqual(["expired", 5_000n]);
  });

  it("waits while it is unknown whether its account was erased", async () => {
    const { service, accountId, clock, untilDaysBefore } = await aYear(5_000n);
    untilDaysBefore(7);
    service.accounts.balances.delete(accountId);
    expect(await service.runDueWork()).toEqual({ ...nothing, skipped: 1 });
    service.accounts.open(accountId, 5_000n);
    clock.advance(60_000);
    expect(await service.runDueWork()).toEqual({ ...nothing, renewed: 1 });
  });

  it("is made as soon as there is money", async () => {
    const { service, clock, untilDaysBefore, accountId } = await aYear(0n);
    untilDaysBefore(7);
    await service.runDueWork();
    clock.advance(60_000);
    service.accounts.balances.set(accountId, 1_199n);
    expect(await service.runDueWork()).toEqual(nothing);
    service.accounts.balances.set(accountId, 1_200n);
    expect(await service.runDueWork()).toEqual({ ...nothing, renewed: 1 });
    expect(await typesOf(service)).toEqual([
      "DomainRenewalStarted",
      "DomainRenewalFailed",
      "DomainRenewalStarted",
      "DomainRenewed",
    ]);
  });

  it("is tried once if the balance is gone at the charge", async () => {
    const { service, clock, untilDaysBefore, accountId } = await aYear(0n);
    untilDaysBefore(7);
    await service.runDueWork();
    clock.advance(60_000);
    const { accounts } = service;
    // Another service is faster: the balance is there when it is read alone.
    const read = accounts.balances.get.bind(accounts.balances);
    let reads = 0;
    accounts.balances.get = (id) => ((reads += 1) === 1 ? 1_200n : read(id));
    expect(await service.runDueWork()).toEqual({ ...nothing, failed: 1 });
    accounts.balances.get = read;
    expect(accounts.balanceOf(accountId)).toBe(0n);
  });

  it("costs the price of the day, and the fallback if the extension is no longer sold", async () => {
    const { service, untilDaysBefore, balance } = await aYear(5_000n);
    await sell(service.staff(), "com", { active: false });
    untilDaysBefore(1);
    await service.runDueWork();
    expect(balance()).toBe(3_001n);
  });

  it("makes one charge with any number of workers", async () => {
    const { service, untilDaysBefore, balance } = await aYear(50_000n);
    untilDaysBefore(5);
    const rounds = await Promise.all(Array.from({ length: 5 }, () => service.runDueWork()));
    await service.settled();
    expect(rounds.reduce((sum, { failed, expired }) => sum + failed + expired, 0)).toBe(0);
    expect(balance()).toBe(48_800n);
    expect(await typesOf(service)).toEqual(["DomainRenewalStarted", "DomainRenewed"]);
  });

  it("runs automatically from the start of the process", async () => {
    const { service, clock, untilDaysBefore, expiresAt, accountId, domainId } = await aYear(5_000n);
    untilDaysBefore(2);
    const restarted = ofTest(await service.restart({ clock, lifeCycleIntervalMs: 20 }));
    const domains = restarted.domains({ kind: "account", accountId, keyId: 1 });
    const shows = (expires: string) =>
      eventually(async () => {
        expect((await domains.getDomain({ domainId })).domain?.expiryDate).toBe(expires);
      });
    await shows(addYears(expiresAt, 1));
    clock.advance(days(365));
    await shows(addYears(expiresAt, 2));
  });
});

describe("what was missed", () => {
  it("is tried once after expiry: paid for, or expired", async () => {
    const rich = await aYear(5_000n);
    rich.untilDaysBefore(-20);
    expect(await rich.service.runDueWork()).toEqual({ ...nothing, renewed: 1 });
    expect(await rich.show()).toEqual({ status: "active", expires: addYears(rich.expiresAt, 1) });
    const poor = await aYear(0n);
    poor.untilDaysBefore(-20);
    expect(await poor.service.runDueWork()).toEqual({ ...nothing, failed: 1, expired: 1 });
    expect(await typesOf(poor.service)).toEqual([
      "DomainRenewalStarted",
      "DomainRenewalFailed",
      "DomainExpired",
    ]);
  });

  it("is left to staff if it is more than a year: nothing is charged, and nothing ends, before they decide", async () => {
    const { service, untilDaysBefore, balance, show, expiresAt } = await aYear(5_000n);
    untilDaysBefore(-2.5 * 365);
    for (let round = 0; round < 2; round += 1) expect(await service.runDueWork()).toEqual(nothing);
    expect(balance()).toBe(5_000n);
    expect(await show()).toEqual({ status: "active", expires: expiresAt });
    const requested: string[] = [];
    const streamPrefixes = ["ticketcause-"];
    for await (const { events, caughtUp } of service.store.subscribe({ from: "start", streamPrefixes })) {
      requested.push(...events.map(({ stream }) => stream));
      if (caughtUp) break;
    }
    expect(requested).toEqual([expect.stringContaining("laterenewal-")]);
  });

  it("is charged once for each year when staff let it, until the domain expires in the future", async () => {
    const { service, untilDaysBefore, balance, show, expiresAt } = await aYear(5_000n);
    untilDaysBefore(-2.5 * 365);
    await service.staff().allowLateRenewal({ domain: "one.com" });
    expect(await service.runDueWork()).toEqual({ ...nothing, renewed: 3 });
    expect(balance()).toBe(1_400n);
    expect(await show()).toEqual({ status: "active", expires: addYears(expiresAt, 3) });
  });

  it("is charged as far as the money goes", async () => {
    const { service, untilDaysBefore, balance, show, expiresAt } = await aYear(2_500n);
    untilDaysBefore(-2.5 * 365);
    await service.staff().allowLateRenewal({ domain: "one.com" });
    expect(await service.runDueWork()).toEqual({ ...nothing, renewed: 2, failed: 1, expired: 1 });
    expect(balance()).toBe(100n);
    expect(await show()).toEqual({ status: "expired", expires: addYears(expiresAt, 2) });
  });
});

describe("an expired domain", () => {
  it("is renewed by its owner within its grace period, and is active again", async () => {
    const { service, untilDaysBefore, clock, domains, domainId, show } = await aYear(5_000n, {
      autoRenew: false,
    });
    untilDaysBefore(0);
    await service.runDueWork();
    clock.advance(days(44));
    await domains.renewDomain({ domainId });
    expect(await show()).toMatchObject({ status: "active" });
  });

  it("that staff suspended is not charged, and expires", async () => {
    const { service, untilDaysBefore, domainId, show, balance } = await aYear(5_000n);
    untilDaysBefore(7);
    await service.staff().setDomainSuspension({ domainId, suspended: true });
    expect(await service.runDueWork()).toEqual(nothing);
    untilDaysBefore(0);
    expect(await service.runDueWork()).toEqual({ ...nothing, expired: 1 });
    expect(await show()).toMatchObject({ status: "expired" });
    expect(balance()).toBe(5_000n);
  });
});

describe("a registrar that fails", () => {
  it("is tried again a day later, and the money is back until then", async () => {
    let isDown = true;
    const options = renewingBy(
      (registrar) => (order) =>
        isDown ? Promise.resolve(refused("unreachable", "No route")) : registrar.renew(order),
    );
    const { service, clock, untilDaysBefore, balance } = await aYear(5_000n, options);
    untilDaysBefore(7);
    expect(await service.runDueWork()).toEqual({ ...nothing, failed: 1 });
    expect(balance()).toBe(5_000n);
    isDown = false;
    clock.advance(dayMs);
    expect(await service.runDueWork()).toEqual({ ...nothing, renewed: 1 });
    expect(balance()).toBe(3_800n);
  });

  it.each<[string, Outcome<RegistrarHolding> | "forbidden"]>([
    ["cannot be reached", refused("unreachable", "No route")],
    ["does not hold the name any more", done({ held: false })],
    ["says that its registry forbids it", "forbidden"],
  ])("and %s is asked before a charge: no invoice, no correction", async (_, said) => {
    let isSo = false;
    const options: DomainServiceFixtureOptions = {
      registrar: (registrar) => ({
        ...plainRegistrar(registrar),
        renew: (order) => (isSo ? Promise.resolve(refused("rejected", "No")) : registrar.renew(order)),
        async inquire(name) {
          const answer = await registrar.inquire(name);
          if (!isSo) return answer;
          if (said !== "forbidden") return said;
          if (answer.outcome !== "done" || !answer.value.held) throw new Error("it holds the name");
          return done({ held: true, domain: { ...answer.value.domain, isRenewalForbidden: true } });
        },
      }),
    };
    const { service, clock, untilDaysBefore, balance } = await aYear(5_000n, options);
    const charges = service.accounts.charges.size;
    untilDaysBefore(7);
    isSo = true;
    for (let day = 0; day < 2; day += 1) {
      expect(await service.runDueWork()).toEqual({ ...nothing, failed: 1 });
      clock.advance(dayMs);
    }
    expect(await typesOf(service, "DomainRenewalFailed")).toEqual([
      "DomainRenewalFailed",
      "DomainRenewalFailed",
    ]);
    expect([balance(), service.accounts.charges.size]).toEqual([5_000n, charges]);
    isSo = false;
    expect(await service.runDueWork()).toEqual({ ...nothing, renewed: 1 });
    expect(balance()).toBe(3_800n);
  });

  it("and loses its answer has renewed", async () => {
    const options = renewingBy((registrar) => async (order) => {
      await registrar.renew(order);
      return unknown("No answer");
    });
    const { service, untilDaysBefore, balance } = await aYear(5_000n, options);
    untilDaysBefore(7);
    expect(await service.runDueWork()).toEqual({ ...nothing, renewed: 1 });
    expect(balance()).toBe(3_800n);
  });
});

describe("a domain that cannot be worked on", () => {
  it("delays no other domain", async () => {
    const { service, untilDaysBefore, domains } = await aYear(5_000n, {
      store: (store) => ({
        append: (stream, expected, events) =>
          stream === "domain-one.com" && events.some(({ type }) => type.startsWith("DomainRenewal"))
            ? Promise.reject(new Error("the disk has a hole"))
            : store.append(stream, expected, events),
        read: (stream, options) => store.read(stream, options),
        subscribe: (options) => store.subscribe(options),
        lastPosition: () => store.lastPosition(),
        close: () => store.close(),
      }),
    });
    await domains.registerDomain({ domain: "two.com", autoRenew: true });
    untilDaysBefore(7);
    expect(await service.runDueWork()).toEqual({ ...nothing, skipped: 1, renewed: 1 });
  });
});
