import { unknown, type Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { manualClock, realTiming } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import {
  ofTest,
  openDomainService,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

/** The service with these names registered, and a registrar that says of some that it does not hold them. */
async function holding(names: readonly string[], options: DomainServiceFixtureOptions = {}) {
  const lost = new Set<string>();
  const asked: string[] = [];
  const forgetting = (registrar: Registrar): Registrar => ({
    ...plainRegistrar(registrar),
    async inquire(name) {
      asked.push(name);
      return lost.has(name) ? { outcome: "done", value: { held: false } } : registrar.inquire(name);
    },
  });
  const service = ofTest(
    await openDomainService({
      registrar: forgetting,
      registrarChecksPerMinute: 60_000,
      ...options,
    }),
  );
  const customer = service.customer(100_000n * BigInt(names.length));
  for (const domain of names) await customer.domains.registerDomain({ domain });
  await service.settled();
  asked.length = 0;
  /** The tickets that staff were asked for. */
  const tickets = async (): Promise<readonly unknown[]> => {
    const titles: unknown[] = [];
    for await (const { events, caughtUp } of service.store.subscribe({
      from: "start",
      streamPrefixes: ["ticketcause-"],
    })) {
      titles.push(...events.map(({ data }) => /"title":"([^"]*)"/.exec(data)?.[1]));
      if (caughtUp) break;
    }
    return titles;
  };
  return { service, lost, asked, tickets };
}

async function eventsOf(service: DomainServiceFixture, name: string): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of service.store.read(`domain-${name}`)) types.push(type);
  return types;
}

describe("a round of questions to the registrar", () => {
  it("asks about every domain, and opens one staff ticket about a domain that it denies twice", async () => {
    const { service, lost, asked, tickets } = await holding(["one.com", "two.com", "three.com"]);
    expect(await service.runRegistrarRound()).toEqual({ asked: 3, untold: 0, missed: 0 });
    expect(asked.splice(0).toSorted()).toEqual(["one.com", "three.com", "two.com"]);
    lost.add("two.com");
    expect(await service.runRegistrarRound()).toEqual({ asked: 3, untold: 0, missed: 1 });
    expect(asked.toSorted()).toEqual(["one.com", "three.com", "two.com", "two.com"]);
    expect(await tickets()).toEqual(["The registrar does not hold two.com"]);
    await service.runRegistrarRound();
    expect(await tickets()).toHaveLength(1);
  });

  it("believes no denial before it is repeated", async () => {
    let isFirst = false;
    const { service, tickets } = await holding(["one.com"], {
      registrar: (registrar) => ({
        ...plainRegistrar(registrar),
        inquire(name) {
          if (!isFirst) return registrar.inquire(name);
          isFirst = false;
          return Promise.resolve({ outcome: "done", value: { held: false } });
        },
      }),
    });
    isFirst = true;
    expect(await service.runRegistrarRound()).toEqual({ asked: 1, untold: 0, missed: 0 });
    expect(isFirst).toBe(false);
    expect(await tickets()).toEqual([]);
  });

  it("treats silence as no answer", async () => {
    const { service, tickets } = await holding(["one.com"], {
      registrar: (registrar) => ({
        ...plainRegistrar(registrar),
        inquire: () => Promise.resolve(unknown("No answer.")),
      }),
    });
    expect(await service.runRegistrarRound()).toEqual({ asked: 1, untold: 1, missed: 0 });
    expect(await tickets()).toEqual([]);
  });

  it("does not ask about a domain that has expired", async () => {
    const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
    const { service, asked } = await holding(["one.com"], { clock });
    clock.advance(400 * 86_400_000);
    await service.runDueWork();
    expect(await service.runRegistrarRound()).toMatchObject({ asked: 0 });
    expect(asked).toEqual([]);
  });

  it("ends a domain in transfer to another registrar after the registrar has denied it twice", async () => {
    const { service, lost, tickets } = await holding(["leaving.com", "stays.com"]);
    const { domain } = await service.staff().showDomain({ domain: "leaving.com" });
    await service.staff().setDomainTransfer({ domainId: domain?.id ?? 0n, transferring: true });
    await service.settled();
    expect(await service.runRegistrarRound()).toEqual({ asked: 2, untold: 0, missed: 0 });
    expect(await eventsOf(service, "leaving.com")).not.toContain("DomainTransferredAway.v2");
    lost.add("leaving.com");
    expect(await service.runRegistrarRound()).toEqual({ asked: 2, untold: 0, missed: 0 });
    expect((await eventsOf(service, "leaving.com")).at(-1)).toBe("DomainTransferredAway.v2");
    await service.settled();
    expect(await service.runRegistrarRound()).toEqual({ asked: 1, untold: 0, missed: 0 });
    expect(await tickets()).toEqual([]);
  });

  it("asks about every domain from any start, also with several pages", async () => {
    const names = Array.from({ length: 105 }, (_, index) => `example-${String(index)}.com`);
    const { service, asked } = await holding(names);
    expect(await service.runRegistrarRound()).toMatchObject({ asked: 105, missed: 0 });
    expect(asked.toSorted()).toEqual(names.toSorted());
  });
});
