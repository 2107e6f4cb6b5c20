import { done, refused, unknown } from "@hostledger/providers";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import {
  changesOf,
  storedEventsOf,
  heldDomain,
  openDomain,
  readDomain,
  registrarThat,
} from "../effects/effects.fixture.ts";
import { eventually, operation } from "../domain-service.fixture.ts";

const custom = ["ns1.customer.test", "ns2.customer.test"];

describe("settings", () => {
  it("are changed as given; the others stay", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    await expect(
      domains.updateSettings({ domainId, autoRenew: true, lockStatus: false }),
    ).resolves.toMatchObject({
      domain: { autoRenew: true, whoisPrivacy: true, lockStatus: false },
    });
    expect(heldDomain(domain)).toMatchObject({ whoisPrivacy: true, transferLock: false });
    await expect(
      domains.updateSettings({ domainId, whoisPrivacy: false, lockStatus: true }),
    ).resolves.toMatchObject({
      domain: { autoRenew: true, whoisPrivacy: false, lockStatus: true },
    });
    expect(heldDomain(domain)).toMatchObject({ whoisPrivacy: false, transferLock: true });
  });

  it("that are not given or unchanged need no call", async () => {
    const domain = await openDomain(
      registrarThat(() => ({ updateSettings: () => Promise.resolve(refused("unreachable", "No route")) })),
    );
    const { domains, domainId } = domain;
    await expect(domains.updateSettings({ domainId })).resolves.toMatchObject({
      domain: { autoRenew: false },
    });
    await domains.updateSettings({ domainId, autoRenew: false, whoisPrivacy: true, lockStatus: true });
    await expect(changesOf(domain)).resolves.toEqual([]);
  });

  it("of which the registrar accepts only one are returned in their real state", async () => {
    const domain = await openDomain(
      registrarThat((provider) => ({
        updateSettings: (name, settings) =>
          settings.transferLock === undefined
            ? provider.updateSettings(name, settings)
            : Promise.resolve(refused("rejected", "The registry keeps the lock")),
      })),
    );
    const { domains, domainId } = domain;
    await expect(
      refusalOf(
        domains.updateSettings({ domainId, autoRenew: true, whoisPrivacy: false, lockStatus: false }),
      ),
    ).resolves.toMatchObject({
      code: "registrar-refused",
      message: "The registrar refused the change: The registry keeps the lock",
    });
    await expect(readDomain(domain)).resolves.toMatchObject({
      autoRenew: true,
      whoisPrivacy: false,
      lockStatus: true,
    });
    expect(heldDomain(domain)).toMatchObject({ whoisPrivacy: false, transferLock: true });
  });

  it("are settled when a silent registrar answers again; automatic renewal needs no registrar", async () => {
    let isSilent = true;
    const silence = () => Promise.resolve(unknown("No answer"));
    const domain = await openDomain({
      changeWaitLimitMs: 100,
      ...registrarThat((provider) => ({
        updateSettings: (name, settings) => (isSilent ? silence() : provider.updateSettings(name, settings)),
        inquire: (name) => (isSilent ? silence() : provider.inquire(name)),
      })),
    });
    const { domains, domainId } = domain;
    await expect(refusalOf(domains.updateSettings({ domainId, lockStatus: false }))).resolves.toMatchObject({
      code: "registrar-unavailable",
    });
    await expect(domains.updateSettings({ domainId, autoRenew: true })).resolves.toMatchObject({
      domain: { autoRenew: true, lockStatus: true },
    });
    isSilent = false;
    await eventually(async () => expect(await readDomain(domain)).toMatchObject({ lockStatus: false }));
    expect(heldDomain(domain)).toMatchObject({ transferLock: false });
  });

  it("repeated by the same request do not undo later changes", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const first = { domainId, autoRenew: true, lockStatus: false };
    await domains.updateSettings(first, operation("operation-1"));
    await domains.updateSettings({ domainId, autoRenew: false, lockStatus: true });
    await domains.updateSettings(first, operation("operation-1"));
    await expect(readDomain(domain)).resolves.toMatchObject({ autoRenew: false, lockStatus: true });
    expect(heldDomain(domain)).toMatchObject({ transferLock: true });
  });
});

describe("the transfer code", () => {
  it("is the registrar's, and no event has it", async () => {
    const domain = await openDomain();
    const { authCode } = await domain.domains.getAuthCode({ domainId: domain.domainId });
    await expect(domain.service.sandbox.registrar.authCode(domain.name)).resolves.toEqual(done({ authCode }));
    expect(JSON.stringify(await storedEventsOf(domain))).not.toContain(authCode);
  });

  it.each([
    ["refuses", refused("rejected", "No"), "registrar-refused"],
    ["cannot be reached", refused("unreachable", "No route"), "registrar-unavailable"],
    ["does not answer", unknown("No answer"), "registrar-unavailable"],
  ])("is missing if the registrar %s", async (_, answer, code) => {
    const domain = await openDomain(registrarThat(() => ({ authCode: () => Promise.resolve(answer) })));
    await expect(refusalOf(domain.domains.getAuthCode({ domainId: domain.domainId }))).resolves.toMatchObject(
      { code },
    );
  });
});

