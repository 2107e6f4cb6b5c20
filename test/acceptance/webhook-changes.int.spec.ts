import { realTiming } from "@hostledger/runtime";
import { eventually, freePort, virtualClock } from "@hostledger/runtime/testing";
import {
  signatureOf,
  startReceiver,
  type Received,
  type Receiver,
} from "@hostledger/support-service/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { positionOfLog } from "../support/log-position.ts";
import { openShop, unauthorized, type Shop } from "../support/shop.ts";

/** A webhook is edited, paused, enabled again and sent a test event, and keeps its secret. */

const clock = virtualClock();

let shop: Shop;
let receiver: Receiver;

beforeAll(async () => {
  shop = await openShop({
    clock,
    environment: { HOSTLEDGER_RATE_LIMIT: "0", HOSTLEDGER_WEBHOOK_ALLOW: "127.0.0.0/8" },
  });
});

afterAll(() => shop.close());

beforeEach(async () => {
  receiver = await startReceiver();
});

const openTicket = async (title = "A question"): Promise<number> => {
  const { body } = await shop.owner.post("/tickets", { title, message: "How?" });
  return Number(objectOf(objectOf(body).ticket).id);
};

async function create(url = receiver.url, events: readonly string[] = ["ticket.opened"]) {
  const { body } = await shop.owner.post("/webhooks", { url, events });
  const { id, secret } = objectOf(body);
  return { path: `/webhooks/${String(id)}`, id: Number(id), secret: String(secret) };
}

const ticketsAt = ({ received }: Receiver) =>
  received.map(({ body }) => objectOf(objectOf(JSON.parse(body)).data).ticket_id);

function received(index: number): Received {
  const one = receiver.received[index];
  if (one === undefined) throw new Error(`the receiver got ${String(receiver.received.length)} requests`);
  return one;
}

const deliveriesOf = async (path: string) => itemsOf((await shop.owner.get(`${path}/deliveries`)).body);

/** Waits until a webhook is disabled, since it answers 410. */
async function disabled(path: string): Promise<void> {
  receiver.answer((response) => response.writeHead(410).end());
  await openTicket();
  await eventually(realTiming, async () => {
    expect((await shop.owner.get(path)).body).toMatchObject({ enabled: false });
  });
}

describe("GET /webhooks/{id}", () => {
  it("shows the webhook as the list does, without its secret", async () => {
    const { path, id, secret } = await create();
    const shown = await shop.owner.get(path);
    expect(shown).toMatchObject({
      status: 200,
      body: { id, url: receiver.url, events: ["ticket.opened"], enabled: true, disabled_at: null },
    });
    expect(itemsOf((await shop.owner.get("/webhooks")).body)).toContainEqual(shown.body);
    expect(JSON.stringify(shown.body)).not.toContain(secret);
  });
});

