import { Code } from "@connectrpc/connect";
import {
  createCommandHandler,
  EventStoreUnavailableError,
  requestStaffTicket,
  type EventStore,
} from "@hostledger/store";
import { monotonicMilliseconds } from "@hostledger/runtime";
import { beforeEach, describe, expect, it } from "vitest";

import type { SupportSubscriptionEvent } from "../reads/support.subscription.ts";
import {
  openHarness,
  portOf,
  renewalFailed,
  zoneFailed,
  type SupportInstance,
  type Harness,
} from "../support-service.fixture.ts";

const clockJumped: SupportSubscriptionEvent = {
  type: "ClockJumpNoticed",
  data: {
    jumpId: "j-1",
    direction: "behind",
    expectedAt: "2026-03-01T10:00:00.000000Z",
    clockAt: "2026-02-01T10:00:00.000000Z",
    expectedBy: "facts",
  },
};

const owner = 7;
let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});

/** The owner's tickets, once there are so many. */
async function ticketsOnce(instance: SupportInstance, count: number) {
  const read = async () => (await instance.as(owner).listTickets({})).tickets;
  await expect.poll(async () => (await read()).length, { timeout: 10_000 }).toBe(count);
  return read();
}

/** Waits for a few rounds of the worker. */
async function aWhile(instance: SupportInstance): Promise<void> {
  const marker = 1_000 + Math.trunc(monotonicMilliseconds());
  const before = (await instance.as(owner).listTickets({})).tickets.length;
  await harness.record(`domain-marker-${String(marker)}.com`, zoneFailed(marker, owner));
  await ticketsOnce(instance, before + 1);
}

