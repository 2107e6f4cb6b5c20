import { domainExamples, serverExamples } from "@hostledger/core/testing";
import { createCommandHandler, createIdSequence } from "@hostledger/store";
import { createLocalLeases } from "@hostledger/work/leases";
import { randomIds } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { beforeNotices } from "../reads/notice.queries.ts";
import { openHarness, type Harness, type SupportInstance } from "../support-service.fixture.ts";
import { progressIn } from "./notice-progress.fixture.ts";
import { bodyOf, startReceiver, type Receiver } from "./receiver.fixture.ts";

const owner = 7;
const dayMs = 86_400_000;
const webhookAllow = ["127.0.0.0/8"];

let harness: Harness;
let receiver: Receiver;

beforeEach(async () => {
  [harness, receiver] = await Promise.all([openHarness(), startReceiver()]);
});

const start = () => harness.start(undefined, { webhookAllow });

/** Returns the instant so many days after the harness's start. */
function inDays(days: number): string {
  return new Date(Date.parse("2026-03-01T10:00:00Z") + days * dayMs).toISOString().replace("Z", "000Z");
}

async function create(instance: SupportInstance, kinds: readonly string[]): Promise<bigint> {
  const { webhook } = await instance.as(owner).createWebhook({ url: receiver.url, kinds: [...kinds] });
  return webhook?.webhookId ?? 0n;
}

function register(domainId: number, name: string): Promise<void> {
  const { type, data } = domainExamples.samples.DomainRegistered;
  return harness.record(`domain-${name}`, { type, data: { ...data, domainId, accountId: owner, name } });
}

const deliveriesOf = async (instance: SupportInstance, webhookId: bigint) =>
  (await instance.as(owner).listWebhookDeliveries({ webhookId })).deliveries;

const untilNamed = (...expected: readonly string[]) =>
  eventually(harness.clock, () => {
    expect(receiver.received.map((one) => bodyOf(one).data.domain_name)).toEqual(expected);
  });

describe("what happened", () => {
  it("is notified in order, also by a process that notified before another one did", async () => {
    const leases = createLocalLeases();
    const instance = await harness.start(undefined, { webhookAllow, leases });
    const webhookId = await create(instance, ["domain.registered"]);
    await register(1, "first.com");
    // Taken, and known to be: an attempt that the loss interrupts is made once more.
    await eventually(harness.clock, async () => {
      expect(await deliveriesOf(instance, webhookId)).toMatchObject([{ status: "delivered" }]);
    });
    leases.lose();
    const anothers = createIdSequence({
      commands: createCommandHandler({ store: harness.store, recordedBy: "another process" }),
      name: "delivery",
      blockSize: 1,
      newCommandId: () => randomIds.uuid(),
    });
    const taken = await anothers.next();
    await register(2, "second.com");
    await untilNamed("first.com", "second.com");
    const deliveries = await deliveriesOf(instance, webhookId);
    expect(Number(deliveries[1]?.deliveryId)).toBeGreaterThan(taken);
  });

  it("is notified after a long downtime, too", async () => {
    const location = await harness.newReadModels();
    const first = await harness.start(undefined, { webhookAllow, readModels: location });
    const webhookId = await create(first, ["domain.registered"]);
    await register(1, "first.com");
    await eventually(harness.clock, async () => {
      expect(await deliveriesOf(first, webhookId)).toMatchObject([{ status: "delivered" }]);
    });
    await first.service.close();
    await register(2, "second.com");
    harness.clock.advance(100 * dayMs);
    const second = await harness.start(undefined, { webhookAllow, readModels: location });
    await untilNamed("first.com", "second.com");
    await second.service.close();
  });
});

describe("the first notice of an instance", () => {
  it("is sent after a long downtime, even if the process ended before the first check", async () => {
    const location = await harness.newReadModels();
    const first = await harness.start(undefined, { webhookAllow, readModels: location });
    await create(first, ["domain.registered"]);
    await eventually(harness.clock, async () => {
      expect(await progressIn(location)).toMatchObject(beforeNotices);
    });
    await first.service.close();
    await register(1, "first.com");
    harness.clock.advance(100 * dayMs);
    const second = await harness.start(undefined, { webhookAllow, readModels: location });
    await untilNamed("first.com");
    await second.service.close();
  });
});

