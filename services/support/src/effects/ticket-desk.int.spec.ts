import { join } from "node:path";

import { createCommandHandler } from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { createTicketDesk } from "./ticket-desk.ts";

const context = { correlationId: "request-1", actor: "account:7" };

it("of two processes that store one comment at the same moment both return the stored comment", async () => {
  const store = await openTestStore(join(directoryOfTest(), "events.sqlite"), { shared: true });
  onTestFinished(() => store.close());
  let lastId = 0;
  const ids = { next: () => Promise.resolve((lastId += 1)) };
  const desks = [1, 2].map(() => {
    const commands = createCommandHandler({ store, recordedBy: "spec" });
    return createTicketDesk({ commands, clock: systemClock(), ticketIds: ids, commentIds: ids });
  });
  const content = { accountId: 7, title: "Mail", message: "Help", serverId: null, priority: "low" } as const;
  for (let number = 1; number <= 10; number += 1) {
    const opened = await Promise.all(
      desks.map((desk) => desk.open({ ...content, cause: `request-${String(number)}` }, context)),
    );
    const [{ ticketId } = { ticketId: 0 }] = opened;
    expect(new Set(opened.map((each) => each.ticketId)).size).toBe(1);
    const comment = { ticketId, message: "Still", accountId: 7, replyId: "reply-1" };
    const replied = await Promise.all(desks.map((desk) => desk.reply(comment, context)));
    const comments = replied.map(({ state }) =>
      state.status === "absent" ? 0 : state.replies.get("reply-1"),
    );
    expect(new Set(comments).size).toBe(1);
  }
});
