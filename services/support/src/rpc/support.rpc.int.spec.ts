import type { EventStore } from "@hostledger/store";
import { refusalOf } from "@hostledger/rpc/testing";
import { beforeEach, describe, expect, it, vi } from "vitest";

import {
  accountOpened,
  openHarness,
  portOf,
  serverOrdered,
  type SupportInstance,
  type Harness,
} from "../support-service.fixture.ts";

const owner = 7;
const stranger = 8;
const request = { title: "Slow", message: "My server\nis slow.", priority: "" };

let harness: Harness;
let instance: SupportInstance;

beforeEach(async () => {
  harness = await openHarness();
  await harness.record("account-7", accountOpened(owner, "Ada"));
  await harness.record("account-8", accountOpened(stranger, "Eve"));
  await harness.record("server-5", serverOrdered(5, owner));
  instance = await harness.start();
});

async function openTicket(): Promise<bigint> {
  const { ticket } = await instance.as(owner).openTicket(request);
  return ticket?.id ?? 0n;
}

describe("opening", () => {
  it("returns the ticket as later reads do", async () => {
    const opened = await instance.as(owner).openTicket({ ...request, priority: "low", serverId: 5n });
    expect(opened).toMatchObject({
      message: request.message,
      ticket: { id: 1n, title: "Slow", status: "open", priority: "low", serverId: 5n },
    });
    expect(await instance.as(owner).getTicket({ ticketId: 1n })).toMatchObject({
      ticket: opened.ticket,
      message: request.message,
      comments: [],
    });
  });

  it("has normal priority and no server by default", async () => {
    const { ticket } = await instance.as(owner).openTicket(request);
    expect(ticket).toMatchObject({ priority: "normal" });
    expect(ticket?.serverId).toBeUndefined();
  });

  it.each([
    [{ title: "" }, "title"],
    [{ title: "t".repeat(256) }, "title"],
    [{ title: "two\nlines" }, "title"],
    [{ message: "" }, "message"],
    [{ message: "m".repeat(5_001) }, "message"],
    [{ message: "nul\0" }, "message"],
    [{ priority: "high" }, "priority"],
    [{ serverId: 6n }, "server_id"],
    [{ serverId: -1n }, "server_id"],
    [{ serverId: 2n ** 62n }, "server_id"],
  ])("refuses case %#: a wrong $1", async (wrong, field) => {
    const refusal = await refusalOf(instance.as(owner).openTicket({ ...request, ...wrong }));
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    expect((await instance.as(owner).listTickets({})).tickets).toEqual([]);
  });

  it("is unauthorized for a server of another account", async () => {
    expect(await refusalOf(instance.as(stranger).openTicket({ ...request, serverId: 5n }))).toMatchObject({
      code: "unauthorized",
    });
  });

  it("waits for a server and for an account that were recorded a moment ago", async () => {
    let gate = Promise.withResolvers<undefined>();
    gate.resolve(undefined);
    // Delays the subscription until the ticket's subject is read from its stream.
    const late = (store: EventStore): EventStore => ({
      ...portOf(store),
      async *subscribe(options) {
        for await (const batch of store.subscribe(options)) {
          await gate.promise;
          yield batch;
        }
      },
      read(stream, readOptions) {
        if (stream === "server-9" || stream === "account-9") gate.resolve(undefined);
        return store.read(stream, readOptions);
      },
    });
    const behind = await harness.start(late);
    gate = Promise.withResolvers();
    await harness.record("server-9", serverOrdered(9, owner));
    const { ticket } = await behind.as(owner).openTicket({ ...request, serverId: 9n });
    expect(ticket?.serverId).toBe(9n);
    gate = Promise.withResolvers();
    await harness.record("account-9", accountOpened(9, "Fay"));
    expect(await behind.staff().openTicketFor({ ...request, accountId: 9n })).toMatchObject({
      ticketId: 2n,
    });
  });

  it("finds that a ticket is missing without the end of the log, where EventStoreDB's own events are", async () => {
    let asked = 0;
    const beyond = (store: EventStore): EventStore => ({
      ...portOf(store),
      async lastPosition() {
        asked += 1;
        return store.lastPosition();
      },
    });
    const shared = await harness.start(beyond);
    // The first build of the read models and the look for expiries ask, both once.
    await vi.waitFor(() => {
      expect(asked).toBe(2);
    });
    const server = refusalOf(shared.as(owner).openTicket({ ...request, serverId: 77n }));
    expect(await server).toMatchObject({ code: "validation-failed" });
    const account = refusalOf(shared.staff().openTicketFor({ ...request, accountId: 77n }));
    expect(await account).toMatchObject({ code: "not-found" });
    expect(asked).toBe(2);
  });

  it("opens one ticket for one operation that arrives several times at once, in two processes", async () => {
    const processes = [instance, await harness.start()];
    const opened = await Promise.all(
      processes.flatMap((each) => [1, 2, 3].map(() => each.as(owner, "op-9").openTicket(request))),
    );
    expect(new Set(opened.map(({ ticket }) => ticket?.id)).size).toBe(1);
    await expect
      .poll(async () => (await instance.as(owner).listTickets({})).tickets.length, { timeout: 10_000 })
      .toBe(1);
  });

  it("opens one ticket for one operation, however often it arrives, also in another process", async () => {
    const first = await instance.as(owner, "op-1").openTicket(request);
    const others = await Promise.all([1, 2, 3].map(() => instance.as(owner, "op-1").openTicket(request)));
    await instance.service.close();
    const next = await harness.start();
    others.push(await next.as(owner, "op-1").openTicket(request));
    expect(others.map(({ ticket }) => ticket?.id)).toEqual(others.map(() => first.ticket?.id));
    expect((await next.as(owner).listTickets({})).tickets).toHaveLength(1);
  });
});

