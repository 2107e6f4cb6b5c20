import { signersText, type DelegationSigner } from "@hostledger/core";
import { done, refused, unknown, type Dns, type Outcome } from "@hostledger/providers";
import { plainDns } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { expect, it } from "vitest";

import { eventually } from "../domain-service.fixture.ts";
import {
  changesOf,
  heldDomain,
  openDomain,
  readDomain,
  registrarThat,
  type DomainFixture,
} from "./effects.fixture.ts";

/** A DNS server that signs its zones, and the DS records at the registrar (ADR 0011). */

const custom = ["ns1.customer.test", "ns2.customer.test"];
const own = { keyTag: 12_345, algorithm: 13, digestType: 2, digest: "AB".repeat(32) };
const other = { ...own, keyTag: 6 };

const signing =
  (signers: () => Outcome<readonly DelegationSigner[]> = () => done([own])) =>
  (dns: Dns): Dns => ({ ...plainDns(dns), signers: () => Promise.resolve(signers()) });

/** Returns the staff tickets about the signers. */
async function ticketsOf({ service, domainId }: DomainFixture): Promise<string[]> {
  const cause = `signers-${String(domainId)}-${new Date().toISOString().slice(0, 7)}`;
  const tickets: string[] = [];
  for await (const { data } of service.store.read(`ticketcause-${cause}`)) tickets.push(data);
  return tickets;
}

const heldSigners = (domain: DomainFixture): string => signersText(heldDomain(domain)?.signers ?? []);

it("are handed over with a new zone, taken back before the customer's nameservers answer, and handed over again", async () => {
  const domain = await openDomain({ dns: signing() });
  const { domains, domainId } = domain;
  expect(heldSigners(domain)).toBe(signersText([own]));
  await domains.updateNameservers({ domainId, nameservers: custom });
  expect([heldDomain(domain)?.nameservers, heldSigners(domain)]).toEqual([custom, "none"]);
  await domains.updateNameservers({ domainId, useServiceNameservers: true });
  expect(heldSigners(domain)).toBe(signersText([own]));
});

it("change together with the nameservers, in one step", async () => {
  const seen: unknown[] = [];
  const calls = registrarThat((registrar) => ({
    updateNameservers(name, nameservers, signers) {
      seen.push([nameservers[0], signers]);
      return registrar.updateNameservers(name, nameservers, signers);
    },
  }));
  const domain = await openDomain({ dns: signing(), ...calls });
  await domain.domains.updateNameservers({ domainId: domain.domainId, nameservers: custom });
  expect(seen).toEqual([
    ["ns1.hostledger.test", [own]],
    ["ns1.customer.test", []],
  ]);
});

it("are not sent to the registrar if the DNS server does not sign or has no key yet", async () => {
  let asked = 0;
  const calls = registrarThat((registrar) => ({
    updateNameservers(...delegation) {
      asked += 1;
      return registrar.updateNameservers(...delegation);
    },
  }));
  await openDomain(calls);
  await openDomain({ ...calls, dns: signing(() => done([])) });
  expect(asked).toBe(0);
});

it("are given up if the registrar refuses them; a ticket and the comparison report it", async () => {
  const domain = await openDomain({
    dns: signing(),
    ...registrarThat(() => ({ updateNameservers: () => Promise.resolve(refused("rejected", "No DNSSEC")) })),
  });
  await expect(readDomain(domain)).resolves.toMatchObject({ dnsRecordsCount: 2 });
  await expect(ticketsOf(domain)).resolves.toEqual([expect.stringContaining("No DNSSEC")]);
  const { differences } = await domain.service.staff().reconcileDomains({});
  expect(differences).toMatchObject([
    {
      kind: "domain-signers",
      expected: signersText([own]),
      found: "none",
      action: expect.stringContaining("--fix"),
    },
  ]);
});

it.each<[string, Outcome<never>]>([
  ["does not answer", unknown("No answer")],
  ["cannot be reached", refused("unreachable", "No route")],
])("are set later if the registrar %s", async (_what, outcome) => {
  let isSilent = true;
  const domain = await openDomain({
    dns: signing(),
    ...registrarThat((registrar) => ({
      updateNameservers: (...delegation) =>
        isSilent ? Promise.resolve(outcome) : registrar.updateNameservers(...delegation),
    })),
  });
  expect(heldSigners(domain)).toBe("none");
  isSilent = false;
  await eventually(() => {
    expect(heldSigners(domain)).toBe(signersText([own]));
  });
  await eventually(async () => {
    await expect(readDomain(domain)).resolves.toMatchObject({ dnsRecordsCount: 2 });
  });
});

it("leave the nameservers unchanged while the DNS server does not report them", async () => {
  let signers: Outcome<readonly DelegationSigner[]> = done([own]);
  const domain = await openDomain({ dns: signing(() => signers) }, { nameservers: custom });
  signers = refused("unreachable", "No route");
  const change = domain.domains.updateNameservers({ domainId: domain.domainId, useServiceNameservers: true });
  await expect(refusalOf(change)).resolves.toMatchObject({ code: "dns-unavailable" });
  expect([heldDomain(domain)?.nameservers, heldSigners(domain)]).toEqual([custom, "none"]);
  await expect(changesOf(domain)).resolves.toContain("DomainChangeFailed");
});

it("follow the keys of the zone when the books are compared, and no others are touched", async () => {
  let keys = [own];
  const domain = await openDomain({ dns: signing(() => done(keys)) });
  await domain.domains.registerDomain({
    domain: "kept.com",
    nameservers: custom,
  });
  const { sandbox } = domain.service;
  // A customer's own key, which staff have handed in by hand.
  await sandbox.registrar.updateNameservers("kept.com", custom, [other]);
  keys = [other];
  const staff = domain.service.staff();
  await expect(staff.reconcileDomains({})).resolves.toMatchObject({
    differences: [
      {
        kind: "domain-signers",
        resource: domain.name,
        expected: signersText([other]),
        found: signersText([own]),
      },
    ],
  });
  await staff.reconcileDomains({ fix: true });
  expect(heldSigners(domain)).toBe(signersText([other]));
  expect((await staff.reconcileDomains({})).differences).toEqual([]);
  const [kept] = sandbox.show().registrar.filter(({ name }) => name === "kept.com");
  expect(signersText(kept?.signers ?? [])).toBe(signersText([other]));
});
