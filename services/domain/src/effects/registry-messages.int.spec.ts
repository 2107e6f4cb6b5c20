import { openSandbox, unknown, type Registrar, type RegistryMessage } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { manualClock, realTiming, systemClock } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import {
  eventually,
  ofTest,
  openDomainService,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

/** A registry with a poll queue; the test defines its domains and messages. */
class ScriptedRegistry {
  readonly queue: RegistryMessage[] = [];
  /** Names that it lost, and days until which it holds others. */
  readonly lost = new Set<string>();
  readonly until = new Map<string, string>();
  /** Number of acknowledgements that the registry will ignore. */
  deafFor = 0;
  isSilent = false;
  /** Orders that the registry does not answer, nor reports on before the test says so. */
  readonly unanswered = new Set<string>();
  inquiries = 0;

  /** Puts a message into the queue. */
  say(about: RegistryMessage["about"], name?: string): void {
    const id = String(this.queue.length + 1_000);
    this.queue.push({ registrar: "Registry", id, about, name, words: `About ${name ?? "nothing"}.` });
  }

  readonly wrap = (registrar: Registrar): Registrar => ({
    ...plainRegistrar(registrar),
    register: async (order) => {
      const answer = await registrar.register(order);
      return this.unanswered.has(order.name) ? unknown("No answer.") : answer;
    },
    inquire: async (name) => {
      this.inquiries += 1;
      if (this.isSilent || this.unanswered.has(name)) return unknown("No answer.");
      if (this.lost.has(name)) return { outcome: "done", value: { held: false } };
      const answer = await registrar.inquire(name);
      const expiresAt = this.until.get(name);
      if (answer.outcome !== "done" || !answer.value.held || expiresAt === undefined) return answer;
      return { outcome: "done", value: { held: true, domain: { ...answer.value.domain, expiresAt } } };
    },
    messages: () =>
      Promise.resolve(
        this.isSilent ? unknown("No answer.") : ({ outcome: "done", value: this.queue.slice(0, 1) } as const),
      ),
    acknowledge: ({ id }) => {
      if (this.deafFor > 0) {
        this.deafFor -= 1;
        return Promise.resolve(unknown("No answer."));
      }
      const index = this.queue.findIndex((message) => message.id === id);
      if (index >= 0) this.queue.splice(index, 1);
      return Promise.resolve({ outcome: "done", value: undefined });
    },
  });
}

/** The service with these names registered, at a registry that says things unasked. */
async function listening(names: readonly string[] = [], options: DomainServiceFixtureOptions = {}) {
  const outside = new ScriptedRegistry();
  const service = ofTest(await openDomainService({ registrar: outside.wrap, ...options }));
  const { domains } = service.customer();
  for (const domain of names) await domains.registerDomain({ domain });
  await service.settled();
  return { outside, service, domains };
}

/** Returns the stored types and data of some streams' events, in the order of the log. */
async function eventsOf(
  service: DomainServiceFixture,
  ...streamPrefixes: string[]
): Promise<readonly string[]> {
  const storedEvents: string[] = [];
  for await (const { events, caughtUp } of service.store.subscribe({ from: "start", streamPrefixes })) {
    storedEvents.push(...events.map(({ type, data }) => `${type} ${data}`));
    if (caughtUp) break;
  }
  return storedEvents;
}

async function typesOf(service: DomainServiceFixture, name: string): Promise<readonly string[]> {
  const events = await eventsOf(service, `domain-${name}`);
  return events.map((event) => event.slice(0, event.indexOf(".")));
}

const received = (service: DomainServiceFixture) => eventsOf(service, "registrymessage-");
const tickets = async (service: DomainServiceFixture) =>
  (await eventsOf(service, "ticketcause-")).map((event) => /"title":"((?:[^"\\]|\\.)*)"/.exec(event)?.[1]);

