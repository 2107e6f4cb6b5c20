import { plainDns } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { expect, it } from "vitest";

import { heldRecords, openDomain, recordsOf, type DomainFixture } from "../effects/effects.fixture.ts";

const fqdn = "_acme-challenge.example.com.";

/** Returns the zone's texts, after comparing them with the DNS server. */
async function texts(domain: DomainFixture): Promise<string[]> {
  expect(heldRecords(domain)).toEqual(await recordsOf(domain));
  const { domain: read } = await domain.domains.getDomain({ domainId: domain.domainId });
  const records = (read?.dnsRecords ?? []).filter(({ type }) => type === "TXT");
  return records.map(({ name, value, ttl }) => `${name} ${String(ttl)} ${value}`).sort();
}

it("allows values of apex and wildcard under one name, and removes only one's own", async () => {
  const domain = await openDomain();
  const { domains } = domain;
  await Promise.all(["apex", "wildcard"].map((value) => domains.addTxtValue({ fqdn, value })));
  expect(await texts(domain)).toEqual(["_acme-challenge 60 apex", "_acme-challenge 60 wildcard"]);
  await domains.removeTxtValue({ fqdn, value: "apex" });
  expect(await texts(domain)).toEqual(["_acme-challenge 60 wildcard"]);
});

it("stores ten simultaneous values, and an equal value once", async () => {
  const domain = await openDomain();
  const values = Array.from({ length: 10 }, (_, index) => `value-${String(index % 9)}`);
  await Promise.all(values.map((value) => domain.domains.addTxtValue({ fqdn, value })));
  expect(await texts(domain)).toHaveLength(9);
  await Promise.all(values.map((value) => domain.domains.removeTxtValue({ fqdn, value })));
  expect(await texts(domain)).toEqual([]);
});

it("calls no provider if nothing changes, and allows another TTL", async () => {
  let calls = 0;
  const domain = await openDomain({
    dns: (dns) => ({
      ...plainDns(dns),
      replaceRecordSets(zone, sets) {
        calls += 1;
        return dns.replaceRecordSets(zone, sets);
      },
    }),
  });
  const { domains, domainId } = domain;
  const content = { type: "TXT", name: "www", value: "theirs", ttl: 900 };
  await domains.addDnsRecord({ domainId, content });
  for (const value of ["ours", "ours", "theirs"])
    await domains.addTxtValue({ fqdn: "WWW.Example.com", value });
  expect(calls).toBe(2);
  expect(await texts(domain)).toEqual(["www 900 ours", "www 900 theirs"]);
  await domains.removeTxtValue({ fqdn, value: "never there" });
  expect(calls).toBe(2);
});

it("finds no zone of others, of nobody, or for an invalid name", async () => {
  const { domains } = await openDomain();
  const value = "x";
  const labels = Array.from({ length: 100 }, () => "a").join(".");
  for (const unknown of ["_acme-challenge.other.com", "com", "", ".", `${labels}.net`])
    await expect(refusalOf(domains.addTxtValue({ fqdn: unknown, value }))).resolves.toMatchObject({
      code: "not-found",
    });
  for (const broken of [
    { fqdn: "b*d.example.com", value },
    { fqdn, value: "" },
    { fqdn, value: "x".repeat(1_001) },
  ])
    await expect(refusalOf(domains.addTxtValue(broken))).resolves.toMatchObject({
      code: "validation-failed",
    });
});
