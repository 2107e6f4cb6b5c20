import { domainExamples } from "@hostledger/core/testing";
import { createLocalLeases } from "@hostledger/work/leases";
import { done, refused, unknown, type Outcome } from "@hostledger/providers";
import { describe, expect, it } from "vitest";

import { context, customNameservers, DeliveryHarness, name, reported } from "./delivery.fixture.ts";
import { deliverySchedules } from "./delivery.ts";

const { samples: events, serviceNameservers } = domainExamples;

/** Returns the answer to the customer after enough time has passed. */
async function delivered(harness: DeliveryHarness) {
  const delivery = await harness.start({ rounds: false });
  const domain = await delivery.bringAbout(name, context);
  await delivery.stop();
  return reported(domain);
}

/** Waits until the events are these, by the harness's own time. */
async function untilEvents(harness: DeliveryHarness, types: readonly string[]): Promise<void> {
  for (let looks = 0; looks < 2_000 && (await harness.types()).join() !== types.join(); looks += 1)
    await harness.clock.sleep(100);
  expect(await harness.types()).toEqual(types);
}

const no: readonly [string, Outcome<never>][] = [
  ["rejected", refused("rejected", "Policy")],
  ["unreachable", refused("unreachable", "Policy")],
];

describe("the zone of a new domain", () => {
  it("is created with the default records, on behalf of the request that registered the name", async () => {
    const harness = await DeliveryHarness.registered();
    await expect(delivered(harness)).resolves.toEqual({ warning: undefined, records: 2 });
    const record = { type: "A", value: "192.0.2.1", ttlSeconds: 3_600 };
    const records = [
      { ...record, name: "@" },
      { ...record, name: "www" },
    ];
    expect(harness.zone).toEqual(records);
    expect(harness.calls).toEqual(["create-zone"]);
    const recorded = records.map((each, index) => ({ recordId: 20 + index, ...each, priority: null }));
    await expect(harness.events()).resolves.toMatchObject([
      { event: { type: "ZoneCreated", data: { records: recorded } }, actor: "account:7", cause: "r-1" },
    ]);
  });

  it.each([...no, ["unanswered", unknown("Policy")] as const])(
    "that is %s is reported once, and tried again after the answer",
    async (_, outcome) => {
      const harness = await DeliveryHarness.registered();
      const { createZone } = harness;
      harness.createZone = () => outcome;
      const delivery = await harness.start();
      await expect(delivery.bringAbout(name, context).then(reported)).resolves.toEqual({
        warning: undefined,
        records: 0,
      });
      await harness.clock.sleep(10_000);
      await expect(harness.events()).resolves.toMatchObject([
        { event: { type: "ZoneCreationFailed", data: { reason: "Policy" } } },
      ]);
      harness.createZone = createZone;
      await untilEvents(harness, ["ZoneCreationFailed", "ZoneCreated"]);
    },
  );

  it("whose answer is lost is inquired", async () => {
    const harness = await DeliveryHarness.registered();
    const { createZone } = harness;
    harness.createZone = (records) => {
      createZone(records);
      return unknown("No answer");
    };
    await expect(delivered(harness)).resolves.toEqual({ warning: undefined, records: 2 });
    expect(harness.calls).toEqual(["create-zone", "inquire-zone"]);
  });

  it("that a change of the customer has created meanwhile is not created, nor if it is no longer needed", async () => {
    for (const event of [events.ZoneCreated, events.NameserversChanged]) {
      const harness = await DeliveryHarness.registered();
      await harness.write(event);
      await delivered(harness);
      expect(harness.calls).toEqual([]);
    }
  });

  it("is for staff after two days", async () => {
    const harness = await DeliveryHarness.registered();
    harness.createZone = () => refused("rejected", "Policy");
    const { limit, longestMs } = deliverySchedules.zone;
    const delivery = await harness.start({ intervalMs: longestMs / 4 });
    await delivery.bringAbout(name, context);
    for (let attempt = 0; attempt < limit && (await harness.types()).length < 2; attempt += 1)
      await harness.clock.sleep(2 * longestMs);
    expect(harness.calls.filter((call) => call === "create-zone")).toHaveLength(limit);
    expect((await harness.events()).map(({ event }) => event)).toMatchObject([
      { type: "ZoneCreationFailed" },
      {
        type: "DomainDeliverySuspended",
        data: { registrationId: "r-1", accountId: 7, reason: "The zone could not be created: Policy" },
      },
    ]);
  });
});

