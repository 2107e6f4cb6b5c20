import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { ticketCause } from "./ticket-cause.decider.ts";
import { commentLimit, ticket } from "./ticket.decider.ts";
import type {
  CloseTicket,
  NumberTicket,
  OpenTicket,
  ReplyToTicket,
  RequestStaffTicket,
} from "./ticket.commands.ts";
import type {
  StaffTicketOpened,
  TicketClosed,
  TicketNumbered,
  TicketOpened,
  TicketReplied,
} from "./ticket.events.ts";

const at = "2026-03-01T10:00:00.000000Z";
const later = "2026-03-02T10:00:00.000000Z";

const content = {
  ticketId: 3,
  accountId: 7,
  title: "No zone",
  message: "The zone is missing.",
  priority: "emergency",
  serverId: null,
  cause: "zone-12",
} as const;
const open: OpenTicket = { type: "OpenTicket", data: { ...content, at } };
const opened: TicketOpened = { type: "TicketOpened", data: { ...content, openedAt: at } };

const comment = { ticketId: 3, commentId: 8, message: "Any news?", accountId: 7, replyId: "r-1" } as const;
const reply: ReplyToTicket = { type: "ReplyToTicket", data: { ...comment, at } };
const replied: TicketReplied = {
  type: "TicketReplied",
  data: { ...comment, ticketAccountId: 7, repliedAt: at },
};

const end = { ticketId: 3, by: "customer", closeId: "c-1" } as const;
const close: CloseTicket = { type: "CloseTicket", data: { ...end, at } };
const closed: TicketClosed = { type: "TicketClosed", data: { ...end, closedAt: at } };

const spec = deciderSpec(ticket);

const { accountId: _, serverId: __, ...forStaff } = content;
const openForStaff: OpenTicket = { ...open, data: { ...open.data, accountId: null } };
const openedForStaff: StaffTicketOpened = { type: "StaffTicketOpened", data: { ...forStaff, openedAt: at } };

describe("a ticket", () => {
  it("is opened", () => {
    spec.given().when(open).then(opened);
  });

  it("is opened once, also when its cause comes again after it was closed", () => {
    spec
      .given(opened)
      .when({ ...open, data: { ...open.data, at: later } })
      .thenNothing();
    spec.given(opened, closed).when(open).thenNothing();
  });

  it("without an account is for staff alone, and staff's comments on it reach no customer", () => {
    spec.given().when(openForStaff).then(openedForStaff);
    spec.given(openedForStaff).when(openForStaff).thenNothing();
    const byStaff = { ...comment, accountId: null };
    spec
      .given(openedForStaff)
      .when({ type: "ReplyToTicket", data: { ...byStaff, at } })
      .then({ type: "TicketReplied", data: { ...byStaff, ticketAccountId: null, repliedAt: at } });
    spec.given(openedForStaff).when(close).then(closed);
  });

  it("belongs to one cause only", () => {
    const stolen: OpenTicket = { ...open, data: { ...open.data, cause: "zone-13" } };
    expect(() => ticket.decide(stolen, ticket.evolve(ticket.initialState, opened))).toThrow("another cause");
  });

  it("accepts a comment, and each comment once", () => {
    spec.given(opened).when(reply).then(replied);
    spec
      .given(opened, replied)
      .when({ ...reply, data: { ...reply.data, commentId: 9 } })
      .thenNothing();
  });

  it("refuses a comment if it does not exist or is closed", () => {
    spec.given().when(reply).thenRejected("not-found");
    spec.given(opened, closed).when(reply).thenRejected("ticket-closed");
  });

  it("answers a repeated comment as before, even after it was closed", () => {
    spec.given(opened, replied, closed).when(reply).thenNothing();
  });

  it("has a maximum number of comments", () => {
    const many = Array.from({ length: commentLimit }, (_, index): TicketReplied => ({
      ...replied,
      data: { ...replied.data, commentId: index + 1, replyId: `r-${String(index)}` },
    }));
    const another: ReplyToTicket = { ...reply, data: { ...reply.data, replyId: "one more" } };
    spec
      .given(opened, ...many.slice(1))
      .when(another)
      .then({
        ...replied,
        data: { ...replied.data, replyId: "one more" },
      });
    spec
      .given(opened, ...many)
      .when(another)
      .thenRejected("validation-failed");
  });

  it("is closed once; a repeated request is accepted", () => {
    spec.given(opened).when(close).then(closed);
    spec.given(opened, closed).when(close).thenNothing();
    spec
      .given(opened, closed)
      .when({ ...close, data: { ...close.data, closeId: "c-2" } })
      .thenRejected("ticket-closed");
    spec.given().when(close).thenRejected("not-found");
  });

  it.each([
    ["opened twice", [opened, opened]],
    ["opened for a customer and for staff alone", [opened, openedForStaff]],
    ["answered before it is opened", [replied]],
    ["answered after it is closed", [opened, closed, replied]],
    ["closed twice", [opened, closed, closed]],
  ])("a stream in which it is %s is corrupt", (_case, history) => {
    expect(() => history.reduce(ticket.evolve, ticket.initialState)).toThrow("corrupt");
  });
});

describe("the cause of a ticket", () => {
  const number: NumberTicket = { type: "NumberTicket", data: { cause: "zone-12", ticketId: 3, at } };
  const numbered: TicketNumbered = {
    type: "TicketNumbered",
    data: { cause: "zone-12", ticketId: 3, numberedAt: at },
  };
  const causes = deciderSpec(ticketCause);

  it("gets one id and keeps it", () => {
    causes.given().when(number).then(numbered);
    causes
      .given(numbered)
      .when({ ...number, data: { ...number.data, ticketId: 4 } })
      .thenNothing();
  });

  it("is requested by an event if staff are needed, once, and numbered like other tickets", () => {
    const { title, message, priority, cause } = content;
    const asked = { cause, title, message, priority };
    const request: RequestStaffTicket = { type: "RequestStaffTicket", data: { ...asked, at } };
    const requested = { type: "StaffTicketRequested", data: { ...asked, requestedAt: at } } as const;
    causes.given().when(request).then(requested);
    causes
      .given(requested)
      .when({ ...request, data: { ...request.data, at: later } })
      .thenNothing();
    causes.given(requested).when(number).then(numbered);
    causes.given(requested, numbered).when(request).thenNothing();
    expect(() => [numbered, requested].reduce(ticketCause.evolve, ticketCause.initialState)).toThrow(
      "corrupt",
    );
  });

  it("has no second id; a stream with two is corrupt", () => {
    expect(() => [numbered, numbered].reduce(ticketCause.evolve, ticketCause.initialState)).toThrow(
      "corrupt",
    );
  });
});