describe("whose domain it is", () => {
  it("another customer changes nothing and gets no code; a missing domain has none", async () => {
    const domain = await openDomain();
    const stranger = domain.service.customer().domains;
    for (const [client, domainId, code] of [
      [stranger, domain.domainId, "unauthorized"],
      [domain.domains, 99_999n, "not-found"],
      [domain.domains, 0n, "not-found"],
    ] as const)
      for (const call of [
        () => client.updateNameservers({ domainId, useServiceNameservers: true }),
        () => client.updateSettings({ domainId, autoRenew: true }),
        () => client.getAuthCode({ domainId }),
        () => client.getDomain({ domainId }),
      ])
        await expect(refusalOf(call())).resolves.toMatchObject({ code });
  });

  it("staff and services are no customers", async () => {
    const { service: fixture, domainId } = await openDomain();
    for (const caller of [
      { kind: "staff", name: "ada" },
      { kind: "service", name: "gateway" },
    ] as const)
      await expect(refusalOf(fixture.domains(caller).getAuthCode({ domainId }))).resolves.toMatchObject({
        code: "unauthorized",
      });
  });
});

describe("staff's word", () => {
  it("suspends a domain: nothing can be changed until it is lifted", async () => {
    const domain = await openDomain();
    const { domains, domainId, service: fixture } = domain;
    await expect(fixture.staff().setDomainSuspension({ domainId, suspended: true })).resolves.toMatchObject({
      status: "suspended",
    });
    await expect(readDomain(domain)).resolves.toMatchObject({ status: "suspended" });
    for (const call of [
      () => domains.updateNameservers({ domainId, nameservers: custom }),
      () => domains.addDnsRecord({ domainId, content: { type: "A", name: "web", value: "192.0.2.7" } }),
      () => domains.updateSettings({ domainId, autoRenew: true }),
      () => domains.updateSettings({ domainId, lockStatus: false }),
      () => domains.getAuthCode({ domainId }),
    ])
      await expect(refusalOf(call())).resolves.toMatchObject({ code: "domain-not-active" });
    await expect(fixture.staff().setDomainSuspension({ domainId, suspended: false })).resolves.toMatchObject({
      status: "active",
    });
    await expect(domains.updateSettings({ domainId, lockStatus: false })).resolves.toMatchObject({
      domain: { status: "active" },
    });
  });

  it("transfers a domain away: its records stay the customer's", async () => {
    const domain = await openDomain();
    const { domains, domainId, service: fixture } = domain;
    for (let time = 0; time < 2; time += 1)
      await expect(
        fixture.staff().setDomainTransfer({ domainId, transferring: true }),
      ).resolves.toMatchObject({ status: "transferring" });
    await domains.addDnsRecord({ domainId, content: { type: "A", name: "web", value: "192.0.2.7" } });
    await expect(refusalOf(domains.updateSettings({ domainId, autoRenew: true }))).resolves.toMatchObject({
      code: "domain-not-renewable",
    });
    await domains.updateSettings({ domainId, autoRenew: false });
    await expect(
      refusalOf(domains.updateNameservers({ domainId, nameservers: custom })),
    ).resolves.toMatchObject({ code: "domain-not-active" });
    await expect(fixture.staff().setDomainTransfer({ domainId, transferring: false })).resolves.toMatchObject(
      { status: "active" },
    );
  });

  it("is seen by staff, by its id and its name, among its account's and among all", async () => {
    const { service: fixture, domainId } = await openDomain();
    const staff = fixture.staff();
    const { domain } = await staff.showDomain({ domain: String(domainId) });
    expect(domain).toMatchObject({ id: domainId, status: "active" });
    const { domainName: name = "", accountId = 0n } = domain ?? {};
    expect(await staff.showDomain({ domain: name.toUpperCase() })).toMatchObject({
      domain: { id: domainId },
    });
    const page = { afterId: domainId - 1n, limit: 1 };
    for (const whose of [{}, { accountId }])
      expect((await staff.listAllDomains({ page, ...whose })).domains).toMatchObject([{ id: domainId }]);
    expect(await staff.listAllDomains({ accountId, page: { limit: 1 } })).toMatchObject({ total: 1n });
    expect(await staff.listAllDomains({})).not.toHaveProperty("total");
    expect(await staff.listAllDomains({ accountId: 99_999n })).toMatchObject({ domains: [], total: 0n });
    for (const nobodys of ["0", "99999", "nobodys.com", "", "../x", "-1", "x".repeat(300)])
      await expect(refusalOf(staff.showDomain({ domain: nobodys }))).resolves.toMatchObject({
        code: "not-found",
      });
    await expect(refusalOf(staff.listAllDomains({ page: { limit: 5_000 } }))).resolves.toMatchObject({
      code: "validation-failed",
    });
  });

  it("is not the customer's, and needs an existing domain", async () => {
    const { service: fixture, domainId } = await openDomain();
    const customer = fixture.staff({ kind: "account", accountId: 7, keyId: 1 });
    await expect(
      refusalOf(customer.setDomainSuspension({ domainId, suspended: true })),
    ).resolves.toMatchObject({ code: "unauthorized" });
    await expect(
      refusalOf(customer.setDomainTransfer({ domainId, transferring: true })),
    ).resolves.toMatchObject({ code: "unauthorized" });
    for (const id of [0n, 99_999n]) {
      await expect(
        refusalOf(fixture.staff().setDomainSuspension({ domainId: id, suspended: true })),
      ).resolves.toMatchObject({ code: "not-found" });
      await expect(
        refusalOf(fixture.staff().setDomainTransfer({ domainId: id, transferring: true })),
      ).resolves.toMatchObject({ code: "not-found" });
    }
  });
});
