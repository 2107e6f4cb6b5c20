import { unknown } from "@hostledger/providers";
import { refusalOf } from "@hostledger/rpc/testing";
import { expect, it } from "vitest";

import { eventually } from "../domain-service.fixture.ts";
import {
  changesOf,
  storedEventsOf,
  heldDomain,
  openDomain,
  readDomain,
  registrarThat,
  reopenDomain,
} from "../effects/effects.fixture.ts";

/** Creates a domain whose registrar removes the transfer lock without answering. */
async function domainOfSilentRegistrar() {
  const registrar = { isSilent: true };
  const domain = await openDomain({
    changeWaitLimitMs: 100,
    ...registrarThat((provider) => ({
      async updateSettings(name, settings) {
        const answer = await provider.updateSettings(name, settings);
        return registrar.isSilent ? unknown("No answer") : answer;
      },
      inquire: (name) =>
        registrar.isSilent ? Promise.resolve(unknown("No answer")) : provider.inquire(name),
    })),
  });
  const { domains, domainId } = domain;
  const unlocks = () => refusalOf(domains.updateSettings({ domainId, lockStatus: false }));
  expect(await unlocks()).toMatchObject({ code: "registrar-unavailable" });
  // Waits for the read models, which may not contain the domain yet.
  await domain.service.caughtUp();
  return { domain, registrar, staff: domain.service.staff() };
}

it("an unanswered change is listed among the runs, and ended by staff with a reason", async () => {
  const { domain, registrar, staff } = await domainOfSilentRegistrar();
  const { domains, domainId, accountId } = domain;
  const [run] = (await staff.listRuns({})).runs;
  expect(run).toMatchObject({
    process: "change",
    subject: "example.com",
    status: "running",
    step: "asked",
    accountId: BigInt(accountId),
  });
  expect((await staff.listRuns({ accountId: BigInt(accountId + 1) })).runs).toEqual([]);
  expect((await staff.listRuns({ parkedOnly: true })).runs).toEqual([]);
  const other = { domainId, nameservers: ["ns1.customer.test", "ns2.customer.test"] };
  expect(await refusalOf(domains.updateNameservers(other))).toMatchObject({ code: "change-in-flight" });

  await staff.abandonRun({ run: run?.run ?? "", reason: "The registry closed." });
  expect((await staff.listRuns({})).runs).toEqual([]);
  expect((await storedEventsOf(domain)).at(-1)).toMatchObject({
    type: "DomainChangeFailed",
    data: { by: "staff", code: "registrar-unavailable", reason: "Abandoned by staff: The registry closed." },
  });
  expect(await readDomain(domain)).toMatchObject({ lockStatus: true });

  // The registrar changed the lock without an event; the comparison reports the difference.
  registrar.isSilent = false;
  expect(heldDomain(domain)).toMatchObject({ transferLock: false });
  const { differences } = await staff.reconcileDomains({});
  expect(differences).toMatchObject([{ kind: "domain-lock" }]);
  // Retries until the last attempt has ended, because it blocks the domain until it has read the events again.
  await eventually(async () => {
    await domains.updateNameservers(other);
  });
  expect(await changesOf(domain)).not.toContain("TransferLockChanged");
});

it("is not continued by any process afterwards", async () => {
  const { domain, registrar, staff } = await domainOfSilentRegistrar();
  const [run] = (await staff.listRuns({})).runs;
  await staff.abandonRun({ run: run?.run ?? "", reason: "r" });
  registrar.isSilent = false;
  const again = await reopenDomain(domain);
  await eventually(async () => expect((await again.service.staff().listRuns({})).runs).toEqual([]));
  expect(await changesOf(again)).toEqual(["DomainChangeStarted", "DomainChangeFailed"]);
});

it("is refused if no change is in progress, and cannot be retried, because it is always tried", async () => {
  const { staff } = await domainOfSilentRegistrar();
  const [run] = (await staff.listRuns({})).runs;
  const id = { run: run?.run ?? "" };
  expect(await refusalOf(staff.retryRun(id))).toMatchObject({ code: "run-not-parked" });
  expect(await refusalOf(staff.abandonRun({ ...id, reason: "" }))).toMatchObject({
    code: "validation-failed",
  });
  await staff.abandonRun({ ...id, reason: "r" });
  for (const gone of [id, { run: "another" }])
    expect(await refusalOf(staff.abandonRun({ ...gone, reason: "r" }))).toMatchObject({
      code: "run-not-found",
    });
});
