import { refused, unknown, type Dns, type Outcome, type Registrar } from "@hostledger/providers";
import { plainDns } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { expect, it } from "vitest";

import { eventually } from "../domain-service.fixture.ts";
import {
  heldDomain,
  heldRecords,
  openDomain,
  readDomain,
  recordsOf,
  registrarThat,
  type DomainFixture,
} from "./effects.fixture.ts";

/** Suspended domains do not resolve (EPP `clientHold`, RFC 5731 §2.3, or no zone), can be renewed, and resolve again afterwards. */

const custom = ["ns1.customer.test", "ns2.customer.test"];
const byZone = { suspendedBy: "zone" } as const;
/** Short interval after which failed suspensions are tried again. */
const soon = { lifeCycleIntervalMs: 50 };

const suspend = ({ service, domainId }: DomainFixture, suspended = true, reason?: string) =>
  service.staff().setDomainSuspension({ domainId, suspended, ...(reason !== undefined && { reason }) });

const shown = async ({ service, name }: DomainFixture) =>
  (await service.staff().showDomain({ domain: name })).domain;

const reconciled = async ({ service }: DomainFixture) =>
  (await service.staff().reconcileDomains({})).differences;

it("are held by the registrar, renewed all the same, and released", async () => {
  const domain = await openDomain();
  expect(await suspend(domain, true, "Phishing")).toMatchObject({ status: "suspended", offline: true });
  expect(heldDomain(domain)?.hold).toBe(true);
  expect(await shown(domain)).toMatchObject({ suspensionReason: "Phishing", offline: true });
  expect(await reconciled(domain)).toEqual([]);
  await domain.domains.renewDomain({ domainId: domain.domainId, years: 1 });
  expect(await readDomain(domain)).toMatchObject({ status: "suspended" });
  expect(heldDomain(domain)?.hold).toBe(true);
  expect(await suspend(domain, false)).toMatchObject({ status: "active", offline: false });
  expect(heldDomain(domain)?.hold).toBe(false);
  expect(await shown(domain)).not.toHaveProperty("suspensionReason");
  expect(await shown(domain)).toMatchObject({ offline: false });
  expect(await reconciled(domain)).toEqual([]);
});

it("lose their zone if configured so, and get it back with all its records", async () => {
  const domain = await openDomain(byZone);
  const content = { type: "TXT", name: "@", value: "kept" };
  await domain.domains.addDnsRecord({ domainId: domain.domainId, content });
  const before = await recordsOf(domain);
  expect(await suspend(domain)).toMatchObject({ offline: true });
  expect([heldRecords(domain), heldDomain(domain)?.hold]).toEqual([[], false]);
  expect(await reconciled(domain)).toEqual([]);
  expect(await readDomain(domain)).toMatchObject({ dnsRecordsCount: 3 });
  expect(await suspend(domain, false)).toMatchObject({ offline: false });
  expect(heldRecords(domain)).toEqual(before);
  expect(await reconciled(domain)).toEqual([]);
});

it("on the customer's nameservers are held by the registrar, whatever the settings, because our zone is not used", async () => {
  const domain = await openDomain(byZone, { nameservers: custom });
  expect(await suspend(domain)).toMatchObject({ offline: true });
  expect(heldDomain(domain)?.hold).toBe(true);
});

it.each<[string, Outcome<never>]>([
  ["does not answer", unknown("No answer")],
  ["cannot be reached", refused("unreachable", "No route")],
])("are held later if the registrar %s", async (_what, outcome) => {
  let isDown = true;
  const domain = await openDomain({
    ...soon,
    ...settingsThat((ask) => (isDown ? Promise.resolve(outcome) : ask())),
  });
  expect(await suspend(domain)).toMatchObject({ status: "suspended", offline: false });
  expect(await reconciled(domain)).toEqual([]);
  isDown = false;
  await eventually(() => {
    expect(heldDomain(domain)?.hold).toBe(true);
  });
  await eventually(async () => {
    expect(await shown(domain)).toMatchObject({ offline: true });
  });
});