describe("listing", () => {
  it("answers the caller's own, oldest first, by page", async () => {
    for (let index = 0; index < 3; index += 1) await openTicket();
    await instance.as(stranger).openTicket(request);
    const { tickets } = await instance.as(owner).listTickets({});
    expect(tickets.map(({ id }) => id)).toEqual([1n, 2n, 3n]);
    const page = await instance.as(owner).listTickets({ page: { afterId: 1n, limit: 1 } });
    expect(page.tickets.map(({ id }) => id)).toEqual([2n]);
    expect(
      await refusalOf(instance.as(owner).listTickets({ page: { afterId: 0n, limit: 1_002 } })),
    ).toMatchObject({
      code: "validation-failed",
    });
  });
});

describe("a conversation", () => {
  it("shows customers by their names and staff without names", async () => {
    const ticketId = await openTicket();
    await instance.as(owner).replyToTicket({ ticketId, message: "Still." });
    await instance.staff().answerTicket({ ticketId, message: "We look." });
    expect((await instance.as(owner).getTicket({ ticketId })).comments).toMatchObject([
      { comment: "Still.", userId: 7n, userName: "Ada", staff: false },
      { comment: "We look.", userId: 0n, userName: "Support", staff: true },
    ]);
  });

  it("moves updated_at and leaves created_at", async () => {
    const ticketId = await openTicket();
    harness.clock.advance(1_000);
    const { ticket } = await instance.as(owner).replyToTicket({ ticketId, message: "m" });
    expect([ticket?.createdAt, ticket?.updatedAt]).toEqual([
      "2026-03-01T10:00:00.000000Z",
      "2026-03-01T10:00:01.000000Z",
    ]);
  });

  it.each([
    ["nothing", ""],
    ["5,001 characters", "m".repeat(5_001)],
    ["a bell", "bell\u0007"],
  ])("refuses a comment of %s", async (_case, message) => {
    const ticketId = await openTicket();
    expect(await refusalOf(instance.as(owner).replyToTicket({ ticketId, message }))).toMatchObject({
      code: "validation-failed",
    });
  });

  it("adds one comment for one operation, and answers it again after the ticket was closed", async () => {
    const ticketId = await openTicket();
    const first = await instance.as(owner, "op-2").replyToTicket({ ticketId, message: "once" });
    await instance.as(owner).closeTicket({ ticketId });
    const again = await instance.as(owner, "op-2").replyToTicket({ ticketId, message: "once" });
    expect(again.comment?.id).toBe(first.comment?.id);
    expect((await instance.as(owner).getTicket({ ticketId })).comments).toHaveLength(1);
  });

  it("ends when it is closed: by the customer or by staff, once", async () => {
    const ticketId = await openTicket();
    expect((await instance.as(owner, "op-3").closeTicket({ ticketId })).ticket?.status).toBe("closed");
    expect((await instance.as(owner, "op-3").closeTicket({ ticketId })).ticket?.status).toBe("closed");
    for (const refusal of await Promise.all(
      [
        instance.as(owner).closeTicket({ ticketId }),
        instance.as(owner).replyToTicket({ ticketId, message: "m" }),
        instance.staff().answerTicket({ ticketId, message: "m" }),
        instance.staff().closeTicketFor({ ticketId }),
      ].map(refusalOf),
    ))
      expect(refusal).toMatchObject({ code: "ticket-closed" });
  });
});

