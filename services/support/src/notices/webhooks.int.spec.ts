import { createHmac } from "node:crypto";

import { Code, ConnectError } from "@connectrpc/connect";
import { domainExamples } from "@hostledger/core/testing";
import { eventually } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import {
  openHarness,
  renewalFailed,
  type Harness,
  type SupportInstance,
} from "../support-service.fixture.ts";
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

function expiresAt(days: number): string {
  return new Date(Date.parse("2026-03-01T10:00:00Z") + days * dayMs).toISOString().replace("Z", "000Z");
}

/** The owner registers a name that expires in so many days. */
function register(domainId: number, name: string, days = 365, accountId = owner): Promise<void> {
  const { type, data } = domainExamples.samples.DomainRegistered;
  const registered = { ...data, domainId, accountId, name, expiresAt: expiresAt(days) };
  return harness.record(`domain-${name}`, { type, data: registered });
}

/** The renewal of a name fails for want of balance. */
function fail(domainId: number, name: string, renewalId = "renewal-1"): Promise<void> {
  return harness.record(`domain-${name}`, renewalFailed(domainId, { name, renewalId }));
}

const kindsAt = ({ received }: Receiver): string[] =>
  received.map((one) => {
    const { type, data } = bodyOf(one);
    return `${type} ${String(data.domain_name ?? data.ticket_id)}`;
  });

/** Waits until the receiver has got these, in this order. */
const untilReceived = (expected: readonly string[], by = receiver) =>
  eventually(harness.clock, () => {
    expect(kindsAt(by)).toEqual(expected);
  });

const deliveriesOf = async (instance: SupportInstance, webhookId: bigint) =>
  (await instance.as(owner).listWebhookDeliveries({ webhookId })).deliveries.map(
    ({ kind, status, attempts }) => `${kind} ${status} ${String(attempts)}`,
  );

/**
 * Waits until an attempt's result is stored: the receiver gets the request earlier, and time must not advance in
 * between.
 */
const untilKept = (instance: SupportInstance, webhookId: bigint, expected: string) =>
  eventually(harness.clock, async () => {
    expect(await deliveriesOf(instance, webhookId)).toContain(expected);
  });

async function create(instance: SupportInstance, kinds: readonly string[] = [], url = receiver.url) {
  const { webhook, secret } = await instance.as(owner).createWebhook({ url, kinds: [...kinds] });
  return { webhookId: webhook?.webhookId ?? 0n, secret };
}

async function refusalOf(call: Promise<unknown>): Promise<[Code, string]> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { code, rawMessage } = ConnectError.from(error);
  return [code, rawMessage];
}

