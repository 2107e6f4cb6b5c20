import { rejection, type RejectionCode } from "@hostledger/core";
import { unknown } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import {
  eventually,
  openDomainService,
  type DomainAdminClient,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

let service: DomainServiceFixture;
let staff: DomainAdminClient;
let count = 0;

beforeAll(async () => {
  service = await openDomainService();
  staff = service.staff();
});
afterAll(() => service.close());
afterEach(() => {
  const nothing = (): void => undefined;
  Object.assign(service.accounts, { beforeCharge: nothing, afterCharge: nothing, beforeRefund: nothing });
});

/** An answer that no step of a run expects, so the run waits for staff. */
const answering = (code: RejectionCode) => () => rejection(code);

function freshName(label = "name"): string {
  count += 1;
  return `${label}-${String(count)}.com`;
}

async function runOf(name: string, { parkedOnly = false } = {}) {
  const { runs } = await staff.listRuns({ parkedOnly });
  return runs.find(({ subject }) => subject === name);
}

async function suspendedRunOf(name: string) {
  return eventually(async () => {
    const run = await runOf(name, { parkedOnly: true });
    if (run === undefined) throw new Error(`the run of ${name} is not parked`);
    return run;
  });
}

async function untilOver(name: string): Promise<void> {
  await eventually(async () => {
    expect(await runOf(name)).toBeUndefined();
  });
}

describe("who may ask", () => {
  it.each<[string, (client: DomainAdminClient) => Promise<unknown>]>([
    ["setPrice", (client) => client.setPrice({ tld: "com" })],
    ["listAllPrices", (client) => client.listAllPrices({})],
    ["listAllDomains", (client) => client.listAllDomains({})],
    ["showDomain", (client) => client.showDomain({ domain: "1" })],
    ["listRuns", (client) => client.listRuns({})],
    ["retryRun", (client) => client.retryRun({ run: "x" })],
    ["abandonRun", (client) => client.abandonRun({ run: "x", reason: "x" })],
    ["showSandbox", (client) => client.showSandbox({})],
  ])("%s: only staff", async (_, call) => {
    for (const caller of [
      { kind: "account", accountId: 1 },
      { kind: "service", name: "gateway" },
    ] as const)
      await expect(refusalOf(call(service.staff(caller)))).resolves.toMatchObject({ code: "unauthorized" });
  });
});

describe("the sandbox", () => {
  it("shows the resources of each simulated provider", async () => {
    const name = freshName();
    await service.customer().domains.registerDomain({ domain: name });
    const { registrar, dns } = await staff.showSandbox({});
    expect(registrar.find((held) => held.name === name)).toMatchObject({
      nameservers: ["ns1.hostledger.test", "ns2.hostledger.test"],
    });
    expect(dns.find((zone) => zone.name === name)?.records).toMatchObject([
      { type: "A", name: "@", value: "192.0.2.1", ttl: 3_600 },
      { type: "A", name: "www", value: "192.0.2.1", ttl: 3_600 },
    ]);
  });

  it("shows servers with the state of their firewall", async () => {
    const plan = { title: "Small", cores: 1, memoryGb: 1, storageGb: 10 };
    const firewall = { enabled: false, rules: [] };
    const order = { name: "server-1", plan, region: "fra", distro: "Debian 13", sshKey: null, firewall };
    await service.sandbox.compute.provision(order);
    const { compute } = await staff.showSandbox({});
    expect(compute).toMatchObject([
      {
        name: "server-1",
        node: "fra-node-1",
        ipAddress: "192.0.2.1",
        running: true,
        firewallEnabled: false,
        firewallRules: 0,
      },
    ]);
  });

  it("is missing with real providers", async () => {
    const real = await openDomainService({ simulated: false });
    await expect(refusalOf(real.staff().showSandbox({}))).resolves.toMatchObject({ code: "not-found" });
    await real.close();
  });
});

describe("a run that waits for staff", () => {
  /** Creates a run whose account service charged, but answered with an unexpected rejection. */
  async function suspendedAfterCharge() {
    const { domains, accountId } = service.customer(5_000n);
    const name = freshName();
    service.accounts.afterCharge = answering("unauthorized");
    const refusal = await refusalOf(domains.registerDomain({ domain: name }));
    service.accounts.afterCharge = () => undefined;
    return { domains, accountId, name, refusal, run: await suspendedRunOf(name) };
  }

  it("is listed with its subject and reason; the customer is answered that it is unsettled", async () => {
    const { accountId, name, run, refusal, domains } = await suspendedAfterCharge();
    expect(refusal.code).toBe("deadline-exceeded");
    expect(run).toMatchObject({
      process: "registration",
      subject: name,
      status: "parked",
      step: "charging",
      accountId: BigInt(accountId),
      reason: "unauthorized: This action is unauthorized.",
    });
    await expect(refusalOf(domains.registerDomain({ domain: name }))).resolves.toMatchObject({
      code: "registration-in-flight",
    });
    await staff.abandonRun({ run: run.run, reason: "End of the spec" });
    await untilOver(name);
  });

  it("continues after a retry by staff, and charges once", async () => {
    const { domains, accountId, name, run } = await suspendedAfterCharge();
    await expect(staff.retryRun({ run: run.run })).resolves.toMatchObject({ run: run.run });
    // Waits for the zone, which is delivered after the registration.
    await eventually(async () => {
      const { domains: held } = await domains.listDomains({});
      expect(held).toMatchObject([{ domainName: name, status: "active" }]);
    });
    expect(service.accounts.balanceOf(accountId)).toBe(4_000n);
  });

  it("returns the money and frees the name when staff abandons it", async () => {
    const { domains, accountId, name, run } = await suspendedAfterCharge();
    expect(service.accounts.balanceOf(accountId)).toBe(4_000n);
    await staff.abandonRun({ run: run.run, reason: "The customer called" });
    await untilOver(name);
    expect(service.accounts.balanceOf(accountId)).toBe(5_000n);
    await expect(domains.listDomains({})).resolves.toMatchObject({ domains: [] });
    await expect(domains.registerDomain({ domain: name })).resolves.toMatchObject({ years: 1 });
  });

  it("frees the name, and refunds nothing without a charge", async () => {
    const { domains, accountId } = service.customer(5_000n);
    const name = freshName();
    service.accounts.beforeCharge = answering("charge-conflict");
    await refusalOf(domains.registerDomain({ domain: name }));
    service.accounts.beforeCharge = () => undefined;
    const { run } = await suspendedRunOf(name);
    await staff.abandonRun({ run, reason: "The customer called" });
    await untilOver(name);
    expect(service.accounts.balanceOf(accountId)).toBe(5_000n);
    await expect(domains.registerDomain({ domain: name })).resolves.toMatchObject({ years: 1 });
  });

  it("because of a refused refund is tried again, and the money is refunded once", async () => {
    const { domains, accountId } = service.customer(5_000n);
    const name = freshName("refused");
    service.accounts.beforeRefund = answering("unauthorized");
    const refusal = await refusalOf(domains.registerDomain({ domain: name }));
    expect(refusal.code).toBe("deadline-exceeded");
    const { run, step } = await suspendedRunOf(name);
    expect(step).toBe("refunding");
    expect(service.accounts.balanceOf(accountId)).toBe(4_000n);

    service.accounts.beforeRefund = () => undefined;
    await staff.retryRun({ run });
    await untilOver(name);
    expect(service.accounts.balanceOf(accountId)).toBe(5_000n);
  });

  it("may be parked again", async () => {
    const { name, run } = await suspendedAfterCharge();
    service.accounts.beforeCharge = answering("charge-not-found");
    await staff.retryRun({ run: run.run });
    await eventually(async () => {
      const again = await runOf(name);
      expect(again?.status).toBe("parked");
      expect(again?.reason).toMatch(/^charge-not-found: /);
    });
    await staff.abandonRun({ run: run.run, reason: "End of the spec" });
    await untilOver(name);
  });

  it("needs a reason to be abandoned", async () => {
    const { name, run } = await suspendedAfterCharge();
    for (const reason of ["", "two\nlines", "x".repeat(501)]) {
      const refusal = await refusalOf(staff.abandonRun({ run: run.run, reason }));
      expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual(["reason"]);
    }
    await expect(runOf(name)).resolves.toMatchObject({ status: "parked" });
    await staff.abandonRun({ run: run.run, reason: "End of the spec" });
    await untilOver(name);
  });
});

describe("a delivery that waits for staff", () => {
  const nameservers = ["ns1.customer.test", "ns2.customer.test"];

  /** Creates a delivery whose registrar does not answer about nameservers until permitted. */
  async function suspended() {
    let isSilent = true;
    const own = await openDomainService({
      registrar: (provider) => ({
        ...plainRegistrar(provider),
        updateNameservers: (name, given) =>
          isSilent ? Promise.resolve(unknown("No answer")) : provider.updateNameservers(name, given),
      }),
    });
    onTestFinished(() => own.close());
    const { domains, accountId } = own.customer();
    const { domain, warning } = await domains.registerDomain({ domain: "mine.com", nameservers });
    const { runs } = await own.staff().listRuns({ parkedOnly: true });
    const speak = (): void => {
      isSilent = false;
    };
    return { own, domains, accountId, domainId: domain?.id ?? 0n, warning, runs, speak };
  }

  it("is listed as its registration's run; the customer is warned and changes nothing meanwhile", async () => {
    const { accountId, domains, domainId, runs, warning } = await suspended();
    const reason = "The registrar does not tell whether it took the nameservers: No answer";
    expect(warning).toContain(reason);
    expect(runs).toMatchObject([
      {
        run: expect.stringMatching(new RegExp(`^registration-[a-z0-9]{6}-${String(domainId)}$`)) as string,
        process: "registration",
        subject: "mine.com",
        status: "parked",
        step: "delivering",
        accountId: BigInt(accountId),
        reason,
      },
    ]);
    const change = domains.updateNameservers({ domainId, nameservers: ["a.test", "b.test"] });
    await expect(refusalOf(change)).resolves.toMatchObject({ code: "change-in-flight" });
  });

  it("is listed as its transfer's run if the name was transferred to us", async () => {
    const silent: DomainServiceFixtureOptions = {
      lifeCycleIntervalMs: 100,
      registrar: (provider) => ({
        ...plainRegistrar(provider),
        updateNameservers: () => Promise.resolve(unknown("No answer")),
      }),
    };
    const before = await openDomainService(silent);
    const { domains } = before.customer();
    await domains.transferDomain({ domain: "elsewhere.com", authCode: "let-me-go", nameservers });
    await eventually(async () => {
      const { domains: held } = await domains.listDomains({});
      expect(held).toMatchObject([{ status: "active" }]);
    });
    // The rounds of the next process go on with it.
    const own = await before.restart(silent);
    onTestFinished(() => own.close());
    const runs = await eventually(async () => {
      const listed = await own.staff().listRuns({ parkedOnly: true });
      if (listed.runs.length === 0) throw new Error("the delivery is not suspended yet");
      return listed.runs;
    });
    expect(runs).toMatchObject([
      {
        run: expect.stringMatching(/^domaintransfer-[a-z0-9]{6}-1$/) as string,
        process: "transfer",
        subject: "elsewhere.com",
        step: "delivering",
      },
    ]);
  });

  it("continues after a retry by staff", async () => {
    const { own, domains, domainId, runs, speak } = await suspended();
    speak();
    await own.staff().retryRun({ run: runs[0]?.run ?? "" });
    await own.settled();
    await expect(domains.getDomain({ domainId })).resolves.toMatchObject({ domain: { nameservers } });
  });

  it("ends when staff abandon it: the customer can change the nameservers", async () => {
    const { own, domains, domainId, runs, speak } = await suspended();
    await own.staff().abandonRun({ run: runs[0]?.run ?? "", reason: "The customer called" });
    await own.settled();
    speak();
    const changed = await domains.updateNameservers({ domainId, nameservers: ["a.test", "b.test"] });
    expect(changed.domain).toMatchObject({ nameservers: ["a.test", "b.test"] });
  });
});

describe("staff's word", () => {
  it("is refused for a missing run", async () => {
    await expect(refusalOf(staff.retryRun({ run: "registration-999" }))).resolves.toMatchObject({
      code: "run-not-found",
    });
    await expect(
      refusalOf(staff.abandonRun({ run: "registration-999", reason: "x" })),
    ).resolves.toMatchObject({ code: "run-not-found" });
  });

  it("is refused for a run that continues on its own", async () => {
    const { domains } = service.customer();
    const name = freshName("nozone");
    await domains.registerDomain({ domain: name });
    const run = await eventually(async () => {
      const found = await runOf(name);
      if (found?.step !== "creating-zone") throw new Error("the zone is not tried again yet");
      return found;
    });
    expect(run.status).toBe("waiting");
    await expect(refusalOf(staff.retryRun({ run: run.run }))).resolves.toMatchObject({
      code: "run-not-parked",
    });
    await expect(runOf(name, { parkedOnly: true })).resolves.toBeUndefined();
  });
});
