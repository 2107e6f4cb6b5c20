import { addYears, domainCodec, type DomainNameEvent, genericLifeCycle } from "@hostledger/core";
import { eventsOf } from "@hostledger/store";
import { describe, expect, it } from "vitest";

import { MortalService, seededRandom } from "./fourteen-months.fixture.ts";

/**
 * Fourteen months, day by day, of a thousand domains that renew themselves and of every kind of balance; once in peace,
 * and once with a process that is killed again and again. Both must end in the same state, to the cent.
 */
const start = "2026-01-31T12:00:00.000000Z";
const dayMs = 86_400_000;
const days = 426;
const lastLookMs = Date.parse(start) + (days - 1) * dayMs;
const graceMs = genericLifeCycle.graceDays * dayMs;
const domainCount = 1_000;
const renewalCents = 1_200n;

/** Domains are registered so many a day, during the first weeks. */
const perDay = 25;
const firstDays = domainCount / perDay;

/** Balance of an account for its domain's renewal, with or without a top-up in the middle of the last week. */
type Purse =
  | "plenty"
  | "exact"
  | "a cent short"
  | "nothing"
  | "topped up"
  | "topped up too late"
  | "switched off";
const purses: readonly Purse[] = [
  "plenty",
  "exact",
  "a cent short",
  "nothing",
  "topped up",
  "topped up too late",
  "switched off",
];
const isRenewed: Readonly<Record<Purse, boolean>> = {
  plenty: true,
  exact: true,
  "a cent short": false,
  nothing: false,
  "topped up": true,
  "topped up too late": false,
  "switched off": false,
};
const leftCents: Readonly<Record<Purse, bigint>> = {
  plenty: 100_000n,
  exact: renewalCents,
  "a cent short": renewalCents - 1n,
  nothing: 0n,
  "topped up": 0n,
  "topped up too late": 5n,
  "switched off": 100_000n,
};

interface Owner {
  readonly name: string;
  readonly purse: Purse;
  readonly accountId: number;
  readonly expiresAt: string;
}

/** Fate of a domain, as customers, staff and the books see it. */
interface Fate {
  readonly name: string;
  readonly status: string | undefined;
  readonly expiresAt: string | undefined;
  readonly atRegistrar: string | undefined;
  readonly balanceCents: bigint | undefined;
  /** Charges that stand, beside the registration's. */
  readonly charges: number;
  readonly renewed: number;
  /** Expiry dates of renewals that failed because the balance was too low; support opens a ticket for each. */
  readonly unpaid: readonly string[];
  readonly tries: number;
  readonly expiries: number;
}

async function register(service: MortalService, day: number): Promise<readonly Owner[]> {
  const { fixture } = service;
  return Promise.all(
    Array.from({ length: perDay }, async (_, index) => {
      const number = day * perDay + index;
      const purse = purses[number % purses.length] ?? "plenty";
      const customer = fixture.customer(leftCents[purse] + 1_000n);
      const name = `domain-${String(number).padStart(4, "0")}.com`;
      const autoRenew = purse !== "switched off";
      const { domain } = await customer.domains.registerDomain({ domain: name, autoRenew });
      return { name, purse, accountId: customer.accountId, expiresAt: domain?.expiryDate ?? "" };
    }),
  );
}

/** Lives through all days. @param deathRate how likely a day with work kills the process. */
async function liveThrough(deathRate: number, seed: number) {
  const random = seededRandom(seed);
  const service = await MortalService.open(start);
  const owners: Owner[] = [];
  for (let day = 0; day < days; day += 1) {
    if (day < firstDays) owners.push(...(await register(service, day)));
    topUp(service, owners);
    const dies = day >= firstDays && random() < deathRate;
    await service.live(dies ? Math.floor(random() * 400) : undefined);
    service.clock.advance(dayMs);
  }
  const held = new Map(service.fixture.sandbox.show().registrar.map((one) => [one.name, one.expiresAt]));
  const fates = await Promise.all(
    owners.map(async (owner) => ({ ...(await fateOf(service, owner)), atRegistrar: held.get(owner.name) })),
  );
  const { deaths } = service;
  await service.close();
  return { fates, owners, deaths };
}