describe("a webhook", () => {
  it("gets the events that it asked for from its creation on, once, signed", async () => {
    const instance = await start();
    const other = await startReceiver();
    await register(1, "before.com");
    const { secret } = await create(instance);
    await create(instance, ["ticket.opened"], other.url);
    await register(2, "mine.com");
    await fail(2, "mine.com");
    await fail(2, "mine.com", "renewal-2");
    // Notices about the ticket do not wait for notices about the domain.
    await eventually(harness.clock, () => {
      const kinds = kindsAt(receiver);
      expect(kinds).toHaveLength(3);
      expect(kinds.filter((kind) => kind !== "ticket.opened 1")).toEqual([
        "domain.registered mine.com",
        "domain.renewal_failed mine.com",
      ]);
    });
    await untilReceived(["ticket.opened 1"], other);
    const first = receiver.received.find((one) => bodyOf(one).type === "domain.registered");
    if (first === undefined) throw new Error("nothing was received");
    const { headers, body } = first;
    expect(JSON.parse(body)).toEqual({
      type: "domain.registered",
      timestamp: expect.stringMatching(/^2026-03-01T10:00:00\.\d{6}Z$/),
      data: { domain_id: 2, domain_name: "mine.com", expiry_date: expiresAt(365) },
    });
    const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    expect(key).toHaveLength(32);
    expect(headers["webhook-signature"]).toBe(
      `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
    );
    expect(new Set(receiver.received.map((one) => one.headers["webhook-id"])).size).toBe(3);
  });

  it("gets notices about one resource in order, and about others meanwhile; its failures delay nobody else", async () => {
    const instance = await start();
    const other = await startReceiver();
    const { webhookId } = await create(instance, ["domain.registered", "domain.renewal_failed"]);
    await create(instance, ["domain.registered"], other.url);
    receiver.answer((response, one) => {
      response.writeHead(bodyOf(one).data.domain_name === "first.com" ? 500 : 200).end();
    });
    await register(1, "first.com");
    await untilReceived(["domain.registered first.com"]);
    await fail(1, "first.com");
    await register(2, "second.com");
    await untilReceived(["domain.registered first.com", "domain.registered second.com"], other);
    // After a failure the receiver gets one request at a time for a while.
    await untilKept(instance, webhookId, "domain.registered pending 1");
    harness.clock.advance(60_000);
    await eventually(harness.clock, () => {
      expect(kindsAt(receiver)).toContain("domain.registered second.com");
    });
    expect(kindsAt(receiver)).not.toContain("domain.renewal_failed first.com");
    // The second attempt is recorded first, so that the following day is the pause after it.
    await untilKept(instance, webhookId, "domain.registered pending 2");
    receiver.answer((response) => response.end());
    harness.clock.advance(dayMs);
    await eventually(harness.clock, async () => {
      expect(await deliveriesOf(instance, webhookId)).toEqual([
        expect.stringMatching(/^domain\.registered delivered /),
        "domain.renewal_failed delivered 1",
        "domain.registered delivered 1",
      ]);
    });
    const { deliveries } = await instance.as(owner).listWebhookDeliveries({ webhookId });
    await instance
      .as(owner)
      .resendWebhookDelivery({ webhookId, deliveryId: deliveries[2]?.deliveryId ?? 0n });
    const twice = kindsAt(receiver).filter((kind) => kind === "domain.registered second.com").length + 1;
    await eventually(harness.clock, () => {
      expect(kindsAt(receiver).filter((kind) => kind === "domain.registered second.com")).toHaveLength(twice);
    });
  });

  it("that accepts nothing for three days is disabled, with one ticket; one that is down for a day misses nothing", async () => {
    const instance = await start();
    const { webhookId } = await create(instance, ["domain.registered"]);
    receiver.answer((response) => response.writeHead(500).end());
    await register(1, "first.com");
    await untilKept(instance, webhookId, "domain.registered pending 1");
    harness.clock.advance(dayMs);
    await untilKept(instance, webhookId, "domain.registered pending 2");
    expect(kindsAt(receiver)).toEqual(["domain.registered first.com", "domain.registered first.com"]);
    harness.clock.advance(2 * dayMs);
    await eventually(harness.clock, async () => {
      expect(await deliveriesOf(instance, webhookId)).toEqual(["domain.registered failed 3"]);
      const { tickets } = await instance.as(owner).listTickets({});
      expect(tickets.map(({ title }) => title)).toEqual([`Webhook ${String(webhookId)} is disabled`]);
    });
    await register(2, "second.com");
    const { webhookId: next } = await create(instance, ["domain.registered"]);
    receiver.answer((response) => response.end());
    await register(3, "third.com");
    await eventually(harness.clock, async () => {
      expect(await deliveriesOf(instance, next)).toEqual(["domain.registered delivered 1"]);
    });
    expect(await deliveriesOf(instance, webhookId)).toEqual(["domain.registered failed 3"]);
    const { webhooks } = await instance.as(owner).listWebhooks({});
    expect(webhooks.map(({ disabledAt }) => disabledAt === undefined)).toEqual([false, true]);
  });

  it("that answers 410 is disabled at once, and nothing more is sent to it", async () => {
    const instance = await start();
    const { webhookId } = await create(instance, ["domain.registered"]);
    receiver.answer((response) => response.writeHead(410).end());
    await register(1, "first.com");
    await eventually(harness.clock, async () => {
      const { webhooks } = await instance.as(owner).listWebhooks({});
      expect(webhooks.map(({ disabledAt }) => disabledAt === undefined)).toEqual([false]);
      expect(await deliveriesOf(instance, webhookId)).toEqual(["domain.registered failed 1"]);
    });
    const sent = receiver.received.length;
    await register(2, "second.com");
    harness.clock.advance(dayMs);
    const { webhookId: next } = await create(instance, ["domain.registered"]);
    receiver.answer((response) => response.end());
    await register(3, "third.com");
    await eventually(harness.clock, async () => {
      expect(await deliveriesOf(instance, next)).toEqual(["domain.registered delivered 1"]);
    });
    expect(receiver.received).toHaveLength(sent + 1);
  });

  it("gets nothing after the person behind the account was erased", async () => {
    const instance = await start();
    await create(instance, ["domain.registered"]);
    receiver.answer((response) => response.writeHead(500).end());
    await register(1, "first.com");
    await untilReceived(["domain.registered first.com"]);
    await harness.record("account-7", {
      type: "PersonalDataErased",
      data: { accountId: owner, because: "asked", erasedAt: expiresAt(0) },
    });
    await register(2, "second.com");
    await register(3, "others.com", 365, 8);
    const other = await startReceiver();
    await instance.as(8).createWebhook({ url: other.url, kinds: [] });
    await register(4, "later.com", 365, 8);
    harness.clock.advance(dayMs);
    await untilReceived(["domain.registered later.com"], other);
    expect(kindsAt(receiver)).toEqual(["domain.registered first.com"]);
  });

  it("is notified 30, 7 and 1 days before a domain expires, and not again after a restart", async () => {
    const location = await harness.newReadModels();
    const first = await harness.start(undefined, { webhookAllow, readModels: location });
    const { webhookId } = await create(first, ["domain.expiring"]);
    await register(1, "soon.com", 31);
    const days = () => receiver.received.map((one) => bodyOf(one).data.notice_days);
    const untilDays = (expected: readonly number[]) =>
      eventually(harness.clock, () => {
        expect(days()).toEqual(expected);
      });
    harness.clock.advance(2 * dayMs);
    await untilDays([30]);
    await untilKept(first, webhookId, "domain.expiring delivered 1");
    await first.service.close();
    const second = await harness.start(undefined, { webhookAllow, readModels: location });
    harness.clock.advance(23 * dayMs);
    await untilDays([30, 7]);
    harness.clock.advance(5.5 * dayMs);
    await untilDays([30, 7, 1]);
    await second.service.close();
  });
});

describe("the webhooks of an account", () => {
  it("are accessible to their account only", async () => {
    const instance = await start();
    const { webhookId } = await create(instance);
    expect((await instance.as(8).listWebhooks({})).webhooks).toEqual([]);
    await eventually(harness.clock, async () => {
      expect(await refusalOf(instance.as(8).deleteWebhook({ webhookId }))).toEqual([
        Code.PermissionDenied,
        "This action is unauthorized.",
      ]);
    });
    expect((await refusalOf(instance.as(owner).deleteWebhook({ webhookId: 99n })))[0]).toBe(Code.NotFound);
    await instance.as(owner).deleteWebhook({ webhookId });
    expect((await refusalOf(instance.as(owner).rotateWebhookSecret({ webhookId })))[0]).toBe(Code.NotFound);
    const resend = instance.as(owner).resendWebhookDelivery({ webhookId, deliveryId: 1n });
    expect((await refusalOf(resend))[0]).toBe(Code.NotFound);
  });

  it("have a new secret after a rotation, and their secrets lie sealed in the log", async () => {
    const instance = await start();
    const { webhookId, secret } = await create(instance);
    const rotated = await instance.as(owner).rotateWebhookSecret({ webhookId });
    expect(rotated.secret).not.toBe(secret);
    const stored: string[] = [];
    for await (const { data } of harness.store.read(`webhook-${String(owner)}`)) stored.push(data);
    expect(stored).toHaveLength(2);
    expect(stored.join("\n")).not.toMatch(/whsec_|127\.0\.0\.1/);
  });

  it.each([
    "http://127.0.0.1:8081",
    "http://[::1]:8080",
    "http://10.0.0.1",
    "http://169.254.169.254/latest",
    "http://localhost:8080",
    "ftp://hooks.example",
    "https://user:secret@hooks.example",
    "nonsense",
    "",
  ])("do not go to %s, and nothing is written", async (url) => {
    const instance = await harness.start();
    const [code, message] = await refusalOf(instance.as(owner).createWebhook({ url, kinds: [] }));
    expect([code, message]).toEqual([Code.InvalidArgument, expect.stringMatching(/^The field url must /)]);
    expect(await harness.typesOf(`webhook-${String(owner)}`)).toEqual([]);
  });

  it("are a hundred at most, of known kinds", async () => {
    const instance = await start();
    const { webhookId } = await create(instance);
    for (let made = 1; made < 100; made += 1) await create(instance);
    expect((await refusalOf(create(instance)))[0]).toBe(Code.FailedPrecondition);
    await instance.as(owner).deleteWebhook({ webhookId });
    await create(instance);
    expect((await refusalOf(create(instance, ["nonsense"])))[0]).toBe(Code.InvalidArgument);
  });
});