describe("the end of a server", () => {
  const { ServerOrdered, ServerProvisioned } = serverExamples.samples;
  const record = (event: Parameters<Harness["record"]>[1]) => harness.record("server-5", event);
  const noticesTaken = () =>
    receiver.received.map((one) => `${bodyOf(one).type} ${String(bodyOf(one).data.notice_days)}`);
  const untilNoticed = (...expected: readonly string[]) =>
    eventually(harness.clock, () => {
      expect(noticesTaken()).toEqual(expected);
    });

  const noHold = { hold: false, publicReason: null, note: null } as const;

  /** A server of the owner's that is paid for ten days. */
  async function aServer(): Promise<void> {
    await create(await start(), ["server.expiring", "server.terminating"]);
    await record({ ...ServerOrdered, data: { ...ServerOrdered.data, accountId: owner } });
    const provisioned = { ...ServerProvisioned.data, accountId: owner, expiresAt: inDays(10) };
    await record({ type: "ServerProvisioned", data: provisioned });
    harness.clock.advance(4 * dayMs);
    await untilNoticed("server.expiring 7");
    harness.clock.advance(5.5 * dayMs);
    await untilNoticed("server.expiring 7", "server.expiring 1");
  }

  it("is announced 7 days and 1 day before its paid time is over, and before its later destruction", async () => {
    await aServer();
    const suspended = {
      serverId: 5,
      reason: "expired",
      ...noHold,
      suspendedAt: inDays(10),
    } as const;
    harness.clock.advance(dayMs);
    await record({ type: "ServerSuspended", data: suspended });
    harness.clock.advance(7 * dayMs);
    await untilNoticed("server.expiring 7", "server.expiring 1", "server.terminating 7");
    harness.clock.advance(6 * dayMs);
    await untilNoticed(
      "server.expiring 7",
      "server.expiring 1",
      "server.terminating 7",
      "server.terminating 1",
    );
    const [last] = receiver.received.slice(-1);
    expect(JSON.parse(last?.body ?? "")).toMatchObject({
      data: { server_id: 5, terminates_at: inDays(24), days_until_termination: 0 },
    });
  });

  it("is announced before its destruction, however late it was suspended", async () => {
    await aServer();
    harness.clock.advance(40.5 * dayMs);
    const data = { serverId: 5, reason: "expired", ...noHold, suspendedAt: inDays(50) } as const;
    await record({ type: "ServerSuspended", data });
    harness.clock.advance(7 * dayMs);
    await untilNoticed("server.expiring 7", "server.expiring 1", "server.terminating 7");
  });

  it("contains the public reason of a hold, and not the note", async () => {
    await create(await start(), ["server.suspended"]);
    await record({ ...ServerOrdered, data: { ...ServerOrdered.data, accountId: owner } });
    const hold = {
      serverId: 5,
      reason: "staff",
      hold: true,
      publicReason: "Spam",
      note: "Ticket 17",
    } as const;
    await record({ type: "ServerSuspended", data: { ...hold, suspendedAt: inDays(1) } });
    await untilNoticed("server.suspended undefined");
    expect(JSON.parse(receiver.received.at(-1)?.body ?? "")).toMatchObject({
      data: { server_id: 5, reason: "staff", held: true, hold_reason: "Spam" },
    });
    expect(receiver.received.at(-1)?.body).not.toContain("Ticket 17");
  });

  it("is not announced during a hold, and 7 days before its destruction after the release", async () => {
    await aServer();
    const hold = { serverId: 5, reason: "staff", hold: true, publicReason: "Spam", note: null } as const;
    await record({ type: "ServerSuspended", data: { ...hold, suspendedAt: inDays(9) } });
    harness.clock.advance(20 * dayMs);
    await record({ type: "ServerUnsuspended", data: { serverId: 5, unsuspendedAt: inDays(30) } });
    const data = { serverId: 5, reason: "expired", ...noHold, suspendedAt: inDays(30) } as const;
    await record({ type: "ServerSuspended", data });
    harness.clock.advance(8 * dayMs);
    await untilNoticed("server.expiring 7", "server.expiring 1", "server.terminating 7");
    const [last] = receiver.received.slice(-1);
    expect(JSON.parse(last?.body ?? "")).toMatchObject({ data: { terminates_at: inDays(44) } });
  });

  it("is not announced after it has begun, however long its machine stays", async () => {
    const instance = await start();
    const webhookId = await create(instance, ["server.expiring"]);
    for (const serverId of [5, 6]) {
      const data = { ...ServerProvisioned.data, serverId, accountId: owner, expiresAt: inDays(10) };
      await harness.record(`server-${String(serverId)}`, { type: "ServerProvisioned", data });
    }
    await record(serverExamples.samples.ServerTerminationBegun);
    harness.clock.advance(4 * dayMs);
    await eventually(harness.clock, async () => {
      expect(await deliveriesOf(instance, webhookId)).toMatchObject([{ status: "delivered" }]);
    });
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ data: { server_id: 6 } });
  });

  it("is not announced for a renewed server", async () => {
    await aServer();
    await record(serverExamples.renewed({ accountId: owner, expiresAt: inDays(40) }));
    harness.clock.advance(25 * dayMs);
    await untilNoticed("server.expiring 7", "server.expiring 1", "server.expiring 7");
  });
});
