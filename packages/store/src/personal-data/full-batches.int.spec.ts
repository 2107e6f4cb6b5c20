import { join } from "node:path";

import {
  ticket,
  ticketCodec,
  type TicketCommand,
  type TicketEvent,
  type TicketState,
} from "@hostledger/core";
import { createCommandHandler, openEmbeddedEventStore, type Aggregate, type EventStore } from "../index.ts";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { openSqliteSubjectKeys, sealPersonalData } from "./index.ts";

/** Batches are planned with plain events, but stored sealed, which is longer. */

const at = "2026-03-01T10:00:00.000000Z";
const aggregate: Aggregate<TicketCommand, TicketState, TicketEvent> = {
  category: "ticket",
  decider: ticket,
  codec: ticketCodec,
};

async function openSealed(): Promise<EventStore> {
  const directory = directoryOfTest();
  const raw = await openEmbeddedEventStore({
    path: join(directory, "events.sqlite"),
    now: () => at,
    onFailure(error) {
      throw error;
    },
  });
  const keys = openSqliteSubjectKeys({ path: join(directory, "subject-keys.sqlite") });
  onTestFinished(async () => {
    await raw.close();
    await keys.close();
  });
  return sealPersonalData(raw, keys);
}

it.each(["m", "ö", '"', "☂"])(
  "stores four hundred full replies of %s to one ticket at once",
  async (letter) => {
    const store = await openSealed();
    const commands = createCommandHandler({ store, recordedBy: "hostledger-test/1" });
    const send = (commandId: string, command: TicketCommand) =>
      commands.execute(aggregate, "1", command, { commandId, correlationId: commandId, actor: "account:1" });
    const opening = { ticketId: 1, accountId: 7, title: "t", message: "m", priority: "normal" } as const;
    await send("open", { type: "OpenTicket", data: { ...opening, serverId: null, cause: "c", at } });

    const message = letter.repeat(5_000);
    const replies = Array.from({ length: 400 }, (_, index) =>
      send(`reply-${String(index)}`, {
        type: "ReplyToTicket",
        data: { ticketId: 1, commentId: index + 1, accountId: 7, replyId: `r${String(index)}`, message, at },
      }),
    );
    expect((await Promise.all(replies)).every(({ accepted }) => accepted)).toBe(true);

    let stored = 0;
    for await (const event of store.read("ticket-1"))
      if (event.data.includes(JSON.stringify(message))) stored += 1;
    expect(stored).toBe(400);
  },
);
