import { done, unknown, type Registrar, type TransferState } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { virtualClock } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import {
  eventually,
  ofTest,
  openDomainService,
  operation,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

/** Transfers to us on the whole service: answers of the registrar, competing orders, decisions of staff. */

async function open(options: DomainServiceFixtureOptions = {}): Promise<DomainServiceFixture> {
  const clock = virtualClock();
  return ofTest(await openDomainService({ clock, busyWhile: clock.busyWhile, quietMs: 600, ...options }));
}

function instead(calls: (provider: Registrar) => Partial<Registrar>): DomainServiceFixtureOptions {
  return { registrar: (provider) => ({ ...plainRegistrar(provider), ...calls(provider) }) };
}

const orderOf = (domain: string) => ({ domain, authCode: "let-me-go" });

/** Returns the held names and the payments after all runs have ended. */
async function outcomeOf(service: DomainServiceFixture) {
  await service.settled();
  const held = service.sandbox.show().registrar.map(({ name }) => name);
  return { held, paid: service.accounts.standing.length };
}

describe("what the registrar does to an order", () => {
  it.each([
    ["elsewhere.com", 1],
    ["elsewhere-slow.com", 1],
    ["elsewhere-lost.com", 1],
    ["elsewhere-limbo.com", 1],
    ["elsewhere-refused.com", 0],
  ])("%s is answered as under way, and comes to %d domains", async (domain, domains) => {
    const service = await open();
    const client = service.customer().domains;
    const answer = await client.transferDomain(orderOf(domain));
    expect(answer).toMatchObject({ amountChargedCents: 900n, domain: { domainName: domain } });
    expect(await outcomeOf(service)).toEqual({ held: domains === 1 ? [domain] : [], paid: domains });
    expect((await client.listDomains({})).domains.map(({ status }) => status)).toEqual(
      domains === 1 ? ["active"] : [],
    );
  });

  it.each([
    ["elsewhere-offline.com", "registrar-failed"],
    ["elsewhere-timeout.com", "registrar-failed"],
    ["elsewhere-taken.com", "registrar-failed"],
    ["nobodys.com", "not-transferable"],
  ])("%s is refused as %s", async (domain, code) => {
    const service = await open();
    const order = service.customer().domains.transferDomain(orderOf(domain));
    expect((await refusalOf(order)).code).toBe(code);
    expect(await outcomeOf(service)).toEqual({ held: [], paid: 0 });
  });

  it("an order that is carried out within the quiet period is paid and held", async () => {
    const service = await open(
      instead((provider) => {
        let asked = 0;
        return {
          transferIn: () => Promise.resolve(unknown("No answer")),
          inquireTransfer: async (name, order) => {
            asked += 1;
            if (asked === 2)
              await provider.transferIn({
                clientTransactionId: order?.clientTransactionId ?? "",
                name,
                authCode: "let-me-go",
              });
            return provider.inquireTransfer(name);
          },
        };
      }),
    );
    const { domains } = service.customer();
    await domains.transferDomain(orderOf("elsewhere.com"));
    expect(await outcomeOf(service)).toEqual({ held: ["elsewhere.com"], paid: 1 });
  });

  it("a pending order that the registrar loses is refunded after two denials", async () => {
    const none: TransferState = { state: "none" };
    const service = await open(
      instead(() => ({
        transferIn: () => Promise.resolve({ outcome: "pending" }),
        inquireTransfer: () => Promise.resolve(done(none)),
      })),
    );
    const { domains } = service.customer();
    await domains.transferDomain(orderOf("elsewhere.com"));
    expect(await outcomeOf(service)).toEqual({ held: [], paid: 0 });
    expect((await domains.listDomains({})).domains).toEqual([]);
  });

  it("another order's transfer of the name is not ours", async () => {
    const service = await open(
      instead(() => ({
        transferIn: () => Promise.resolve(unknown("No answer")),
        inquireTransfer: () =>
          Promise.resolve(done<TransferState>({ state: "pending", clientTransactionId: "another" })),
      })),
    );
    const order = service.customer().domains.transferDomain(orderOf("elsewhere.com"));
    expect((await refusalOf(order)).code).toBe("registrar-failed");
    expect(await outcomeOf(service)).toEqual({ held: [], paid: 0 });
  });

  it("a registrar that does not answer is asked repeatedly, while the charge stands", async () => {
    let isSilent = true;
    const service = await open(
      instead((provider) => ({
        inquireTransfer: (name) =>
          isSilent ? Promise.resolve(unknown("No answer")) : provider.inquireTransfer(name),
      })),
    );
    const { domains } = service.customer();
    const { domain } = await domains.transferDomain(orderOf("elsewhere.com"));
    expect(domain?.status).toBe("transferring");
    expect(service.accounts.standing).toHaveLength(1);
    isSilent = false;
    expect(await outcomeOf(service)).toEqual({ held: ["elsewhere.com"], paid: 1 });
  });
});

describe("a registry that answers every question with the same refusal", () => {
  const hours = 1;

  /** Returns the events of the run and the staff tickets. */
  async function storedOf({ store }: DomainServiceFixture) {
    let run = "none-yet";
    for await (const { data } of store.read("installation-all"))
      run = `domaintransfer-${/"part":"(\w+)"/.exec(data)?.[1] ?? ""}-operation-1`;
    const types: string[] = [];
    for await (const { type } of store.read(run)) types.push(type);
    const tickets: string[] = [];
    for await (const { data } of store.read(`ticketcause-unanswered-${run}`)) tickets.push(data);
    return { failures: types.filter((type) => type.startsWith("RegistrarInquiryFailed")).length, tickets };
  }

  it.each(["unknown", "pending"] as const)(
    "after an order that is %s is asked at growing intervals, has one ticket, and is believed once it answers",
    async (first) => {
      const clock = virtualClock();
      const mendedMs = clock.epochMilliseconds() + hours * 3_600_000;
      const message = "The registry answers 2201: Authorization error";
      const refusal = unknown(message);
      const service = await open({
        clock,
        busyWhile: clock.busyWhile,
        ...instead((provider) => ({
          async transferIn(order) {
            await provider.transferIn(order);
            return first === "unknown" ? refusal : { outcome: "pending" };
          },
          inquireTransfer: (name) =>
            clock.epochMilliseconds() < mendedMs ? Promise.resolve(refusal) : provider.inquireTransfer(name),
        })),
      });
      const { domains } = service.customer();
      const order = domains.transferDomain(orderOf("elsewhere.com"), operation("operation-1"));
      // While it is unknown whether the order arrived, the customer gets that answer.
      const answer = first === "pending" ? "answered" : "deadline-exceeded";
      expect(
        await order.then(
          () => "answered",
          async () => (await refusalOf(order)).code,
        ),
      ).toBe(answer);
      await eventually(async () => {
        expect((await storedOf(service)).tickets).not.toEqual([]);
      });
      const { runs } = await service.staff().listRuns({});
      expect(runs).toMatchObject([{ status: "waiting", reason: message }]);
      expect(await outcomeOf(service)).toEqual({ held: ["elsewhere.com"], paid: 1 });
      const { failures, tickets } = await storedOf(service);
      expect(failures).toBeLessThan(30);
      expect(tickets).toEqual([expect.stringContaining("answers 2201: Authorization error")]);
      expect(clock.epochMilliseconds() - mendedMs).toBeLessThan(2 * 3_600_000);
    },
  );
});

describe("two who want one name", () => {
  it("get one transfer", async () => {
    const service = await open();
    const orders = [service.customer(), service.customer()].map(({ domains }) =>
      domains.transferDomain(orderOf("elsewhere.com")),
    );
    const settled = await Promise.allSettled(orders);
    expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const loser = orders[settled.findIndex(({ status }) => status === "rejected")];
    expect((await refusalOf(loser ?? Promise.resolve())).code).toBe("registration-in-flight");
    expect(await outcomeOf(service)).toEqual({ held: ["elsewhere.com"], paid: 1 });
  });

  it.each(["registration", "transfer"] as const)(
    "by a registration and a transfer get the result of the first: the %s",
    async (first) => {
      const answered = Promise.withResolvers<undefined>();
      // The other registrar releases the name, or takes it, between the two questions.
      const answers = first === "registration" ? [true, false] : [false, true];
      const service = await open(
        instead((provider) => ({
          check: () => Promise.resolve(done({ available: answers.shift() ?? false })),
          register: async (order) => {
            await answered.promise;
            return provider.register(order);
          },
          // The transfer is done a second later: on a slow machine, before the other one asks.
          inquireTransfer: async (name) => {
            await answered.promise;
            return provider.inquireTransfer(name);
          },
        })),
      );
      const { domains } = service.customer();
      const registers = () => domains.registerDomain({ domain: "elsewhere.com" });
      const transfers = () => domains.transferDomain(orderOf("elsewhere.com"));
      const [begins, follows] = first === "registration" ? [registers, transfers] : [transfers, registers];
      const earlier: Promise<unknown> = begins();
      await eventually(async () => {
        expect((await service.staff().listRuns({})).runs).toHaveLength(1);
      });
      expect((await refusalOf(follows())).code).toBe("registration-in-flight");
      answered.resolve(undefined);
      await earlier.catch(() => undefined);
      const held = first === "transfer" ? ["elsewhere.com"] : [];
      expect(await outcomeOf(service)).toEqual({ held, paid: held.length });
    },
  );
});

describe("a request that is repeated", () => {
  it("has its first answer, before and after the name is here, and is charged once", async () => {
    const service = await open();
    const { domains } = service.customer();
    const ask = () => domains.transferDomain(orderOf("elsewhere.com"), operation("operation-1"));
    const first = await ask();
    expect((await ask()).invoiceId).toBe(first.invoiceId);
    await service.settled();
    expect(await ask()).toMatchObject({ invoiceId: first.invoiceId, domain: { status: "active" } });
    expect(service.accounts.standing).toHaveLength(1);
  });
});

describe("staff", () => {
  it("sees a pending transfer, and cannot end it before it waits for them", async () => {
    const service = await open();
    const { domains } = service.customer();
    await domains.transferDomain(orderOf("elsewhere-slow.com"), operation("operation-1"));
    const { runs } = await service.staff().listRuns({});
    const run = runs[0]?.run ?? "";
    expect(run).toMatch(/^domaintransfer-[a-z0-9]{6}-operation-1$/);
    expect(runs).toMatchObject([{ process: "transfer", subject: "elsewhere-slow.com" }]);
    expect((await refusalOf(service.staff().abandonRun({ run, reason: "No" }))).code).toBe("run-not-parked");
    expect(await outcomeOf(service)).toEqual({ held: ["elsewhere-slow.com"], paid: 1 });
  });

  it("gets a ticket if the customer's nameservers are refused, because no zone replaces them", async () => {
    const service = await open({ lifeCycleIntervalMs: 1_000 });
    const { domains } = service.customer();
    const nameservers = ["ns1.customer.test", "ns2.customer.test"];
    await domains.transferDomain({ ...orderOf("elsewhere-badns.com"), nameservers });
    const parked = async () => {
      const { runs } = await service.staff().listRuns({ parkedOnly: true });
      if (runs.length === 0) throw new Error("nothing waits for staff");
      return runs;
    };
    const [run] = await eventually(parked);
    expect(run).toMatchObject({ subject: "elsewhere-badns.com", status: "parked" });
    const [domain] = (await domains.listDomains({})).domains;
    expect(domain).toMatchObject({ status: "active", nameservers: expectedElsewhere });
    await service.staff().abandonRun({ run: run?.run ?? "", reason: "The customer changes them" });
    expect(await outcomeOf(service)).toEqual({ held: ["elsewhere-badns.com"], paid: 1 });
  });
});

const expectedElsewhere = ["ns1.elsewhere.example", "ns2.elsewhere.example"];
