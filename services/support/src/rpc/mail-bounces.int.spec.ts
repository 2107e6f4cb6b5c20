import { domainExamples } from "@hostledger/core/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { eventually } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { mailThrough } from "../notices/mail-options.fixture.ts";
import { startMailServer, type MailServer } from "../notices/mail-server.fixture.ts";
import {
  accountOpened,
  openHarness,
  profileChanged,
  type Harness,
  type SupportInstance,
} from "../support-service.fixture.ts";

const owner = 7;
const email = "ada@example.org";

let harness: Harness;
let server: MailServer;
let instance: SupportInstance;
let domains = 0;

beforeEach(async () => {
  [harness, server] = await Promise.all([openHarness(), startMailServer()]);
  const settings = { url: server.url, from: "hosting@example.com", bounces: "bounces@example.com" };
  instance = await harness.start(undefined, { mail: mailThrough(settings) });
  await harness.record("account-7", accountOpened(owner, "Ada"), profileChanged(owner, 1, email));
});

/** Creates a notice for the account and waits for the result of its delivery. */
async function notified() {
  domains += 1;
  const { type, data } = domainExamples.samples.DomainRegistered;
  const name = `name-${String(domains)}.com`;
  await harness.record(`domain-${name}`, {
    type,
    data: { ...data, domainId: domains, accountId: owner, name },
  });
  return eventually(harness.clock, async () => {
    const { deliveries } = await instance
      .as(owner)
      .listMailDeliveries({ page: { afterId: last, limit: 10 } });
    const [delivery] = deliveries;
    if (delivery === undefined || delivery.status === "pending") throw new Error("it is on its way");
    last = delivery.deliveryId;
    return delivery;
  });
}
let last = 0n;
beforeEach(() => {
  last = 0n;
});

const stopOf = async () => (await instance.as(owner).getNoticeChoices({})).choices?.mailStopped;
const events = () => harness.typesOf("noticechoice-7");
const came = { recipient: email, status: "5.1.1" };

describe("mail that came back for good", () => {
  it("is listed as failed, and stops mail to that address", async () => {
    const { noticeId, deliveryId } = await notified();
    const since = harness.clock.now();
    for (const _again of [1, 2])
      expect(await instance.staff().recordMailBounce({ noticeId, ...came })).toMatchObject({
        accountId: BigInt(owner),
        deliveryId,
        stopped: true,
      });
    expect(await events()).toEqual(["MailBounced.v1"]);
    const [first] = (await instance.as(owner).listMailDeliveries({})).deliveries;
    expect(first).toMatchObject({ status: "failed", error: "it came back (5.1.1)" });
    expect(await stopOf()).toMatchObject({ since, status: "5.1.1" });
    expect(await notified()).toMatchObject({
      status: "failed",
      error: "the address is not written to: mail came back (5.1.1)",
    });
    expect(server.attempts).toEqual([email]);
  });

  it("does not stop mail to another address after a profile change", async () => {
    const { noticeId } = await notified();
    await instance.staff().recordMailBounce({ noticeId, recipient: "ADA@Example.org", status: "5.1.1" });
    await harness.record("account-7", profileChanged(owner, 2, email));
    expect(await notified()).toMatchObject({ status: "failed" });
    await harness.record("account-7", profileChanged(owner, 3, "new@example.org"));
    expect(await notified()).toMatchObject({ status: "delivered" });
    expect(await stopOf()).toBeUndefined();
    // The report concerns a mail to the earlier address.
    expect(await instance.staff().recordMailBounce({ noticeId, ...came })).toMatchObject({ stopped: false });
    expect(await notified()).toMatchObject({ status: "delivered" });
  });

  it.each([
    [
      "the customer, who chooses kinds",
      () => instance.as(owner).changeNoticeChoices({ mailKinds: { all: true } }),
    ],
    ["staff", () => instance.staff().resumeMail({ accountId: BigInt(owner) })],
  ])("is removed when %s requests mail again", async (_who, ask) => {
    const { noticeId } = await notified();
    await instance.staff().recordMailBounce({ noticeId, ...came });
    for (const _again of [1, 2]) await ask();
    expect(await events()).toEqual(["MailBounced.v1", "MailResumed.v1"]);
    expect(await stopOf()).toBeUndefined();
    const next = await notified();
    expect(next).toMatchObject({ status: "delivered" });
    // The address may bounce again.
    await instance.staff().recordMailBounce({ noticeId: next.noticeId, ...came });
    expect(await stopOf()).toMatchObject({ status: "5.1.1" });
  });

  it("stops nothing if only a threshold is chosen", async () => {
    const { noticeId } = await notified();
    await instance.staff().recordMailBounce({ noticeId, ...came });
    await instance.as(owner).changeNoticeChoices({ balanceLowBelow: "20.00" });
    expect(await stopOf()).toMatchObject({ status: "5.1.1" });
  });
});

it.each(["4.2.2", "4.4.7", "5.2.3", "5.3.4", "5.6.1", "5.7.1"])(
  "a mail that came back with %s has failed, and the next one is sent",
  async (status) => {
    const { noticeId } = await notified();
    expect(await instance.staff().recordMailBounce({ noticeId, recipient: email, status })).toMatchObject({
      stopped: false,
    });
    const [first] = (await instance.as(owner).listMailDeliveries({})).deliveries;
    expect(first).toMatchObject({ status: "failed", error: `it came back (${status})` });
    expect([await events(), await notified()]).toMatchObject([[], { status: "delivered" }]);
  },
);

it("a report about an unknown mail, or with an invalid status, writes nothing", async () => {
  const { noticeId } = await notified();
  const before = await harness.store.lastPosition();
  for (const [report, code] of [
    [{ ...came, noticeId: `msg_${"0".repeat(32)}` }, "not-found"],
    [{ ...came, noticeId: "" }, "not-found"],
    [{ ...came, noticeId, status: "2.0.0" }, "validation-failed"],
    [{ ...came, noticeId, status: "5.1.1\r\nBcc: eve@example.org" }, "validation-failed"],
  ] as const)
    expect(await refusalOf(instance.staff().recordMailBounce(report))).toMatchObject({ code });
  expect(await refusalOf(instance.staff().resumeMail({ accountId: 99n }))).toMatchObject({
    code: "not-found",
  });
  // A report about a foreign address reveals and changes nothing.
  const other = { noticeId, recipient: "eve@example.org", status: "5.1.1" };
  expect(await instance.staff().recordMailBounce(other)).toMatchObject({ stopped: false });
  expect(await harness.store.lastPosition()).toBe(before);
});