describe("PUT /webhooks/{id}", () => {
  it("changes the URL and the kinds; absent or null fields stay", async () => {
    const { path, id } = await create("https://hooks.example/first");
    const put = async (body: object) => (await shop.owner.put(path, body)).body;
    expect(await put({ url: receiver.url })).toMatchObject({
      id,
      url: receiver.url,
      events: ["ticket.opened"],
    });
    expect(
      await put({ url: null, events: ["ticket.answered", "ticket.opened"], enabled: null }),
    ).toMatchObject({
      url: receiver.url,
      events: ["ticket.opened", "ticket.answered"],
      enabled: true,
    });
    expect(await put({ events: ["ticket.opened"] })).toMatchObject({ events: ["ticket.opened"] });
    expect((await shop.owner.get(path)).body).toEqual(await put({}));
    const ticket = await openTicket();
    await eventually(realTiming, () => {
      expect(ticketsAt(receiver)).toEqual([ticket]);
    });
  });

  it("subscribes to everything with all kinds, as GET shows them", async () => {
    const all = await shop.owner.post("/webhooks", { url: receiver.url });
    const { id, events } = objectOf(all.body);
    const few = await create();
    const answer = await shop.owner.put(few.path, { events });
    expect(answer.body).toMatchObject({ events });
    expect((await shop.owner.put(`/webhooks/${String(id)}`, { events })).body).toMatchObject({ events });
  });

  it("pauses and enables a webhook with the same secret; events in between are not sent", async () => {
    const { path, secret } = await create();
    const before = await openTicket("before");
    await eventually(realTiming, () => {
      expect(ticketsAt(receiver)).toEqual([before]);
    });
    const paused = await shop.owner.put(path, { enabled: false });
    expect(paused.body).toMatchObject({ enabled: false, disabled_at: expect.any(String) });
    expect((await shop.owner.put(path, { enabled: false })).body).toEqual(paused.body);
    await openTicket("in between");
    expect((await shop.owner.get("/webhooks?status=disabled")).body).toContainEqual(paused.body);
    // No ticket reports what the customer did.
    const { body } = await shop.owner.get("/tickets");
    expect(itemsOf(body).map(({ title }) => title)).not.toContain(`Webhook ${path.slice(10)} is disabled`);
    expect((await shop.owner.put(path, { enabled: true })).body).toMatchObject({
      enabled: true,
      disabled_at: null,
    });
    const after = await openTicket("after");
    await eventually(realTiming, () => {
      expect(ticketsAt(receiver)).toEqual([before, after]);
    });
    const sent = received(1);
    expect(sent.headers["webhook-signature"]).toBe(signatureOf(sent, secret));
    expect(objectOf(JSON.parse(sent.body)).type).toBe("ticket.opened");
  });

  it("enables a webhook that answered 410, and each disabling opens a ticket", async () => {
    const { path, id } = await create();
    for (const times of [1, 2]) {
      await disabled(path);
      await eventually(realTiming, async () => {
        const titles = itemsOf((await shop.owner.get("/tickets")).body).map(({ title }) => title);
        expect(titles.filter((title) => title === `Webhook ${String(id)} is disabled`)).toHaveLength(times);
      });
      receiver.answer((response) => response.end());
      expect((await shop.owner.put(path, { enabled: true })).body).toMatchObject({ enabled: true });
      const ticket = await openTicket();
      await eventually(realTiming, () => {
        expect(ticketsAt(receiver)).toContain(ticket);
      });
    }
  });

  it("sends a delivery again on request while the webhook is paused, and no other waiting delivery", async () => {
    const { path } = await create();
    receiver.answer((response) => response.writeHead(500).end());
    const ticket = await openTicket();
    await eventually(realTiming, async () => {
      expect(await deliveriesOf(path)).toMatchObject([{ status: "pending" }]);
      expect(receiver.received).not.toEqual([]);
    });
    await shop.owner.put(path, { enabled: false });
    expect(await deliveriesOf(path)).toMatchObject([{ status: "failed", error: "the webhook is paused" }]);
    const before = receiver.received.length;
    receiver.answer((response) => response.end());
    const [{ id } = {}] = await deliveriesOf(path);
    await shop.owner.post(`${path}/deliveries/${String(id)}/resend`, {});
    await eventually(realTiming, async () => {
      expect(await deliveriesOf(path)).toMatchObject([{ status: "delivered" }]);
    });
    expect(ticketsAt(receiver).slice(before)).toEqual([ticket]);
  });

  it("sends waiting deliveries to the new URL at once, although the old URL asked for a day's pause", async () => {
    const { path } = await create();
    receiver.answer((response) => response.writeHead(503, { "Retry-After": "86400" }).end());
    const ticket = await openTicket();
    await eventually(realTiming, async () => {
      expect(await deliveriesOf(path)).toMatchObject([{ status: "pending", attempts: 1 }]);
    });
    const other = await startReceiver();
    await shop.owner.put(path, { url: other.url });
    await eventually(realTiming, () => {
      expect(ticketsAt(other)).toEqual([ticket]);
    });
  });

  it("answers 412 if its condition is false, and to one of two writers with the same tag", async () => {
    const { path } = await create();
    const tag = (await shop.owner.get(path)).headers.get("etag") ?? "none";
    const put = (n: number, headers: Readonly<Record<string, string>>) =>
      shop.owner.put(path, { url: `https://hooks.example/${String(n)}` }, headers);
    const failed = { status: 412, body: { code: "precondition_failed" } };
    expect(await put(1, { "If-Match": '"other"' })).toMatchObject(failed);
    expect(await put(1, { "If-Match": `W/${tag}` })).toMatchObject(failed);
    const answers = await Promise.all([2, 3, 4].map((n) => put(n, { "If-Match": tag })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
    const changed = (await shop.owner.get(path)).headers.get("etag") ?? "none";
    const keyed = { "If-Match": changed, "Idempotency-Key": `edit-${path}` };
    const first = await put(5, keyed);
    expect(first.status).toBe(200);
    await put(6, {});
    expect(await put(5, keyed)).toMatchObject({ status: 200, body: first.body });
    expect((await shop.owner.get(path)).body).toMatchObject({ url: "https://hooks.example/6" });
  });

  it.each([
    [{ url: "http://10.0.0.1/" }, "url_not_allowed", "url"],
    [{ url: "http://hooks.example:25/" }, "url_not_allowed", "url"],
    [{ url: "ftp://hooks.example/" }, "url_not_allowed", "url"],
    [{ url: "https://hooks\u200b.example/" }, "url_not_allowed", "url"],
    [{ url: "https://hooks.example/\u202e" }, "url_not_allowed", "url"],
    [{ url: "" }, "validation_failed", "url"],
    [{ url: 7 }, "validation_failed", "url"],
    [{ events: [] }, "validation_failed", "events"],
    [{ events: ["domain.sold"] }, "validation_failed", "events"],
    [{ enabled: "yes" }, "validation_failed", "enabled"],
  ])("refuses %j and stores nothing", async (body, code, field) => {
    const { path } = await create();
    const before = await positionOfLog(shop.instance);
    expect(await shop.owner.put(path, body)).toMatchObject({
      status: 422,
      body: { code, errors: { [field]: [expect.any(String)] } },
    });
    expect(await positionOfLog(shop.instance)).toBe(before);
  });
});

describe("POST /webhooks/{id}/test", () => {
  it("sends a signed test event at once, for any kinds of the webhook, and answers that it was accepted", async () => {
    const { path, id, secret } = await create();
    const answer = await shop.owner.post(`${path}/test`, {});
    expect(answer).toMatchObject({
      status: 200,
      body: { status: true, delivered: true, response_status: 200, error: null },
    });
    const sent = received(0);
    expect(JSON.parse(sent.body)).toMatchObject({ type: "webhook.test", data: { webhook_id: id } });
    expect(sent.headers["webhook-id"]).toBe(objectOf(answer.body).webhook_id);
    expect(sent.headers["webhook-signature"]).toBe(signatureOf(sent, secret));
    expect(await deliveriesOf(path)).toEqual([]);
  });

  it.each([
    [500, "answered 500"],
    [302, "answered 302; redirects are not followed"],
    [410, "answered 410"],
  ])("answers that the endpoint answered %i, and changes nothing", async (status, error) => {
    const { path } = await create();
    receiver.answer((response) => response.writeHead(status).end());
    expect((await shop.owner.post(`${path}/test`, {})).body).toMatchObject({
      status: true,
      delivered: false,
      response_status: status,
      error,
    });
    expect((await shop.owner.get(path)).body).toMatchObject({ enabled: true });
  });

  it("answers that the endpoint hangs, or that nothing listens there", async () => {
    const { path } = await create();
    receiver.answer(() => undefined);
    const [hanging, other] = await Promise.all([
      shop.owner.post(`${path}/test`, {}),
      realTiming.sleep(50).then(() => shop.owner.post(`${path}/test`, {})),
    ]);
    expect(hanging.body).toMatchObject({
      delivered: false,
      response_status: null,
      error: "no answer within 20 s",
    });
    expect(other).toMatchObject({ status: 503, body: { code: "overloaded" } });
    const nobody = await create(`http://127.0.0.1:${String(await freePort())}/`);
    expect((await shop.owner.post(`${nobody.path}/test`, {})).body).toMatchObject({
      delivered: false,
      response_status: null,
      error: expect.stringMatching(/^could not be reached/),
    });
  });

  it("works for a paused and for a disabled webhook", async () => {
    const { path } = await create();
    await shop.owner.put(path, { enabled: false });
    expect((await shop.owner.post(`${path}/test`, {})).body).toMatchObject({ delivered: true });
    await shop.owner.put(path, { enabled: true });
    await disabled(path);
    receiver.answer((response) => response.end());
    expect((await shop.owner.post(`${path}/test`, {})).body).toMatchObject({ delivered: true });
    expect((await shop.owner.get(path)).body).toMatchObject({ enabled: false });
  });

  it("sends once per idempotency key", async () => {
    const { path } = await create();
    const key = { "Idempotency-Key": `test-${path}` };
    const first = await shop.owner.post(`${path}/test`, {}, key);
    const again = await shop.owner.post(`${path}/test`, {}, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe("a webhook that is not the caller's", () => {
  it.each(["get", "put", "test"])(
    "%s: answers 404 for an unknown or deleted webhook and 403 for another account's",
    async (how) => {
      // The account's next tickets may come late: a webhook that an earlier test disabled opens one in the background.
      const { path } = await create(receiver.url, ["domain.registered"]);
      const ask = (client: Shop["owner"], at: string) =>
        how === "get" ? client.get(at) : how === "put" ? client.put(at, {}) : client.post(`${at}/test`, {});
      expect(await ask(shop.owner, "/webhooks/999999")).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
      await eventually(realTiming, async () => {
        expect(await ask(shop.stranger, path)).toMatchObject(unauthorized);
      });
      await shop.owner.delete(path);
      expect(await ask(shop.owner, path)).toMatchObject({ status: 404, body: { code: "not_found" } });
      expect(receiver.received).toEqual([]);
    },
  );
});
