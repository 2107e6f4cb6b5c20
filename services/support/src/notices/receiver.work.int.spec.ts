import { domainExamples } from "@hostledger/core/testing";
import { eventually } from "@hostledger/runtime/testing";
import { beforeEach, expect, it, onTestFinished } from "vitest";

import {
  accountOpened,
  openHarness,
  type Harness,
  type SupportInstance,
} from "../support-service.fixture.ts";
import { bodyOf, startReceiver, type Receiver } from "./receiver.fixture.ts";

const webhookAllow = ["127.0.0.0/8"];
const kinds = ["domain.registered"];

let harness: Harness;
let receiver: Receiver;

beforeEach(async () => {
  [harness, receiver] = await Promise.all([openHarness(), startReceiver()]);
});

function register(domainId: number, accountId: number): Promise<void> {
  const { type, data } = domainExamples.samples.DomainRegistered;
  const name = `example-${String(domainId)}.com`;
  return harness.record(`domain-${name}`, { type, data: { ...data, domainId, accountId, name } });
}

async function create(instance: SupportInstance, accountId: number, url: string): Promise<bigint> {
  const { webhook } = await instance.as(accountId).createWebhook({ url, kinds });
  return webhook?.webhookId ?? 0n;
}

const namesAt = ({ received }: Receiver) => received.map((one) => bodyOf(one).data.domain_name);

// A hundred hanging webhooks of one account had all places, and another account's notice waited for ten seconds.
it("sends to another account's webhook while a hundred webhooks of one account hang", async () => {
  const instance = await harness.start(undefined, { webhookAllow });
  const other = await startReceiver();
  const hanging: (() => void)[] = [];
  onTestFinished(() => {
    for (const answer of hanging) answer();
  });
  receiver.answer((response) => {
    hanging.push(() => response.end());
  });
  for (let count = 0; count < 100; count += 1) await create(instance, 7, receiver.url);
  await create(instance, 8, other.url);
  await harness.record("account-7", accountOpened(7, "Ada"));
  await register(1, 7);
  await eventually(harness.clock, () => {
    expect(hanging.length).toBeGreaterThan(0);
  });
  const registeredAtMs = harness.clock.monotonicMilliseconds();
  await register(2, 8);
  await eventually(harness.clock, () => {
    expect(namesAt(other)).toEqual(["example-2.com"]);
  });
  // A round per second finds the work, even while other receivers hang.
  expect(harness.clock.monotonicMilliseconds() - registeredAtMs).toBeLessThan(3_000);
  const statuses = (await instance.staff().listNoticeDeliveries({ accountId: 7n, page: { limit: 100 } }))
    .deliveries;
  expect(statuses).toHaveLength(100);
  // Not one has been given up or answered yet: all of them hang or wait for their turn.
  expect(statuses).toMatchObject(statuses.map(() => ({ delivery: { status: "pending", attempts: 0 } })));
});

it("leaves a receiver alone for the requested time, its other notices too, also after a restart", async () => {
  const location = await harness.newReadModels();
  const first = await harness.start(undefined, { webhookAllow, readModels: location });
  const webhookId = await create(first, 7, receiver.url);
  receiver.answer((response) => response.writeHead(429, { "retry-after": "3600" }).end());
  await register(1, 7);
  await eventually(harness.clock, async () => {
    const { deliveries } = await first.as(7).listWebhookDeliveries({ webhookId });
    expect(deliveries).toMatchObject([{ status: "pending", attempts: 1 }]);
  });
  await first.service.close();
  const second = await harness.start(undefined, { webhookAllow, readModels: location });
  receiver.answer((response) => response.end());
  const other = await startReceiver();
  await create(second, 8, other.url);
  await register(2, 7);
  harness.clock.advance(3_000_000);
  await register(3, 8);
  await eventually(harness.clock, () => {
    expect(namesAt(other)).toEqual(["example-3.com"]);
  });
  expect(namesAt(receiver)).toEqual(["example-1.com"]);
  harness.clock.advance(601_000);
  await eventually(harness.clock, () => {
    expect(namesAt(receiver).slice(1).toSorted()).toEqual(["example-1.com", "example-2.com"]);
  });
  await second.service.close();
});

it("sends at once to a new URL, whatever pause the earlier receiver requested", async () => {
  const instance = await harness.start(undefined, { webhookAllow });
  const webhookId = await create(instance, 7, receiver.url);
  receiver.answer((response) => response.writeHead(503, { "retry-after": "3600" }).end());
  await register(1, 7);
  await eventually(harness.clock, async () => {
    const { deliveries } = await instance.as(7).listWebhookDeliveries({ webhookId });
    expect(deliveries).toMatchObject([{ status: "pending", attempts: 1 }]);
  });
  const other = await startReceiver();
  await instance.as(7).changeWebhook({ webhookId, url: other.url });
  await eventually(harness.clock, () => {
    expect(namesAt(other)).toEqual(["example-1.com"]);
  });
});
