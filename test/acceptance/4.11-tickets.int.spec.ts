import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyNumber, anyText, anyTimestamp, itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, unauthorized, type Shop } from "../support/shop.ts";

/** Specification §4.11, `GET /tickets`, and the contract's `POST /tickets`, reply and close. */

let shop: Shop;

const clock = virtualClock();

beforeAll(async () => {
  shop = await openShop({ clock });
});

afterAll(() => shop.close());

const request = { title: "My server is slow", message: "Since yesterday.\nPlease look." };

async function openTicket(body: object = request): Promise<number> {
  const answer = await shop.owner.post("/tickets", body);
  expect(answer.status).toBe(201);
  const opened = objectOf(answer.body);
  return Number(opened.id ?? objectOf(opened.ticket).id);
}

describe("GET /tickets", () => {
  it("answers an array of the caller's tickets, oldest first, with the fields of §2.6", async () => {
    const server = await shop.provision();
    const first = await openTicket({ ...request, server_id: server, priority: "low" });
    const second = await openTicket();
    const { status, body } = await shop.owner.get("/tickets");
    expect(status).toBe(200);
    expect(itemsOf(body).slice(-2)).toEqual([
      {
        id: first,
        title: request.title,
        status: "open",
        priority: "low",
        server_id: server,
        created_at: anyTimestamp,
        updated_at: anyTimestamp,
      },
      {
        id: second,
        title: request.title,
        status: "open",
        priority: "normal",
        server_id: null,
        created_at: anyTimestamp,
        updated_at: anyTimestamp,
      },
    ]);
    expect((await shop.stranger.get("/tickets")).body).toEqual([]);
  });
});

describe("POST /tickets", () => {
  it("counts an emoji as one character: 128 in a title pass, and 255, and 5,000 in a message", async () => {
    for (const [title, message] of [128, 255].map((count) => ["🦊".repeat(count), "🦊".repeat(5_000)])) {
      const answer = await shop.owner.post("/tickets", { title, message });
      expect(answer).toMatchObject({ status: 201, body: { ticket: { title } } });
    }
    expect((await shop.owner.post("/tickets", { ...request, title: "🦊".repeat(256) })).status).toBe(422);
  });

  it.each<[string, object, string]>([
    ["no title", { message: "m" }, "title"],
    ["an empty title", { title: " ", message: "m" }, "title"],
    ["a title of 256 characters", { title: "t".repeat(256), message: "m" }, "title"],
    ["no message", { title: "t" }, "message"],
    ["a message of 5,001 characters", { title: "t", message: "m".repeat(5_001) }, "message"],
    ["another priority", { ...request, priority: "high" }, "priority"],
    ["no such server", { ...request, server_id: 999_999 }, "server_id"],
    ["a server as text", { ...request, server_id: "1" }, "server_id"],
  ])("answers 422: %s", async (_case, body, field) => {
    const answer = await shop.owner.post("/tickets", body);
    expect(answer).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(Object.keys(objectOf(objectOf(answer.body).errors))).toEqual([field]);
  });

  it("answers 403 for a server of another account", async () => {
    const server = await shop.provision();
    expect(await shop.stranger.post("/tickets", { ...request, server_id: server })).toMatchObject(
      unauthorized,
    );
  });
});

describe("a ticket from its opening to its end", () => {
  it("is read with its message and comments, gets replies from the customer and staff, and is closed", async () => {
    const id = await openTicket();
    const path = `/tickets/${String(id)}`;
    expect(await shop.owner.post(`${path}/reply`, { message: "Still slow." })).toMatchObject({ status: 200 });
    await shop.instance.staff.support.answerTicket({ ticketId: BigInt(id), message: "We look." });
    expect(await shop.owner.get(path)).toMatchObject({
      status: 200,
      body: {
        id,
        message: request.message,
        comments: [
          {
            id: anyNumber,
            comment: "Still slow.",
            user: { id: shop.owner.accountId, name: "Owner" },
            staff: false,
            created_at: anyTimestamp,
          },
          { comment: "We look.", user: { name: anyText }, staff: true },
        ],
      },
    });
    expect(await shop.owner.post(`${path}/close`, {})).toMatchObject({ status: 200 });
    expect(await shop.owner.get(path)).toMatchObject({ body: { status: "closed" } });
    for (const [end, body] of [
      ["reply", { message: "And now?" }],
      ["close", {}],
    ] as const) {
      expect(await shop.owner.post(`${path}/${end}`, body)).toMatchObject({
        status: 409,
        body: { status: false, code: "ticket_closed" },
      });
    }
  });

  it.each([[{}], [{ message: "" }], [{ message: "m".repeat(5_001) }], [{ message: 7 }]])(
    "answers 422 for the reply %j",
    async (body) => {
      const id = await openTicket();
      expect(await shop.owner.post(`/tickets/${String(id)}/reply`, body)).toMatchObject({
        status: 422,
        body: { errors: { message: [anyText] } },
      });
    },
  );

  it("answers 403 for another account's ticket and 404 for an unknown ticket", async () => {
    const id = await openTicket();
    const path = `/tickets/${String(id)}`;
    expect(await shop.stranger.get(path)).toMatchObject(unauthorized);
    expect(await shop.stranger.post(`${path}/reply`, { message: "m" })).toMatchObject(unauthorized);
    expect(await shop.stranger.post(`${path}/close`, {})).toMatchObject(unauthorized);
    expect(await shop.owner.get("/tickets/999999")).toMatchObject({ status: 404 });
    expect(await shop.owner.get(path)).toMatchObject({ body: { status: "open", comments: [] } });
  });
});

describe("tickets that the service opens", () => {
  it("opens one emergency ticket if the managed zone could not be created", async () => {
    const client = await shop.customer(10_000n);
    const answer = await client.post("/domains", { domain: "nozone-ticket.com" });
    expect(answer).toMatchObject({ status: 201, body: { domain: { dns_records_count: 0 } } });
    await eventually(clock, async () => {
      expect((await client.get("/tickets")).body).toMatchObject([
        { status: "open", priority: "emergency", server_id: null },
      ]);
    });
    // The zone comes in the background, and no second ticket with it.
    const id = String(objectOf(objectOf(answer.body).domain).id);
    await eventually(clock, async () => {
      expect(objectOf((await client.get(`/domains/${id}`)).body).dns_records_count).toBe(2);
    });
    expect(itemsOf((await client.get("/tickets")).body)).toHaveLength(1);
  });
});
