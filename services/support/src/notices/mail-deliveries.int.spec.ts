import { domainExamples } from "@hostledger/core/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { eventually } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import {
  accountOpened,
  openHarness,
  profileChanged,
  type Harness,
  type SupportInstance,
} from "../support-service.fixture.ts";
import { mailThrough } from "./mail-options.fixture.ts";
import { startMailServer, type MailServer } from "./mail-server.fixture.ts";
import { startReceiver } from "./receiver.fixture.ts";

const owner = 7;
const stranger = 8;
const mailKinds = { kinds: ["domain.registered"] };

let harness: Harness;
let server: MailServer;
let instance: SupportInstance;

beforeEach(async () => {
  [harness, server] = await Promise.all([openHarness(), startMailServer()]);
  const mail = mailThrough({ url: server.url, from: "hosting@example.com" });
  instance = await harness.start(undefined, { mail, webhookAllow: ["127.0.0.0/8"] });
  for (const account of [owner, stranger])
    await harness.record(
      `account-${String(account)}`,
      accountOpened(account, "Ada"),
      profileChanged(account, 1, `customer-${String(account)}@example.org`),
    );
});

function register(domainId: number, name: string, accountId = owner): Promise<void> {
  const { type, data } = domainExamples.samples.DomainRegistered;
  return harness.record(`domain-${name}`, { type, data: { ...data, domainId, accountId, name } });
}

const listed = async (accountId = owner) => (await instance.as(accountId).listMailDeliveries({})).deliveries;

/** Waits until the owner's mail is that. */
const untilListed = (...expected: readonly object[]) =>
  eventually(harness.clock, async () => {
    expect(await listed()).toMatchObject(expected);
  });

const delivered = { kind: "domain.registered", status: "delivered", attempts: 1, responseStatus: 250 };
const refused = {
  ...delivered,
  status: "failed",
  responseStatus: 550,
  error: expect.stringContaining("550"),
};

describe("mail to a customer", () => {
  it("is listed with its outcome, a page at a time", async () => {
    server.answer((attempt) => (attempt === 1 ? 550 : undefined));
    await register(1, "first.com");
    await untilListed(refused);
    await register(2, "second.com");
    await untilListed(refused, delivered);
    const [first, second] = await listed();
    expect(second?.noticeId).toBe(server.taken[0]?.mail.messageId?.slice(1).split(".")[0]);
    const page = { afterId: first?.deliveryId ?? 0n, limit: 10 };
    const behind = await instance.as(owner).listMailDeliveries({ page });
    expect(behind.deliveries.map(({ deliveryId }) => deliveryId)).toEqual([second?.deliveryId]);
    expect(await listed(stranger)).toEqual([]);
  });

  it("is not sent if the profile has no address, and nothing fails", async () => {
    await harness.record(`account-${String(stranger)}`, profileChanged(stranger, 2, ""));
    await register(1, "unwritten.com", stranger);
    await register(2, "written.com");
    await untilListed(delivered);
    expect(await listed(stranger)).toEqual([]);
    await harness.record(`account-${String(stranger)}`, profileChanged(stranger, 3, "new@example.org"));
    await register(3, "third.com", stranger);
    await eventually(harness.clock, async () => {
      expect(await listed(stranger)).toMatchObject([delivered]);
    });
    expect(server.taken.map(({ to }) => to)).toEqual([["customer-7@example.org"], ["new@example.org"]]);
  });

  it("is sent again on request, to the profile's present address", async () => {
    server.answer((attempt) => (attempt === 1 ? 550 : undefined));
    await register(1, "first.com");
    await untilListed(refused);
    await harness.record("account-7", profileChanged(owner, 2, "new@example.org"));
    const [{ deliveryId } = { deliveryId: 0n }] = await listed();
    await instance.as(owner).resendMailDelivery({ deliveryId });
    await untilListed(delivered);
    await instance.as(owner).resendMailDelivery({ deliveryId });
    await eventually(harness.clock, () => {
      expect(server.attempts).toEqual(["customer-7@example.org", "new@example.org", "new@example.org"]);
    });
    expect(new Set(server.taken.map(({ mail }) => mail.messageId)).size).toBe(1);
  });

  it("can be sent again only by its account, and only if it is mail", async () => {
    const receiver = await startReceiver();
    await register(1, "first.com");
    await untilListed(delivered);
    const [{ deliveryId } = { deliveryId: 0n }] = await listed();
    const { webhook } = await instance.as(owner).createWebhook({ url: receiver.url, ...mailKinds });
    await register(2, "second.com");
    const webhookId = webhook?.webhookId ?? 0n;
    const hooked = await eventually(harness.clock, async () => {
      const [one] = (await instance.as(owner).listWebhookDeliveries({ webhookId })).deliveries;
      if (one?.status !== "delivered") throw new Error("it is on its way");
      return one;
    });
    for (const [account, id, code] of [
      [stranger, deliveryId, "unauthorized"],
      [owner, hooked.deliveryId, "not-found"],
      [owner, 999_999_999n, "not-found"],
      [owner, 0n, "not-found"],
      [owner, -1n, "not-found"],
    ] as const) {
      const again = instance.as(account).resendMailDelivery({ deliveryId: id });
      expect(await refusalOf(again)).toMatchObject({ code });
    }
    await untilListed(delivered, delivered);
    expect(server.attempts).toHaveLength(2);
  });
});

describe("staff", () => {
  it("see everything that was sent to a customer, and send it again", async () => {
    const receiver = await startReceiver();
    await instance.as(owner).createWebhook({ url: receiver.url, ...mailKinds });
    await register(1, "first.com");
    await register(2, "others.com", stranger);
    const ofOwner = async () =>
      (await instance.staff().listNoticeDeliveries({ accountId: BigInt(owner) })).deliveries;
    await eventually(harness.clock, async () => {
      const all = await ofOwner();
      expect(all.map(({ receiver: to }) => to).toSorted()).toEqual([
        "mail",
        expect.stringMatching(/^webhook-\d+$/),
      ]);
      expect(all.map(({ delivery }) => delivery?.status)).toEqual(["delivered", "delivered"]);
    });
    const received = receiver.received.length;
    for (const { delivery } of await ofOwner())
      await instance.staff().resendNoticeDelivery({ deliveryId: delivery?.deliveryId ?? 0n });
    await eventually(harness.clock, () => {
      expect(server.attempts.filter((address) => address.startsWith("customer-7"))).toHaveLength(2);
      expect(receiver.received).toHaveLength(received + 1);
    });
  });

  it("get an error for a missing account or delivery", async () => {
    const staff = instance.staff();
    for (const call of [
      () => staff.listNoticeDeliveries({ accountId: 99n }),
      () => staff.listNoticeDeliveries({ accountId: 0n }),
      () => staff.resendNoticeDelivery({ deliveryId: 999_999n }),
      () => staff.resendNoticeDelivery({ deliveryId: -1n }),
    ])
      expect(await refusalOf(call())).toMatchObject({ code: "not-found" });
  });
});
