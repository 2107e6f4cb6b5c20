import { EventStoreFailedError, type EventStore } from "@hostledger/store";
import { refused, unknown, type Dns, type Outcome, type Registrar } from "@hostledger/providers";
import { plainDns, plainRegistrar } from "@hostledger/providers/testing";
import { virtualClock } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { eventually, openDomainService, operation, type DomainClient } from "../domain-service.fixture.ts";
import {
  changesOf,
  storedEventsOf,
  heldDomain,
  heldRecords,
  openDomain,
  recordsOf,
  reopenDomain,
  type DomainFixture,
} from "./effects.fixture.ts";

const custom = ["ns1.customer.test", "ns2.customer.test"];

/** A process that dies at its n-th step: before or after a write of a domain's events, before or after a call of a provider. */
class Mortal {
  readonly #death = Promise.withResolvers<undefined>();
  #left = Number.POSITIVE_INFINITY;

  dieAt(step: number): void {
    this.#left = step;
  }

  get death(): Promise<unknown> {
    return this.#death.promise;
  }

  get isDead(): boolean {
    return this.#left < 0;
  }

  /** @returns true when the process is dead from here on. */
  #step(): boolean {
    if (!this.isDead) this.#left -= 1;
    if (this.isDead) this.#death.resolve(undefined);
    return this.isDead;
  }

  readonly store = (store: EventStore): EventStore => ({
    append: async (stream, expected, events) => {
      if (!/^(?:domain|domaintransfer)-/.test(stream)) return store.append(stream, expected, events);
      if (this.#step()) throw new EventStoreFailedError("the process is dead");
      const appended = await store.append(stream, expected, events);
      if (this.#step()) throw new EventStoreFailedError("the process is dead");
      return appended;
    },
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  });

  readonly registrar = (provider: Registrar): Registrar => ({
    ...plainRegistrar(provider),
    updateNameservers: (...delegation) => this.#call(() => provider.updateNameservers(...delegation)),
    updateSettings: (name, settings) => this.#call(() => provider.updateSettings(name, settings)),
    inquire: (name) => this.#call(() => provider.inquire(name)),
    inquireTransfer: (name) => this.#call(() => provider.inquireTransfer(name)),
    transferIn: (order) => this.#call(() => provider.transferIn(order)),
  });

  readonly dns = (provider: Dns): Dns => ({
    ...plainDns(provider),
    createZone: (zone) => this.#call(() => provider.createZone(zone)),
    replaceRecordSets: (zone, sets) => this.#call(() => provider.replaceRecordSets(zone, sets)),
    inquireZone: (name) => this.#call(() => provider.inquireZone(name)),
  });

  async #call<Answer>(call: () => Promise<Answer>): Promise<Answer | Outcome<never>> {
    const dead = unknown("the process is dead");
    if (this.#step()) return dead;
    const answer = await call();
    return this.#step() ? dead : answer;
  }
}

interface Change {
  readonly what: string;
  readonly nameservers?: string[];
  ask(domains: DomainClient, domainId: bigint): Promise<unknown>;
  /** Events of the finished change. */
  readonly events: readonly string[];
}

const changes: readonly Change[] = [
  {
    what: "a new record",
    ask: (domains, domainId) =>
      domains.addDnsRecord(
        { domainId, content: { type: "A", name: "www", value: "192.0.2.7", ttl: 60 } },
        operation("operation-1"),
      ),
    events: ["DomainChangeStarted", "DnsRecordAdded", "DnsRecordUpdated", "DomainChangeCompleted"],
  },
  {
    what: "the service's nameservers, with a zone to be created",
    nameservers: custom,
    ask: (domains, domainId) =>
      domains.updateNameservers({ domainId, useServiceNameservers: true }, operation("operation-1")),
    events: ["NameserversChanged", "DomainChangeStarted", "NameserversChanged", "DomainChangeCompleted"],
  },
  {
    what: "two settings",
    ask: (domains, domainId) =>
      domains.updateSettings({ domainId, whoisPrivacy: false, lockStatus: false }, operation("operation-1")),
    events: ["DomainChangeStarted", "WhoisPrivacyChanged", "TransferLockChanged", "DomainChangeCompleted"],
  },
];

/** Expects that events and providers agree. */
async function expectAgreement(domain: DomainFixture): Promise<void> {
  expect(heldRecords(domain)).toEqual(await recordsOf(domain));
  const { domain: read } = await domain.domains.getDomain({ domainId: domain.domainId });
  expect(heldDomain(domain)).toMatchObject({
    nameservers: read?.nameservers,
    whoisPrivacy: read?.whoisPrivacy,
    transferLock: read?.lockStatus,
  });
}

async function isUnderWay(domain: DomainFixture): Promise<boolean> {
  const types = (await storedEventsOf(domain)).map(({ type }) => type);
  return types.lastIndexOf("DomainChangeStarted") > types.lastIndexOf("DomainChangeCompleted");
}

describe("a process that dies in the middle of a change", () => {
  it.each(changes)(
    "$what: the next process completes it, and the repeated request finds it done",
    { timeout: 180_000 },
    async ({ ask, events, nameservers = [] }) => {
      for (let step = 0, isOver = false; !isOver; step += 1) {
        const mortal = new Mortal();
        const { store, registrar, dns } = mortal;
        const clock = virtualClock();
        const time = { clock, busyWhile: clock.busyWhile };
        const domain = await openDomain(
          { ...time, store, registrar, dns, changeWaitLimitMs: 20_000 },
          { nameservers },
        );
        mortal.dieAt(step);
        const first = ask(domain.domains, domain.domainId);
        await Promise.race([mortal.death, first]);
        first.catch(() => undefined);
        isOver = !mortal.isDead;
        const next = await reopenDomain(domain, time);
        await eventually(async () => {
          expect(await isUnderWay(next)).toBe(false);
        });
        await eventually(() => expectAgreement(next));
        const again = await ask(next.domains, next.domainId);
        if (isOver) expect(again).toEqual(await first);
        expect(await changesOf(next), `died at step ${String(step)}`).toEqual(events);
        await eventually(() => expectAgreement(next));
        await next.service.close();
      }
    },
  );

  it("after it was carried out: the next process is refused, inquires, and finds it done", async () => {
    const mortal = new Mortal();
    const { store, dns, registrar } = mortal;
    const domain = await openDomain({ store, dns, registrar, changeWaitLimitMs: 20_000 });
    // The intent is written (two steps), the call is made, and its answer is lost.
    mortal.dieAt(3);
    const asking = changes[0]?.ask(domain.domains, domain.domainId);
    asking?.catch(() => undefined);
    await mortal.death;
    const next = await reopenDomain(domain, {
      dns: (provider) => ({
        ...plainDns(provider),
        replaceRecordSets: () => Promise.resolve(refused("rejected", "No")),
      }),
    });
    await eventually(async () => {
      expect(await changesOf(next)).toEqual(changes[0]?.events);
    });
    expect(heldRecords(next)).toEqual(await recordsOf(next));
  });
});

/** Dies at one step of a transfer. @returns false when it has no such step, so that the process lived. */
async function diesAt(step: number, domain: string, status: string | undefined): Promise<boolean> {
  const order = { domain, authCode: "let-me-go" };
  const mortal = new Mortal();
  const { store, registrar, death } = mortal;
  const clock = virtualClock();
  const time = { clock, busyWhile: clock.busyWhile };
  const service = await openDomainService({ ...time, store, registrar });
  const { domains, accountId } = service.customer();
  mortal.dieAt(step);
  const first = domains.transferDomain(order, operation("operation-1"));
  await Promise.race([death, first.then(() => service.settled()).catch(() => death)]);
  const { isDead } = mortal;
  const next = await service.restart(time);
  const customer = next.domains({ kind: "account", accountId, keyId: 1 });
  await next.settled();
  // The repeated request finds the first one's run, or is the first that got so far.
  const again = customer.transferDomain(order, operation("operation-1"));
  if (status === "active") await again;
  else await again.catch(() => undefined);
  await next.settled();
  const held = status === undefined ? [] : [domain];
  const shown = await customer.listDomains({});
  expect({
    step,
    shown: shown.domains.map((one) => [one.domainName, one.status]),
    held: next.sandbox.show().registrar.map(({ name }) => name),
    paid: next.accounts.standing.length,
  }).toEqual({ step, shown: held.map((name) => [name, status]), held, paid: held.length });
  await next.close();
  return isDead;
}

describe("a process that dies in the middle of a transfer", () => {
  it.each([
    ["elsewhere.com", "active"],
    ["elsewhere-refused.com", undefined],
    ["elsewhere-lost.com", "active"],
  ])(
    "%s: the next process settles it, paid and held or neither",
    { timeout: 180_000 },
    async (domain, status) => {
      const sideBySide = [0, 1, 2, 3, 4, 5, 6, 7];
      for (let step = 0, dies = true; dies; step += sideBySide.length) {
        const died = await Promise.all(sideBySide.map((more) => diesAt(step + more, domain, status)));
        dies = died.every(Boolean);
      }
    },
  );
});
