import type { support } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { keyOfEight } from "../../testing/fake-services.ts";
import { ticketMessage } from "../../testing/fake-support-service.ts";
import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { fieldsOf, refusedBody, refusing, smuggled } from "../../testing/recording.ts";

const json = { "content-type": "application/json" };

const shown = (id: number) => ({
  id,
  title: "No answer",
  status: "open",
  priority: "normal",
  server_id: null,
  created_at: "2026-11-21T01:30:00.000456Z",
  updated_at: "2026-11-21T01:31:00.000456Z",
});
const comment = {
  id: 40,
  comment: "We look.",
  user: { id: 2, name: "Support" },
  staff: true,
  created_at: "2026-11-21T01:31:00.000456Z",
};

describe("GET /tickets", () => {
  it("answers a bare array of the caller's tickets, in the specification's fields and order", async () => {
    const gateway = await gatewayUnderTest();
    expect((await gateway.request("/tickets")).text).toBe(JSON.stringify([shown(7)]));
    const ofEight = await gateway.request("/tickets", { headers: { authorization: keyOfEight } });
    expect(ofEight.json).toEqual([shown(8)]);
  });

  it("shows the server that a ticket is about", async () => {
    const about = ticketMessage(7n, 5n);
    const gateway = await gatewayUnderTest({ support: { listTickets: () => ({ tickets: [about] }) } });
    expect((await gateway.request("/tickets")).json).toEqual([{ ...shown(7), server_id: 5 }]);
  });
});

describe("GET /tickets/{ticket}", () => {
  it("answers the ticket with its message and comments", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request("/tickets/7");
    const body = { ...shown(7), message: "My server does not answer.", comments: [comment] };
    expect(answer).toMatchObject({ status: 200, text: JSON.stringify(body) });
  });

  it("answers 403 for another account's, 404 for none", async () => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.request("/tickets/8")).toMatchObject({ status: 403 });
    expect(await gateway.request("/tickets/9")).toMatchObject({ status: 404 });
  });
});

describe("POST /tickets", () => {
  it("answers 201 with the ticket", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/tickets", { title: "No answer", message: "Help.", server_id: 5 });
    expect(answer.status).toBe(201);
    const ticket = { ...shown(9), server_id: 5 };
    expect(answer.json).toEqual({ status: true, message: "Ticket opened", ticket });
  });

  it.each<[string, object]>([
    [`"x":1,${smuggled}`, { priority: "normal" }],
    ['"priority":"emergency","server_id":null', { priority: "emergency" }],
    ['"priority":"low","server_id":5', { priority: "low", serverId: 5n }],
  ])("passes on %s", async (fields, asked) => {
    const requests: support.OpenTicketRequest[] = [];
    const gateway = await gatewayUnderTest({
      support: {
        openTicket(request) {
          requests.push(request);
          return { ticket: ticketMessage(9n) };
        },
      },
    });
    const body = `{"title":"T","message":"Two\\nlines\\tof \u{1F4A9}.",${fields}}`;
    await gateway.request("/tickets", { method: "POST", headers: json, body });
    const message = "Two\nlines\tof \u{1F4A9}.";
    expect(requests.map(fieldsOf)).toEqual([{ title: "T", message, ...asked }]);
  });

  it.each<[string, unknown]>([
    ["title", "two\nlines"],
    ["title", "lone \ud800 surrogate"],
    ["message", "nul \u0000"],
    ["priority", "high"],
    ["server_id", "5"],
    ["server_id", 0],
    ["server_id", 2 ** 53],
  ])("refuses the %s %j with 422", async (field, value) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/tickets", { title: "T", message: "M", [field]: value });
    expect(answer).toMatchObject({ status: 422, json: { errors: { [field]: [expect.any(String)] } } });
  });

  it.each([
    ["unauthorized", 403],
    ["validation-failed", 422],
  ] as const)("answers %s with %d for the server it is about", async (code, status) => {
    const gateway = await gatewayUnderTest({ support: { openTicket: refusing(code) } });
    const answer = await gateway.post("/tickets", { title: "T", message: "M", server_id: 8 });
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});

describe("POST /tickets/{ticket}/reply and …/close", () => {
  it("answer the ticket, and the comment", async () => {
    const gateway = await gatewayUnderTest();
    const reply = await gateway.post("/tickets/7/reply", { message: "Still." });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      status: true,
      message: "Reply added",
      ticket: shown(7),
      comment: { ...comment, comment: "Still." },
    });
    const close = await gateway.request("/tickets/7/close", { method: "POST" });
    expect(close.status).toBe(200);
    const ticket = { ...shown(7), status: "closed" };
    expect(close.json).toEqual({ status: true, message: "Ticket closed", ticket });
    expect(await gateway.post("/tickets/7/close", {})).toMatchObject({ status: 200 });
  });

  it.each([
    ["unauthorized", 403],
    ["not-found", 404],
    ["ticket-closed", 409],
  ] as const)("answer %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({
      support: { replyToTicket: refusing(code), closeTicket: refusing(code) },
    });
    const refused = { status, json: refusedBody(code) };
    expect(await gateway.post("/tickets/7/reply", { message: "M" })).toMatchObject(refused);
    expect(await gateway.post("/tickets/7/close", {})).toMatchObject(refused);
  });

  it.each([[{}], [{ message: "" }], [{ message: "m".repeat(5_001) }], [{ message: 7 }]])(
    "refuse the reply %j with 422",
    async (body) => {
      const gateway = await gatewayUnderTest();
      expect(await gateway.post("/tickets/7/reply", body)).toMatchObject({
        status: 422,
        json: { errors: { message: [expect.any(String)] } },
      });
    },
  );
});
