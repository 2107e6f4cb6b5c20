import { refused, unknown } from "@hostledger/providers";
import { refusalOf } from "@hostledger/rpc/testing";
import { expect, it } from "vitest";

import { heldDomain, openDomain, readDomain, registrarThat } from "../effects/effects.fixture.ts";
import { operation } from "../domain-service.fixture.ts";

/** Tests `admin domain transfer D`, which releases a domain to another registrar. */

it("is unlocked, marked, and has its code shown; a repeat shows it again", async () => {
  const domain = await openDomain();
  const staff = domain.service.staff();
  expect(heldDomain(domain)?.transferLock).toBe(true);
  const released = await staff.releaseDomain({ domain: domain.name });
  expect(released).toMatchObject({ domainId: domain.domainId, status: "transferring" });
  expect(released.authCode).toMatch(/^.{8,}$/);
  expect(heldDomain(domain)?.transferLock).toBe(false);
  expect(await readDomain(domain)).toMatchObject({ status: "transferring", lockStatus: false });
  const again = await staff.releaseDomain({ domain: String(domain.domainId) });
  expect(again).toMatchObject({ status: "transferring", authCode: released.authCode });
  const change = domain.domains.updateSettings({ domainId: domain.domainId, lockStatus: true });
  expect(await refusalOf(change)).toMatchObject({ code: "domain-not-active" });
  await staff.setDomainTransfer({ domainId: domain.domainId, transferring: false });
  expect(await readDomain(domain)).toMatchObject({ status: "active" });
});

it.each([
  [
    "does not unlock it",
    { updateSettings: () => Promise.resolve(refused("rejected", "serverUpdateProhibited")) },
  ],
  ["cannot be reached", { updateSettings: () => Promise.resolve(refused("unreachable", "No route")) }],
])("stays unchanged if its registrar %s", async (_what, calls) => {
  const domain = await openDomain(registrarThat(() => calls));
  const release = domain.service.staff().releaseDomain({ domain: domain.name });
  expect((await refusalOf(release)).code).toMatch(/^registrar-/);
  expect(await readDomain(domain)).toMatchObject({ status: "active" });
});

it("is leaving although the registrar does not return its authInfo, for which the next call asks again", async () => {
  let isSilent = true;
  const domain = await openDomain(
    registrarThat((registrar) => ({
      authCode: (name) => (isSilent ? Promise.resolve(unknown("No answer")) : registrar.authCode(name)),
    })),
  );
  const staff = domain.service.staff();
  expect(await refusalOf(staff.releaseDomain({ domain: domain.name }))).toMatchObject({
    code: "registrar-unavailable",
  });
  isSilent = false;
  expect((await staff.releaseDomain({ domain: domain.name }, operation("again"))).authCode).not.toBe("");
});

it("is refused for a missing domain", async () => {
  const domain = await openDomain();
  for (const wanted of ["99", "nobody.com", "no name"])
    expect(await refusalOf(domain.service.staff().releaseDomain({ domain: wanted }))).toMatchObject({
      code: "not-found",
    });
});