it("are recognised as held if the answer was lost", async () => {
  let isLost = true;
  const domain = await openDomain(
    settingsThat(async (ask) => {
      const answer = await ask();
      if (!isLost) return answer;
      isLost = false;
      return unknown("No answer");
    }),
  );
  expect(await suspend(domain)).toMatchObject({ offline: true });
  expect(heldDomain(domain)?.hold).toBe(true);
});

it("that the registrar refuses to hold are shown to staff once, who can withdraw the zone instead", async () => {
  const domain = await openDomain(settingsThat(() => Promise.resolve(refused("rejected", "No holds here"))));
  expect(await suspend(domain)).toMatchObject({ status: "suspended", offline: false });
  await suspend(domain);
  expect(await ticketsOf(domain)).toEqual(["example.com is suspended, and still resolves"]);
});

it("that the registrar refuses to release cause a staff ticket, also if it had refused to hold them", async () => {
  let refuses = true;
  const refusing = refused("rejected", "Not now");
  const domain = await openDomain({
    ...soon,
    ...settingsThat((ask) => (refuses ? Promise.resolve(refusing) : ask())),
  });
  await suspend(domain);
  refuses = false;
  await eventually(async () => {
    expect(await shown(domain)).toMatchObject({ offline: true });
  });
  refuses = true;
  expect(await suspend(domain, false)).toMatchObject({ status: "active", offline: true });
  expect(await ticketsOf(domain)).toEqual([
    "example.com is suspended, and still resolves",
    "example.com is no longer suspended, and does not resolve",
  ]);
});

it("are brought online again if the zone could not be created at first", async () => {
  let isDown = false;
  const domain = await openDomain({
    ...byZone,
    ...soon,
    dns: (dns: Dns): Dns => ({
      ...plainDns(dns),
      createZone: (zone) =>
        isDown ? Promise.resolve(refused("unreachable", "No route")) : dns.createZone(zone),
    }),
  });
  await suspend(domain);
  isDown = true;
  expect(await suspend(domain, false)).toMatchObject({ status: "active", offline: true });
  isDown = false;
  await eventually(() => {
    expect(heldRecords(domain)).toHaveLength(2);
  });
});

it("detect in the comparison that a hold was lifted at the registrar", async () => {
  const domain = await openDomain();
  await suspend(domain);
  await domain.service.sandbox.registrar.updateSettings(domain.name, { hold: false });
  expect(await reconciled(domain)).toMatchObject([{ kind: "domain-hold", expected: "on", found: "off" }]);
  await domain.service.staff().reconcileDomains({ fix: true });
  expect(heldDomain(domain)?.hold).toBe(true);
});

it.each([["", "two\nlines", "r".repeat(501)]])("have no reason like %j", async (reason) => {
  const domain = await openDomain();
  expect(await refusalOf(suspend(domain, true, reason))).toMatchObject({ code: "validation-failed" });
  expect(await readDomain(domain)).toMatchObject({ status: "active" });
});

function settingsThat(
  answer: (ask: () => ReturnType<Registrar["updateSettings"]>) => ReturnType<Registrar["updateSettings"]>,
) {
  return registrarThat((provider) => ({
    updateSettings: (name, settings) => answer(() => provider.updateSettings(name, settings)),
  }));
}

/** Titles of the tickets that staff were asked for. */
async function ticketsOf({ service }: DomainFixture): Promise<readonly unknown[]> {
  const titles: unknown[] = [];
  const streamPrefixes = ["ticketcause-suspension-"];
  for await (const { events, caughtUp } of service.store.subscribe({ from: "start", streamPrefixes })) {
    titles.push(...events.map(({ data }) => /"title":"([^"]*)"/.exec(data)?.[1]));
    if (caughtUp) break;
  }
  return titles;
}