describe("events that need a person", () => {
  it("a zone that was not created: an emergency, in words for the customer", async () => {
    const instance = await harness.start();
    await harness.record("domain-zone-12.com", zoneFailed(12, owner));
    const [ticket] = await ticketsOnce(instance, 1);
    expect(ticket).toMatchObject({
      priority: "emergency",
      status: "open",
      title: "The DNS zone of zone-12.com",
    });
    expect(ticket?.serverId).toBeUndefined();
    const { message } = await instance.as(owner).getTicket({ ticketId: ticket?.id ?? 0n });
    expect(message).not.toContain("a secret of ours");
  });

  it("a zone that the DNS server refuses: the reason, without our addresses", async () => {
    const instance = await harness.start();
    const reasons = [
      "The DNS server refuses it (422): policy",
      "The zone zone-13.com belongs to somebody else at the DNS server.",
      "No connection to 10.0.0.3:8081 could be made (ECONNREFUSED).",
    ];
    for (const [index, reason] of reasons.entries()) {
      const failed = zoneFailed(12 + index, owner);
      if (failed.type !== "ZoneCreationFailed") throw new Error("not a failed zone");
      await harness.record(`domain-zone-${String(12 + index)}.com`, {
        ...failed,
        data: { ...failed.data, reason },
      });
    }
    const tickets = await ticketsOnce(instance, 3);
    const messages: string[] = [];
    for (const { id } of tickets.toSorted((one, other) => Number(one.id - other.id)))
      messages.push((await instance.as(owner).getTicket({ ticketId: id })).message);
    expect(messages).toEqual([
      expect.stringContaining(reasons[0] ?? ""),
      expect.stringContaining(reasons[1] ?? ""),
      expect.stringContaining("could not be created yet. We try again"),
    ]);
    expect(messages.join("")).not.toContain("10.0.0.3");
  });

  it("an unpaid renewal: one ticket for each expiry date, although it fails every day", async () => {
    const instance = await harness.start();
    await harness.record("domain-unpaid.com", renewalFailed(3));
    const [ticket] = await ticketsOnce(instance, 1);
    expect(ticket).toMatchObject({ priority: "normal", title: "The renewal of unpaid.com is unpaid" });
    const { message } = await instance.as(owner).getTicket({ ticketId: ticket?.id ?? 0n });
    expect(message).toContain("14.28 EUR");
    for (let day = 0; day < 3; day += 1) await harness.record("domain-unpaid.com", renewalFailed(3));
    await aWhile(instance);
    await harness.record("domain-unpaid.com", renewalFailed(3, { expiresAt: "2027-03-08T10:00:00.000000Z" }));
    await ticketsOnce(instance, 3);
  });

  it("no ticket for a renewal that the customer requested, or that staff ended", async () => {
    const instance = await harness.start();
    await harness.record("domain-unpaid.com", renewalFailed(3, { automatic: false }));
    await harness.record("domain-unpaid.com", renewalFailed(3, { reason: "abandoned" }));
    await aWhile(instance);
    expect((await instance.as(owner).listTickets({})).tickets).toHaveLength(1);
  });

  it.each<[string, SupportSubscriptionEvent, SupportSubscriptionEvent]>(suspendedRuns())(
    "a parked run (%s): an emergency, without our insides",
    async (run, started, parked) => {
      const instance = await harness.start();
      await harness.record(run, started, parked);
      const [ticket] = await ticketsOnce(instance, 1);
      expect(ticket?.priority).toBe("emergency");
      const { message } = await instance.as(owner).getTicket({ ticketId: ticket?.id ?? 0n });
      expect(message).not.toContain("ECONNREFUSED");
    },
  );

  it("a run that is parked again after a retry: another ticket, and none after its end", async () => {
    const instance = await harness.start();
    const run = "serverrenewal-op-1";
    const [, started, parked] = suspendedRuns().find(([name]) => name === run) ?? [];
    if (started === undefined || parked === undefined) throw new Error("there is no such run");
    const at = "2026-03-01T10:00:00.000000Z";
    const resumed = { type: "ServerRenewalUnparked", data: { at } } as const;
    await harness.record(run, started, parked);
    const [first] = await ticketsOnce(instance, 1);
    await instance.as(owner).closeTicket({ ticketId: first?.id ?? 0n });
    await harness.record(run, resumed, parked);
    await ticketsOnce(instance, 2);
    // Twice in a row without staff is once.
    await aWhile(instance);
    expect((await instance.as(owner).listTickets({})).tickets).toHaveLength(3);
    const completed = { type: "ServerRenewalCompleted", data: { outcome: "refunded", at } } as const;
    await harness.record(run, resumed, parked, completed);
    await aWhile(instance);
    expect((await instance.as(owner).listTickets({})).tickets).toHaveLength(4);
  });

  it("a delivery that stops again after a retry: another ticket", async () => {
    const instance = await harness.start();
    const at = "2026-03-01T10:00:00.000000Z";
    const stopped: SupportSubscriptionEvent = {
      type: "DomainDeliverySuspended",
      data: {
        domainId: 12,
        accountId: owner,
        name: "stuck.com",
        registrationId: "registration-12",
        reason: "connect ECONNREFUSED 10.0.0.1:700",
        suspendedAt: at,
      },
    };
    const resumed = { type: "DomainDeliveryResumed", data: { domainId: 12, resumedAt: at } } as const;
    await harness.record("domain-stuck.com", stopped);
    const [first] = await ticketsOnce(instance, 1);
    await instance.as(owner).closeTicket({ ticketId: first?.id ?? 0n });
    await harness.record("domain-stuck.com", resumed, stopped);
    await ticketsOnce(instance, 2);
    // Twice in a row without staff is once, also for new read models.
    await harness.record("domain-stuck.com", stopped);
    await aWhile(instance);
    await instance.service.projector.rebuild();
    await instance.service.close();
    const second = await harness.start();
    await aWhile(second);
    expect((await second.as(owner).listTickets({})).tickets).toHaveLength(4);
    const abandoned = { domainId: 12, reason: "It is left as it is.", abandonedAt: at };
    await harness.record("domain-stuck.com", resumed, stopped, {
      type: "DomainDeliveryAbandoned",
      data: abandoned,
    });
    await aWhile(second);
    expect((await second.as(owner).listTickets({})).tickets).toHaveLength(5);
  });

  it("a clock that jumped: a ticket for staff, which no customer sees or changes", async () => {
    const instance = await harness.start();
    await harness.record("clock-all", clockJumped);
    const open = async () => (await instance.staff().listAllTickets({ openOnly: true })).tickets;
    await expect.poll(async () => (await open()).length, { timeout: 10_000 }).toBe(1);
    const [ticket] = await open();
    expect(ticket).toMatchObject({
      accountId: 0n,
      ticket: { id: 1n, title: "A clock is behind" },
    });
    expect((await instance.as(owner).listTickets({})).tickets).toEqual([]);
    const asOwner = instance.as(owner);
    for (const refused of [
      asOwner.getTicket({ ticketId: 1n }),
      asOwner.replyToTicket({ ticketId: 1n, message: "Mine?" }),
      asOwner.closeTicket({ ticketId: 1n }),
    ])
      await expect(refused).rejects.toMatchObject({ code: Code.PermissionDenied });
    await instance.staff().answerTicket({ ticketId: 1n, message: "It is of another program." });
    await instance.staff().closeTicketFor({ ticketId: 1n });
    expect(await instance.staff().showTicket({ ticketId: 1n })).toMatchObject({
      ticket: { ticket: { status: "closed" } },
      comments: [{ comment: "It is of another program.", staff: true }],
    });
  });

  it("a request of a part of the system to staff: one ticket, however often it is repeated", async () => {
    const instance = await harness.start();
    const commands = createCommandHandler({ store: harness.store, recordedBy: "spec" });
    const asked = {
      cause: "key-k7",
      title: "A key is missing",
      message: "Look.",
      priority: "emergency",
    } as const;
    for (let time = 0; time < 3; time += 1)
      await requestStaffTicket({ commands, clock: harness.clock }, asked, "spec");
    await aWhile(instance);
    expect((await instance.staff().listAllTickets({})).tickets).toMatchObject([
      { accountId: 0n, ticket: { title: "A key is missing", priority: "emergency" } },
      { accountId: BigInt(owner) },
    ]);
    expect(await harness.typesOf("ticketcause-key-k7")).toEqual([
      "StaffTicketRequested.v1",
      "TicketNumbered.v1",
    ]);
  });

  it("once each, despite restarts and rebuilds", async () => {
    const first = await harness.start();
    await harness.record("domain-zone-12.com", zoneFailed(12, owner));
    await harness.record("domain-unpaid.com", renewalFailed(3));
    await ticketsOnce(first, 2);
    await first.service.projector.rebuild();
    await harness.record("domain-unpaid.com", renewalFailed(3));
    await first.service.close();
    // A process with new read models sees all events as if for the first time.
    const second = await harness.start();
    await aWhile(second);
    expect((await second.as(owner).listTickets({})).tickets).toHaveLength(3);
  });

  it("events of the time when no process ran", async () => {
    await harness.record("domain-zone-12.com", zoneFailed(12, owner));
    await ticketsOnce(await harness.start(), 1);
  });

  it("one ticket when the store fails between its number and its opening", async () => {
    let failures = 2;
    const failing = (store: EventStore): EventStore => ({
      ...portOf(store),
      append(stream, expected, events) {
        if (stream.startsWith("ticket-") && failures > 0) {
          failures -= 1;
          return Promise.reject(new EventStoreUnavailableError("the connection broke"));
        }
        return store.append(stream, expected, events);
      },
    });
    const instance = await harness.start(failing);
    await harness.record("domain-zone-12.com", zoneFailed(12, owner));
    const [ticket] = await ticketsOnce(instance, 1);
    expect(ticket?.id).toBe(1n);
    expect(await harness.typesOf("ticketcause-zone-12")).toEqual(["TicketNumbered.v1"]);
  });
});