describe("the customer's own nameservers", () => {
  it("are set at the registrar instead of a zone", async () => {
    const harness = await DeliveryHarness.registered(customNameservers);
    await expect(delivered(harness)).resolves.toEqual({ warning: undefined, records: 0 });
    expect(harness.nameservers).toEqual(customNameservers);
    expect(harness.calls).toEqual(["delegate"]);
    await expect(harness.events()).resolves.toMatchObject([
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
    const harness = await DeliveryHarness.registered(customNameservers);
    harness.updateNameservers = () => outcome;
    await expect(delivered(harness)).resolves.toEqual({ warning: "Policy", records: 2 });
    expect(harness.nameservers).toEqual(serviceNameservers);
    await expect(harness.events()).resolves.toMatchObject([
      { event: { type: "NameserversRefused", data: { requested: customNameservers, reason: "Policy" } } },
      { event: { type: "ZoneCreated" } },
    ]);
  });

  it("without an answer are settled if the registrar has them, in any order", async () => {
    const harness = await DeliveryHarness.registered(customNameservers);
    harness.updateNameservers = (nameservers) => {
      harness.nameservers = nameservers.toReversed();
      return unknown("No answer");
    };
    await expect(delivered(harness)).resolves.toEqual({ warning: undefined, records: 0 });
    await expect(harness.types()).resolves.toEqual(["NameserversChanged"]);
  });

  it.each<[string, DeliveryHarness["inquire"] | undefined]>([
    ["other nameservers", undefined],
    ["nothing", () => done({ held: false })],
    ["no answer either", () => unknown("Still no answer")],
    ["a refusal", () => refused("unreachable", "No route")],
  ])("without an answer, with %s: tried three times in all; then staff get a ticket", async (_, inquire) => {
    const harness = await DeliveryHarness.registered(customNameservers);
    harness.updateNameservers = () => unknown("No answer");
    if (inquire !== undefined) harness.inquire = inquire;
    const warning = "The registrar does not tell whether it took the nameservers: No answer";
    await expect(delivered(harness)).resolves.toEqual({ warning, records: 0 });
    expect(harness.calls).toEqual(["delegate", "inquire", "delegate", "inquire", "delegate", "inquire"]);
    await expect(harness.types()).resolves.toEqual(["DomainDeliverySuspended"]);
  });

  it.each([
    ["several lines", "2400\r\nCommand failed\n", "2400 Command failed"],
    ["nothing", "", "No reason was given"],
    ["far too much", "x".repeat(5_000), "x".repeat(500)],
  ])("refused with %s: the reason is one line that every event can store", async (_, message, line) => {
    const harness = await DeliveryHarness.registered(customNameservers);
    harness.updateNameservers = () => refused("rejected", message);
    await expect(delivered(harness)).resolves.toMatchObject({ warning: line });
  });
});

describe("a delivery that waits for staff", () => {
  async function suspended() {
    const harness = await DeliveryHarness.registered(customNameservers);
    const { updateNameservers } = harness;
    harness.updateNameservers = () => unknown("No answer");
    await delivered(harness);
    return {
      harness,
      delivery: await harness.start(),
      heal: () => Object.assign(harness, { updateNameservers }),
    };
  }
  const staff = { correlationId: "correlation-2", actor: "staff:ada" };

  it("is not tried again automatically, whoever asks", async () => {
    const { harness, delivery } = await suspended();
    const asked = harness.calls.length;
    await delivery.bringAbout(name, context);
    await harness.clock.sleep(60_000);
    expect(harness.calls).toHaveLength(asked);
  });

  it("continues after a retry by staff", async () => {
    const { harness, delivery, heal } = await suspended();
    heal();
    await expect(delivery.interrupt(name, { type: "retried" }, staff)).resolves.toBeUndefined();
    await untilEvents(harness, ["DomainDeliverySuspended", "DomainDeliveryResumed", "NameserversChanged"]);
    await expect(delivery.interrupt(name, { type: "retried" }, staff)).resolves.toMatchObject({
      code: "run-not-parked",
    });
  });

  it("may wait again, and ends when staff abandon it", async () => {
    const { harness, delivery } = await suspended();
    await delivery.interrupt(name, { type: "retried" }, staff);
    await untilEvents(harness, [
      "DomainDeliverySuspended",
      "DomainDeliveryResumed",
      "DomainDeliverySuspended",
    ]);
    await delivery.interrupt(name, { type: "abandoned", reason: "The customer called" }, staff);
    await harness.clock.sleep(60_000);
    await expect(harness.types()).resolves.toEqual([
      "DomainDeliverySuspended",
      "DomainDeliveryResumed",
      "DomainDeliverySuspended",
      "DomainDeliveryAbandoned",
    ]);
    await expect(delivery.bringAbout(name, context).then(reported)).resolves.toEqual({
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
  ])("%s: the next process ends it", async (_, nameservers, answer, types) => {
    for (let step = 0, isOver = false; !isOver; step += 1) {
      const harness = await DeliveryHarness.registered(nameservers);
      if (answer !== undefined) harness.updateNameservers = () => answer;
      let left = step;
      harness.step = () => {
        left -= 1;
        if (left < 0) throw new Error("the process is dead");
      };
      const first = await harness.start({ rounds: false });
      void first.bringAbout(name, context).catch(() => undefined);
      await harness.clock.sleep(200);
      isOver = left >= 0;
      await first.stop();
      harness.step = () => undefined;
      const next = await harness.start();
      await untilEvents(harness, types);
      await next.stop();
      const actors = (await harness.events()).map(({ actor }) => actor);
      expect(new Set(actors)).toEqual(new Set(["account:7"]));
    }
  });
});

describe("among several processes", () => {
  it("one delivers, and a request at another waits for its events", async () => {
    const leases = createLocalLeases();
    const harness = await DeliveryHarness.registered(customNameservers);
    const { updateNameservers } = harness;
    let asked = 0;
    harness.updateNameservers = (nameservers) => {
      asked += 1;
      return asked === 1 ? unknown("No answer") : updateNameservers(nameservers);
    };
    const one = (await harness.start({ leases })).bringAbout(name, context);
    const other = (await harness.start({ leases })).bringAbout(name, context);
    await expect(Promise.all([one, other]).then((domains) => domains.map(reported))).resolves.toEqual([
      { warning: undefined, records: 0 },
      { warning: undefined, records: 0 },
    ]);
    expect(asked).toBe(2);
    await expect(harness.types()).resolves.toEqual(["NameserversChanged"]);
  });
});
