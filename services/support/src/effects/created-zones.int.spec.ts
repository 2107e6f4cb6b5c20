import { EventStoreUnavailableError, type EventStore } from "@hostledger/store";
import { eventually } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import {
  openHarness,
  portOf,
  zoneCreated,
  zoneFailed,
  type Harness,
  type SupportInstance,
} from "../support-service.fixture.ts";

const owner = 7;
const isThere =
  "The zone exists now, with its default records. " + "You need not do anything, and the ticket is closed.";

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});

/** Returns the owner's tickets with their comments, oldest first. */
async function conversations({ as }: SupportInstance) {
  const { tickets } = await as(owner).listTickets({});
  const read = tickets.map(({ id }) => as(owner).getTicket({ ticketId: id }));
  return (await Promise.all(read)).map(({ ticket, comments }) => ({
    title: ticket?.title,
    status: ticket?.status,
    comments: comments.map(({ comment, staff }) => ({ comment, staff })),
  }));
}

/** Waits until the owner's tickets are these. */
async function untilSaid(instance: SupportInstance, expected: readonly (readonly [number, number])[]) {
  await eventually(harness.clock, async () => {
    const found = await conversations(instance);
    expect(found.map(({ title, comments }) => [title, comments.length])).toEqual(
      expected.map(([domainId, comments]) => [`The DNS zone of zone-${String(domainId)}.com`, comments]),
    );
  });
}

/** Fails or creates a zone. */
const fail = (id: number) => harness.record(`domain-zone-${String(id)}.com`, zoneFailed(id, owner));
const create = (id: number) => harness.record(`domain-zone-${String(id)}.com`, zoneCreated(id));

describe("a zone that was created after all", () => {
  it("is noted once on the ticket of its failure, in the name of staff, and closes it", async () => {
    const instance = await harness.start();
    await fail(12);
    await untilSaid(instance, [[12, 0]]);
    await create(11);
    await create(12);
    await untilSaid(instance, [[12, 1]]);
    await eventually(harness.clock, async () => {
      expect(await conversations(instance)).toMatchObject([
        { status: "closed", comments: [{ comment: isThere, staff: true }] },
      ]);
    });
    // A rebuilt read model and a new process see old causes as new; their comments exist already.
    await instance.service.projector.rebuild();
    await fail(13);
    await create(13);
    await untilSaid(instance, [
      [12, 1],
      [13, 1],
    ]);
    await instance.service.close();
    const second = await harness.start();
    await fail(14);
    await create(14);
    await untilSaid(second, [
      [12, 1],
      [13, 1],
      [14, 1],
    ]);
  });

  it("is noted even if it was created before the ticket was opened", async () => {
    await fail(12);
    await create(12);
    await untilSaid(await harness.start(), [[12, 1]]);
  });

  it("is not noted on a ticket that the customer has closed", async () => {
    const instance = await harness.start();
    await fail(12);
    await untilSaid(instance, [[12, 0]]);
    const { tickets } = await instance.as(owner).listTickets({});
    await instance.as(owner).closeTicket({ ticketId: tickets[0]?.id ?? 0n });
    await create(12);
    await fail(13);
    await create(13);
    await untilSaid(instance, [
      [12, 0],
      [13, 1],
    ]);
    await eventually(harness.clock, async () => {
      expect((await conversations(instance)).map(({ status }) => status)).toEqual(["closed", "closed"]);
    });
  });

  it("closes its ticket also if the process ended between the comment and the closing", async () => {
    let failures = 1;
    const failing = (store: EventStore): EventStore => ({
      ...portOf(store),
      append(stream, expected, events) {
        if (failures === 0 || events[0]?.type.startsWith("TicketClosed") !== true)
          return store.append(stream, expected, events);
        failures -= 1;
        return Promise.reject(new EventStoreUnavailableError("the connection broke"));
      },
    });
    const instance = await harness.start(failing);
    await fail(12);
    await create(12);
    await eventually(harness.clock, () => {
      expect(failures).toBe(0);
    });
    await instance.service.close();
    await harness.start();
    await eventually(harness.clock, async () => {
      expect(await harness.typesOf("ticket-1")).toEqual([
        "TicketOpened.v1",
        "TicketReplied.v2",
        "TicketClosed.v1",
      ]);
    });
  });

  it("is noted once if the answer to storing the comment is lost", async () => {
    let losses = 1;
    const losing = (store: EventStore): EventStore => ({
      ...portOf(store),
      async append(stream, expected, events) {
        const appended = await store.append(stream, expected, events);
        if (losses === 0 || events[0]?.type.startsWith("TicketReplied") !== true) return appended;
        losses -= 1;
        throw new EventStoreUnavailableError("the connection broke");
      },
    });
    const instance = await harness.start(losing);
    await fail(12);
    await create(12);
    await fail(13);
    await create(13);
    await untilSaid(instance, [
      [12, 1],
      [13, 1],
    ]);
    expect(losses).toBe(0);
    await eventually(harness.clock, async () => {
      expect(await harness.typesOf("ticket-1")).toEqual([
        "TicketOpened.v1",
        "TicketReplied.v2",
        "TicketClosed.v1",
      ]);
    });
  });
});
