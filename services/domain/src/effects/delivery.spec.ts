import { domainExamples } from "@hostledger/core/testing";
import { done, refused, unknown, type Outcome } from "@hostledger/providers";
import { yieldToOthers } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { context, customNameservers, DeliveryWorld, name, told } from "./delivery.fixture.ts";
import { deliverySchedules } from "./delivery.ts";

const { facts, serviceNameservers } = domainExamples;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await yieldToOthers();
}

/** Lets time pass, from one thing that is due to the next. */
async function pass(milliseconds: number): Promise<void> {
  const endMs = Date.now() + milliseconds;
  await settle();
  while (vi.getTimerCount() > 0 && Date.now() < endMs) {
    vi.advanceTimersToNextTimer();
    await settle();
  }
}

/** What the customer hears, once time has done what it takes. */
async function delivered(world: DeliveryWorld) {
  const delivery = world.start();
  const answer = delivery.bringAbout(name, context);
  await pass(5_000);
  const domain = await answer;
  await delivery.stop();
  return told(domain);
}

const no: readonly [string, Outcome<never>][] = [
  ["rejected", refused("rejected", "Policy")],
  ["unreachable", refused("unreachable", "Policy")],
];

describe("the zone of a new domain", () => {
  it("is created with the default records, on behalf of the request that registered the name", async () => {
    const world = await DeliveryWorld.registered();
    await expect(delivered(world)).resolves.toEqual({ warning: undefined, records: 2 });
    const record = { type: "A", value: "192.0.2.1", ttlSeconds: 3_600 };
    const records = [
      { ...record, name: "@" },
      { ...record, name: "www" },
    ];
    expect(world.zone).toEqual(records);
    expect(world.calls).toEqual(["create-zone"]);
    const recorded = records.map((each, index) => ({ recordId: 20 + index, ...each, priority: null }));
    await expect(world.facts()).resolves.toMatchObject([
      { event: { type: "ZoneCreated", data: { records: recorded } }, actor: "account:7", cause: "r-1" },
    ]);
  });

  it.each([...no, ["unanswered", unknown("Policy")] as const])(
    "that is %s is told once, and tried again after the answer",
    async (_, outcome) => {
      const world = await DeliveryWorld.registered();
      const { createZone } = world;
      world.createZone = () => outcome;
      const delivery = world.start();
      await expect(delivery.bringAbout(name, context).then(told)).resolves.toEqual({
        warning: undefined,
        records: 0,
      });
      await pass(10_000);
      await expect(world.facts()).resolves.toMatchObject([
        { event: { type: "ZoneCreationFailed", data: { reason: "Policy" } } },
      ]);
      world.createZone = createZone;
      await pass(60_000);
      await expect(world.types()).resolves.toEqual(["ZoneCreationFailed", "ZoneCreated"]);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("whose answer is lost is asked about", async () => {
    const world = await DeliveryWorld.registered();
    const { createZone } = world;
    world.createZone = (records) => {
      createZone(records);
      return unknown("No answer");
    };
    await expect(delivered(world)).resolves.toEqual({ warning: undefined, records: 2 });
    expect(world.calls).toEqual(["create-zone", "inquire-zone"]);
  });

  it("that a change of the customer has brought meanwhile is not created, nor where it needs none any more", async () => {
    for (const fact of [facts.ZoneCreated, facts.NameserversChanged]) {
      const world = await DeliveryWorld.registered();
      await world.write(fact);
      await delivered(world);
      expect(world.calls).toEqual([]);
    }
  });

  it("is for staff after two days", async () => {
    const world = await DeliveryWorld.registered();
    world.createZone = () => refused("rejected", "Policy");
    const delivery = world.start();
    await delivery.bringAbout(name, context);
    const { limit, longestMs } = deliverySchedules.zone;
    await pass(limit * longestMs);
    expect(world.calls.filter((call) => call === "create-zone")).toHaveLength(limit);
    expect((await world.facts()).map(({ event }) => event)).toMatchObject([
      { type: "ZoneCreationFailed" },
      {
        type: "DomainDeliverySuspended",
        data: { registrationId: "r-1", accountId: 7, reason: "The zone could not be created: Policy" },
      },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the customer's own nameservers", () => {
  it("are asked of the registrar instead of a zone", async () => {
    const world = await DeliveryWorld.registered(customNameservers);
    await expect(delivered(world)).resolves.toEqual({ warning: undefined, records: 0 });
    expect(world.nameservers).toEqual(customNameservers);
    expect(world.calls).toEqual(["delegate"]);
    await expect(world.facts()).resolves.toMatchObject([
      {
        event: {
          type: "NameserversChanged",
          data: { usesServiceNameservers: false, nameservers: customNameservers },
        },
        actor: "account:7",
        cause: "r-1",
      },
    ]);
  });

  it.each(no)("that are %s leave the service's, a warning and a zone", async (_, outcome) => {
    const world = await DeliveryWorld.registered(customNameservers);
    world.updateNameservers = () => outcome;
    await expect(delivered(world)).resolves.toEqual({ warning: "Policy", records: 2 });
    expect(world.nameservers).toEqual(serviceNameservers);
    await expect(world.facts()).resolves.toMatchObject([
      { event: { type: "NameserversRefused", data: { requested: customNameservers, reason: "Policy" } } },
      { event: { type: "ZoneCreated" } },
    ]);
  });

  it("that are not answered are settled where the registrar holds them, in any order", async () => {
    const world = await DeliveryWorld.registered(customNameservers);
    world.updateNameservers = (nameservers) => {
      world.nameservers = nameservers.toReversed();
      return unknown("No answer");
    };
    await expect(delivered(world)).resolves.toEqual({ warning: undefined, records: 0 });
    await expect(world.types()).resolves.toEqual(["NameserversChanged"]);
  });

  it.each<[string, DeliveryWorld["inquire"] | undefined]>([
    ["other nameservers", undefined],
    ["nothing", () => done({ held: false })],
    ["no answer either", () => unknown("Still no answer")],
    ["a refusal", () => refused("unreachable", "No route")],
  ])("that are not answered, with %s: asked three times in all; then staff is", async (_, inquire) => {
    const world = await DeliveryWorld.registered(customNameservers);
    world.updateNameservers = () => unknown("No answer");
    if (inquire !== undefined) world.inquire = inquire;
    const warning = "The registrar does not tell whether it took the nameservers: No answer";
    await expect(delivered(world)).resolves.toEqual({ warning, records: 0 });
    expect(world.calls).toEqual(["delegate", "inquire", "delegate", "inquire", "delegate", "inquire"]);
    await expect(world.types()).resolves.toEqual(["DomainDeliverySuspended"]);
  });

  it.each([
    ["several lines", "2400\r\nCommand failed\n", "2400 Command failed"],
    ["nothing", "", "No reason was given"],
    ["far too much", "x".repeat(5_000), "x".repeat(500)],
  ])("refused with %s: the reason is one line that every fact can keep", async (_, message, line) => {
    const world = await DeliveryWorld.registered(customNameservers);
    world.updateNameservers = () => refused("rejected", message);
    await expect(delivered(world)).resolves.toMatchObject({ warning: line });
  });
});

describe("a delivery that waits for staff", () => {
  async function suspended() {
    const world = await DeliveryWorld.registered(customNameservers);
    const { updateNameservers } = world;
    world.updateNameservers = () => unknown("No answer");
    await delivered(world);
    return { world, delivery: world.start(), heal: () => Object.assign(world, { updateNameservers }) };
  }
  const staff = { correlationId: "correlation-2", actor: "staff:ada" };

  it("is not tried again by itself, whoever asks", async () => {
    const { world, delivery } = await suspended();
    const asked = world.calls.length;
    await delivery.bringAbout(name, context);
    await pass(60_000);
    expect(world.calls).toHaveLength(asked);
  });

  it("goes on when staff says so", async () => {
    const { world, delivery, heal } = await suspended();
    heal();
    await expect(delivery.interrupt(name, { type: "retried" }, staff)).resolves.toBeUndefined();
    await settle();
    await expect(world.types()).resolves.toEqual([
      "DomainDeliverySuspended",
      "DomainDeliveryResumed",
      "NameserversChanged",
    ]);
    await expect(delivery.interrupt(name, { type: "retried" }, staff)).resolves.toMatchObject({
      code: "run-not-parked",
    });
  });

  it("may wait again, and is left when staff says so", async () => {
    const { world, delivery } = await suspended();
    await delivery.interrupt(name, { type: "retried" }, staff);
    await pass(5_000);
    await delivery.interrupt(name, { type: "abandoned", reason: "The customer called" }, staff);
    await pass(60_000);
    await expect(world.types()).resolves.toEqual([
      "DomainDeliverySuspended",
      "DomainDeliveryResumed",
      "DomainDeliverySuspended",
      "DomainDeliveryAbandoned",
    ]);
    await expect(delivery.bringAbout(name, context).then(told)).resolves.toEqual({
      warning: undefined,
      records: 0,
    });
  });
});

describe("a process that dies in the middle of a delivery", () => {
  it.each<[string, readonly string[] | null, Outcome<never> | undefined, string[]]>([
    ["a zone", null, undefined, ["ZoneCreated"]],
    ["nameservers", customNameservers, undefined, ["NameserversChanged"]],
    [
      "nameservers that are refused",
      customNameservers,
      refused("rejected", "Policy"),
      ["NameserversRefused", "ZoneCreated"],
    ],
  ])("%s: the next one ends it, wherever that was", async (_, nameservers, answer, types) => {
    for (let step = 0, isOver = false; !isOver; step += 1) {
      const world = await DeliveryWorld.registered(nameservers);
      if (answer !== undefined) world.updateNameservers = () => answer;
      let left = step;
      world.step = () => {
        left -= 1;
        if (left < 0) throw new Error("the process is dead");
      };
      const first = world.start();
      void first.bringAbout(name, context).catch(() => undefined);
      await pass(200);
      isOver = left >= 0;
      await first.stop();
      world.step = () => undefined;
      const next = world.start({ isOrphaned: true });
      const stopping = new AbortController();
      const rounds = next.resumeOrphaned(stopping.signal);
      await pass(5_000);
      stopping.abort();
      await rounds;
      await next.stop();
      await expect(world.types(), `died at step ${String(step)}`).resolves.toEqual(types);
      const actors = (await world.facts()).map(({ actor }) => actor);
      expect(new Set(actors)).toEqual(new Set(["account:7"]));
    }
  });
});

describe("among several processes", () => {
  it("one delivers, and another one's request waits for what it records", async () => {
    const holders = new Set<string>();
    const leases = {
      tryAcquire(lease: string) {
        if (holders.has(lease)) return Promise.resolve(undefined);
        holders.add(lease);
        const release = () => {
          holders.delete(lease);
          return Promise.resolve();
        };
        return Promise.resolve({ name: lease, lost: new AbortController().signal, release });
      },
      close: () => Promise.resolve(),
    };
    const world = await DeliveryWorld.registered(customNameservers);
    const { updateNameservers } = world;
    let asked = 0;
    world.updateNameservers = (nameservers) => {
      asked += 1;
      return asked === 1 ? unknown("No answer") : updateNameservers(nameservers);
    };
    const one = world.start({ leases }).bringAbout(name, context);
    await settle();
    const other = world.start({ leases }).bringAbout(name, context);
    await pass(2_000);
    await expect(Promise.all([one, other]).then((domains) => domains.map(told))).resolves.toEqual([
      { warning: undefined, records: 0 },
      { warning: undefined, records: 0 },
    ]);
    expect(asked).toBe(2);
    await expect(world.types()).resolves.toEqual(["NameserversChanged"]);
  });
});