describe("what the registry says unasked", () => {
  it("ends a name that another registrar holds now: it is in no list, and can be registered again", async () => {
    const { outside, service, domains } = await listening(["left.com", "kept.com"]);
    outside.lost.add("left.com");
    outside.say("transfer-requested", "left.com");
    outside.say("transferred-away", "left.com");
    outside.say("transfer-kept", "kept.com");
    expect(await service.runMessageRound()).toEqual({ acknowledged: 3, left: 0 });
    expect(await received(service)).toHaveLength(3);
    expect((await typesOf(service, "left.com")).at(-1)).toBe("DomainTransferredAway");
    expect((await typesOf(service, "kept.com")).at(-1)).toBe("ZoneCreated");
    await service.settled();
    expect((await domains.listDomains({})).domains.map(({ domainName }) => domainName)).toEqual(["kept.com"]);
    expect(await tickets(service)).toEqual([]);
    expect((await refusalOf(domains.renewDomain({ domainId: 1n, years: 1 }))).code).toBe("not-found");
  });

  it("does not end the life of a name that the registrar still holds: the message is old", async () => {
    const { outside, service } = await listening(["back.com"]);
    outside.say("transferred-away", "back.com");
    expect(await service.runMessageRound()).toEqual({ acknowledged: 1, left: 0 });
    expect((await typesOf(service, "back.com")).at(-1)).toBe("ZoneCreated");
  });

  it("moves our expiry date to a later one, and opens a staff ticket about an earlier one", async () => {
    const { outside, service } = await listening(["longer.com", "shorter.com"]);
    const year = new Date().getUTCFullYear();
    outside.until.set("longer.com", `${String(year + 3)}-06-01T10:00:00.000000Z`);
    outside.until.set("shorter.com", `${String(year)}-01-01T10:00:00.000000Z`);
    outside.say("name", "longer.com");
    outside.say("name", "shorter.com");
    expect(await service.runMessageRound()).toEqual({ acknowledged: 2, left: 0 });
    expect((await typesOf(service, "longer.com")).at(-1)).toBe("DomainExpiryFollowed");
    expect((await typesOf(service, "shorter.com")).at(-1)).toBe("ZoneCreated");
    expect(await tickets(service)).toEqual(["Books and provider differ: domain-expiry shorter.com"]);
  });

  it.each([
    ["that its customer lets go: it expires, and gets no year as a present", false, "DomainExpired", 0],
    ["that is to be renewed: its customer pays the year", true, "DomainRenewed", 1],
  ])("has a renewal at the moment of expiry wait for a name %s", async (_, autoRenew, last, renewed) => {
    const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
    const { outside, service, domains } = await listening([], { clock });
    const { domain } = await domains.registerDomain({ domain: "over.com", autoRenew });
    await service.settled();
    clock.advance(Date.parse(domain?.expiryDate ?? "") - clock.epochMilliseconds());
    outside.until.set("over.com", "2028-03-01T10:00:00.000000Z");
    outside.say("name", "over.com");
    expect(await service.runMessageRound()).toEqual({ acknowledged: 0, left: 1 });
    expect((await typesOf(service, "over.com")).at(-1)).toBe("ZoneCreated");
    expect(await service.runDueWork()).toMatchObject({ renewed, expired: 1 - renewed });
    expect(await service.runMessageRound()).toEqual({ acknowledged: 1, left: 0 });
    expect((await typesOf(service, "over.com")).at(-1)).toBe(last);
  });

  it("is one event, and one consequence, when the acknowledgement's answer is lost, or the process dies before it", async () => {
    const { outside, service } = await listening(["left.com"]);
    outside.lost.add("left.com");
    outside.say("transferred-away", "left.com");
    outside.deafFor = 1;
    expect(await service.runMessageRound()).toEqual({ acknowledged: 0, left: 1 });
    const again = ofTest(await service.restart({ registrar: outside.wrap }));
    await eventually(() => {
      expect(outside.queue).toEqual([]);
    });
    expect(await received(again)).toHaveLength(1);
    const types = await typesOf(again, "left.com");
    expect(types.filter((type) => type === "DomainTransferredAway")).toHaveLength(1);
  });

  it("is one event when two processes read the queue at once, and when a registry repeats it under another id", async () => {
    const { outside, service } = await listening(["left.com"]);
    outside.lost.add("left.com");
    outside.say("transferred-away", "left.com");
    outside.say("transferred-away", "left.com");
    await Promise.all([service.runMessageRound(), service.runMessageRound()]);
    expect(outside.queue).toEqual([]);
    expect(await received(service)).toHaveLength(2);
    const types = await typesOf(service, "left.com");
    expect(types.filter((type) => type === "DomainTransferredAway")).toHaveLength(1);
  });

  it("lets the waiting run end at once", async () => {
    const { outside, service, domains } = await listening();
    outside.unanswered.add("pending.com");
    const refusal = await refusalOf(domains.registerDomain({ domain: "pending.com" }));
    expect(refusal.code).toBe("registrar-failed");
    outside.say("order", "pending.com");
    const inquiries = outside.inquiries;
    outside.unanswered.delete("pending.com");
    expect(await service.runMessageRound()).toEqual({ acknowledged: 1, left: 0 });
    await eventually(() => {
      expect(outside.inquiries).toBeGreaterThan(inquiries);
    });
    await service.settled();
    expect((await typesOf(service, "pending.com")).at(-1)).toBe("RegistrationReleased");
  });
});