/** Money that comes on the fourth day of the last week, or on the day after expiry. */
function topUp({ clock, fixture }: MortalService, owners: readonly Owner[]): void {
  for (const { purse, accountId, expiresAt } of owners) {
    const daysLeft = Math.round((Date.parse(expiresAt) - clock.epochMilliseconds()) / dayMs);
    const comes = purse === "topped up" ? daysLeft === 4 : purse === "topped up too late" && daysLeft === -1;
    const balance = fixture.accounts.balanceOf(accountId) ?? 0n;
    if (comes) fixture.accounts.balances.set(accountId, balance + 10_000n);
  }
}

async function fateOf(
  { fixture }: MortalService,
  { name, accountId }: Owner,
): Promise<Omit<Fate, "atRegistrar">> {
  const events: DomainNameEvent[] = [];
  for await (const { event } of eventsOf(fixture.store, `domain-${name}`, domainCodec)) events.push(event);
  const failures = events.filter((event) => event.type === "DomainRenewalFailed");
  const unpaid = failures.filter(({ data }) => data.reason === "insufficient-balance");
  const standing = [...fixture.accounts.charges.values()].filter(
    (charge) => charge.accountId === accountId && charge.correctionId === undefined,
  );
  const { domains } = await fixture
    .domains({ kind: "account", accountId, keyId: 1 })
    .listDomains({ page: { limit: 10 } });
  return {
    name,
    status: domains[0]?.status,
    expiresAt: domains[0]?.expiryDate,
    balanceCents: fixture.accounts.balanceOf(accountId),
    charges: standing.length - 1,
    renewed: events.filter(({ type }) => type === "DomainRenewed").length,
    unpaid: [...new Set(unpaid.map(({ data }) => data.expiresAt))],
    tries: events.filter(({ type }) => type === "DomainRenewalStarted").length,
    expiries: events.filter(({ type }) => type === "DomainExpired").length,
  };
}

function expectedOf({ name, purse, expiresAt }: Owner, { balanceCents, tries }: Fate): Fate {
  const renewed = isRenewed[purse];
  const until = renewed ? addYears(expiresAt, 1) : expiresAt;
  const isUnpaid = purse !== "plenty" && purse !== "exact" && purse !== "switched off";
  return {
    name,
    status: renewed ? "active" : "expired",
    expiresAt: until,
    // The registry withholds a name that nobody renewed in its days of grace.
    atRegistrar: renewed || Date.parse(expiresAt) + graceMs >= lastLookMs ? until : undefined,
    balanceCents,
    charges: renewed ? 1 : 0,
    renewed: renewed ? 1 : 0,
    unpaid: isUnpaid ? [expiresAt] : [],
    tries,
    expiries: renewed ? 0 : 1,
  };
}

describe("a thousand domains in fourteen months", () => {
  it("are each charged once for the year or expired for one reason, despite kills of the process", async () => {
    const peace = await liveThrough(0, 1);
    expect(peace.fates).toEqual(
      peace.owners.map((owner, index) => {
        const fate = peace.fates[index];
        if (fate === undefined) throw new Error(owner.name);
        return expectedOf(owner, fate);
      }),
    );
    const triesOf = (purse: Purse): Set<number | undefined> =>
      new Set(
        peace.owners.flatMap((owner, index) => (owner.purse === purse ? [peace.fates[index]?.tries] : [])),
      );
    expect(purses.map((purse) => [...triesOf(purse)])).toEqual([[1], [1], [8], [8], [4], [8], [0]]);

    const war = await liveThrough(0.8, 20_261_121);
    expect(war.deaths).toBeGreaterThan(20);
    expect(war.fates).toEqual(peace.fates);
  });
});
