import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { TicketCommand } from "./ticket.commands.ts";
import { ticketCause } from "./ticket-cause.decider.ts";
import { ticket, type TicketState } from "./ticket.decider.ts";
import type { TicketEvent } from "./ticket.events.ts";

/** Few keys, so that repeats and conflicts are common. */
const anyKey = fc.constantFrom("a", "b", "c");
const anyId = fc.integer({ min: 1, max: 1_000_000 });
const anyInstant = fc.constantFrom("2026-03-01T10:00:00.000000Z", "2026-12-31T23:59:59.999999Z");
const ticketId = fc.constant(3);

const anyCommand: fc.Arbitrary<TicketCommand> = fc.oneof(
  fc.record({
    type: fc.constant("OpenTicket" as const),
    data: fc.record({
      ticketId,
      accountId: fc.option(anyId),
      title: fc.string(),
      message: fc.string(),
      priority: fc.constantFrom("low" as const, "normal" as const, "emergency" as const),
      serverId: fc.option(anyId),
      // The cause is constant, because an id belongs to one cause.
      cause: fc.constant("zone-12"),
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("ReplyToTicket" as const),
    data: fc.record({
      ticketId,
      commentId: anyId,
      message: fc.string(),
      accountId: fc.option(anyId),
      replyId: anyKey,
      at: anyInstant,
    }),
  }),
  fc.record({
    type: fc.constant("CloseTicket" as const),
    data: fc.record({
      ticketId,
      by: fc.constantFrom("customer" as const, "staff" as const),
      closeId: anyKey,
      at: anyInstant,
    }),
  }),
);

function run(commands: readonly TicketCommand[]): { state: TicketState; events: readonly TicketEvent[] } {
  let state = ticket.initialState;
  const events: TicketEvent[] = [];
  for (const command of commands) {
    const decision = ticket.decide(command, state);
    if (!decision.accepted) continue;
    events.push(...decision.events);
    state = decision.events.reduce(ticket.evolve, state);
  }
  return { state, events };
}

const isOpening = (type: string): boolean => type === "TicketOpened" || type === "StaffTicketOpened";

describe("the laws of tickets", () => {
  test("it is opened once and first, closed once and last, and has each comment once", () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 30 }), (commands) => {
        const { events } = run(commands);
        const types = events.map(({ type }) => type);
        expect(types.findLastIndex(isOpening)).toBeLessThanOrEqual(0);
        const end = types.indexOf("TicketClosed");
        expect(end === -1 || end === types.length - 1).toBe(true);
        if (types.length > 0) expect(types.slice(0, 1).every(isOpening)).toBe(true);
        const replies = events.flatMap((event) =>
          event.type === "TicketReplied" ? [event.data.replyId] : [],
        );
        expect(new Set(replies).size).toBe(replies.length);
      }),
    );
  });

  test("a repeated accepted command is accepted and changes nothing", () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 20 }), anyCommand, (before, command) => {
        const { state } = run(before);
        const first = ticket.decide(command, state);
        if (!first.accepted) return;
        const again = ticket.decide(command, first.events.reduce(ticket.evolve, state));
        expect(again).toMatchObject({ accepted: true, events: [] });
      }),
    );
  });
});

test("the first number of a cause stays", () => {
  fc.assert(
    fc.property(fc.array(anyId, { minLength: 1 }), (ids) => {
      let state = ticketCause.initialState;
      for (const id of ids) {
        const data = { cause: "zone-12", ticketId: id, at: "2026-03-01T10:00:00.000000Z" };
        const decision = ticketCause.decide({ type: "NumberTicket", data }, state);
        if (decision.accepted) state = decision.events.reduce(ticketCause.evolve, state);
      }
      expect(state).toEqual({ status: "numbered", ticketId: ids[0] });
    }),
  );
});