function suspendedRuns(): [string, SupportSubscriptionEvent, SupportSubscriptionEvent][] {
  const at = "2026-03-01T10:00:00.000000Z";
  const reason = "connect ECONNREFUSED 10.0.0.1:700";
  const plan = { planId: 1, planTitle: "Small", months: 1, monthGrossCents: "999" };
  return [
    [
      "registration-12",
      {
        type: "RegistrationStarted",
        data: {
          registrationId: "registration-12",
          domainId: 12,
          accountId: owner,
          name: "parked.com",
          years: 1,
          autoRenew: false,
          nameservers: null,
          yearNetCents: "1000",
          startedAt: at,
        },
      },
      { type: "RegistrationParked", data: { reason, at } },
    ],
    [
      "renewal-op-1",
      {
        type: "RenewalRunStarted",
        data: {
          renewalId: "renewal-op-1",
          domainId: 12,
          accountId: owner,
          name: "parked.com",
          years: 1,
          automatic: false,
          expiresAt: "2027-03-01T10:00:00.000000Z",
          yearNetCents: "1200",
          restoration: false,
          startedAt: at,
        },
      },
      { type: "RenewalParked", data: { reason, at } },
    ],
    [
      "serverorder-op-1",
      {
        type: "ServerOrderStarted",
        data: {
          orderId: "serverorder-op-1",
          serverId: 5,
          accountId: owner,
          planId: 1,
          planTitle: "Small",
          cores: 2,
          memoryGb: 4,
          storageGb: 80,
          regionId: 1,
          regionCode: "fra",
          distroId: 1,
          distro: "Debian 13",
          months: 1,
          whitelisted: false,
          sshKey: null,
          monthGrossCents: "999",
          grossCents: "999",
          startedAt: at,
        },
      },
      { type: "ServerOrderParked", data: { reason, at } },
    ],
    [
      "serverrenewal-op-1",
      {
        type: "ServerRenewalStarted",
        data: {
          renewalId: "serverrenewal-op-1",
          serverId: 5,
          accountId: owner,
          ...plan,
          discountPercent: 0,
          surchargePercent: 0,
          grossCents: "999",
          startedAt: at,
          hostname: null,
          period: null,
        },
      },
      { type: "ServerRenewalParked", data: { reason, at } },
    ],
  ];
}