describe("what cannot be dealt with", () => {
  it("is shown to staff once and blocks nothing: unknown messages, and names without an owner", async () => {
    const { outside, service } = await listening(["kept.com"]);
    outside.say("other");
    outside.say("other");
    outside.say("name", "-- no name --");
    outside.say("name", "stranger.com");
    outside.say("transferred-away", "stranger.com");
    outside.say("transfer-kept", "kept.com");
    expect(await service.runMessageRound()).toEqual({ acknowledged: 6, left: 0 });
    expect(await tickets(service)).toEqual([
      "A message of the registry behind Registry needs a person",
      "The registry speaks of stranger.com, which is not in our books",
    ]);
    expect(await received(service)).toHaveLength(6);
    expect(service.parked()).toEqual([]);
  });

  it("is left in the queue while the registrar does not answer, and is staff's after five rounds", async () => {
    const { outside, service } = await listening(["left.com"]);
    outside.say("transferred-away", "left.com");
    outside.unanswered.add("left.com");
    for (let round = 1; round < 5; round += 1)
      expect(await service.runMessageRound()).toEqual({ acknowledged: 0, left: 1 });
    expect(await tickets(service)).toEqual([]);
    expect(await service.runMessageRound()).toEqual({ acknowledged: 1, left: 0 });
    expect(await tickets(service)).toEqual(["The registry's message about left.com could not be processed"]);
  });

  it("is a queue that cannot be read: staff get one ticket, and it is read when it works again", async () => {
    const { outside, service } = await listening(["kept.com"]);
    outside.say("transfer-kept", "kept.com");
    outside.isSilent = true;
    for (let round = 0; round < 12; round += 1) await service.runMessageRound();
    expect(await tickets(service)).toEqual(["The messages of the registry behind sandbox are not read"]);
    outside.isSilent = false;
    expect(await service.runMessageRound()).toEqual({ acknowledged: 1, left: 0 });
  });

  it("is two queues that cannot be read: staff get a ticket for each registrar", async () => {
    const sandbox = openSandbox({ path: ":memory:", clock: systemClock(), latencyMs: 0, limboMs: 0 });
    const second = new ScriptedRegistry();
    const other = { ...second.wrap(sandbox.registrar), name: "Registry two" };
    const { outside, service } = await listening([], { otherRegistrars: [other] });
    outside.isSilent = true;
    second.isSilent = true;
    for (let round = 0; round < 12; round += 1) await service.runMessageRound();
    expect((await tickets(service)).toSorted()).toEqual([
      "The messages of the registry behind Registry two are not read",
      "The messages of the registry behind sandbox are not read",
    ]);
    sandbox.close();
  });

  it("is never too much: 1,000 messages are dealt with in rounds of 500, each in its turn", async () => {
    const { outside, service } = await listening(["kept.com"]);
    for (let count = 0; count < 1_000; count += 1) outside.say("transfer-kept", "kept.com");
    // The ids of a queue that shrinks are given by its length: these were all given before the first was taken off.
    expect(new Set(outside.queue.map(({ id }) => id)).size).toBe(1_000);
    expect(await service.runMessageRound()).toEqual({ acknowledged: 500, left: 0 });
    expect(await service.runMessageRound()).toEqual({ acknowledged: 500, left: 0 });
    expect(await service.runMessageRound()).toEqual({ acknowledged: 0, left: 0 });
    expect(await received(service)).toHaveLength(1_000);
  });
});