describe("who may", () => {
  it("another account's ticket is unauthorized, none is not found, and nothing changes", async () => {
    const ticketId = await openTicket();
    const eve = instance.as(stranger);
    for (const refusal of await Promise.all(
      [
        eve.getTicket({ ticketId }),
        eve.replyToTicket({ ticketId, message: "m" }),
        eve.closeTicket({ ticketId }),
      ].map(refusalOf),
    ))
      expect(refusal).toMatchObject({ code: "unauthorized" });
    for (const none of [0n, -1n, 99n, 2n ** 62n])
      expect(await refusalOf(instance.as(owner).getTicket({ ticketId: none }))).toMatchObject({
        code: "not-found",
      });
    expect(await harness.typesOf("ticket-1")).toEqual(["TicketOpened.v1"]);
  });

  it("refuses calls without a token, and customers at the staff listener", async () => {
    expect(await refusalOf(instance.as(undefined).listTickets({}))).toMatchObject({
      code: "unauthenticated",
    });
    const customer = { kind: "account", accountId: owner, keyId: 1 } as const;
    const door = instance.staff(customer);
    for (const refusal of await Promise.all(
      [
        door.listAllTickets({}),
        door.showTicket({ ticketId: 1n }),
        door.openTicketFor({ accountId: 7n, ...request }),
        door.answerTicket({ ticketId: 1n, message: "m" }),
        door.closeTicketFor({ ticketId: 1n }),
      ].map(refusalOf),
    ))
      expect(refusal).toMatchObject({ code: "unauthorized" });
  });
});

describe("staff", () => {
  it("opens tickets for customers, lists everybody's, shows and closes them", async () => {
    const { ticketId } = await instance.staff().openTicketFor({ accountId: 8n, ...request });
    await openTicket();
    expect((await instance.staff().listAllTickets({})).tickets).toMatchObject([
      { accountId: 8n, ticket: { id: ticketId } },
      { accountId: 7n },
    ]);
    await instance.staff().closeTicketFor({ ticketId });
    expect((await instance.staff().listAllTickets({ openOnly: true })).tickets).toMatchObject([
      { accountId: 7n },
    ]);
    expect(await instance.staff().showTicket({ ticketId })).toMatchObject({
      ticket: { accountId: 8n, ticket: { status: "closed" } },
      message: request.message,
    });
  });

  it("lists one account's tickets, with their number", async () => {
    const staff = instance.staff();
    const { ticketId: closed } = await staff.openTicketFor({ accountId: 8n, ...request });
    await staff.closeTicketFor({ ticketId: closed });
    for (const _each of [1, 2]) await staff.openTicketFor({ accountId: 8n, ...request });
    await openTicket();
    const page = { limit: 1 };
    const all = await staff.listAllTickets({ accountId: 8n, page });
    expect([all.tickets.map(({ ticket }) => ticket?.id), all.total]).toEqual([[closed], 3n]);
    const open = await staff.listAllTickets({ accountId: 8n, openOnly: true, page });
    expect([open.tickets.map(({ accountId }) => accountId), open.total]).toEqual([[8n], 2n]);
    expect(open.tickets[0]?.ticket).toMatchObject({ status: "open", title: request.title });
    expect(await staff.listAllTickets({ openOnly: true })).not.toHaveProperty("total");
    expect(await refusalOf(staff.listAllTickets({ accountId: 0n }))).toMatchObject({ code: "not-found" });
  });

  it("lists tickets by the staff's filters", async () => {
    const staff = instance.staff();
    const { ticketId: first } = await staff.openTicketFor({ accountId: 8n, ...request });
    const { ticketId: urgent } = await staff.openTicketFor({
      accountId: 8n,
      ...request,
      priority: "emergency",
    });
    const { ticketId: other } = await staff.openTicketFor({ accountId: 7n, ...request });
    await staff.closeTicketFor({ ticketId: first });
    const idsOf = async (wanted: Parameters<typeof staff.listAllTickets>[0]) =>
      (await staff.listAllTickets(wanted)).tickets.map(({ ticket }) => ticket?.id);
    expect(await idsOf({ status: "closed" })).toEqual([first]);
    expect(await idsOf({ status: "open", accountId: 8n })).toEqual([urgent]);
    expect(await idsOf({ priority: "emergency" })).toEqual([urgent]);
    expect(await idsOf({ openedFrom: "2020-01-01T00:00:00Z" })).toEqual([first, urgent, other]);
    expect(await idsOf({ openedBefore: "2020-01-01T00:00:00Z" })).toEqual([]);
    expect(await idsOf({ staffOnly: true })).toEqual([]);
    for (const [field, wrong] of [
      ["status", { status: "new" }],
      ["priority", { priority: "urgent" }],
      ["opened_from", { openedFrom: "soon" }],
      ["opened_before", { openedBefore: "soon" }],
    ] as const) {
      const refusal = await refusalOf(staff.listAllTickets(wrong));
      expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    }
  });

  it("gets an error for missing resources", async () => {
    expect(await refusalOf(instance.staff().openTicketFor({ accountId: 99n, ...request }))).toMatchObject({
      code: "not-found",
    });
    expect(await refusalOf(instance.staff().answerTicket({ ticketId: 99n, message: "m" }))).toMatchObject({
      code: "not-found",
    });
  });
});
