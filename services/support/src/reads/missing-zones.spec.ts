import { projectionSpec } from "@hostledger/read/testing";
import { describe, it } from "vitest";

import { zoneCreated, zoneFailed } from "../support-service.fixture.ts";
import type { SupportSubscriptionEvent } from "./support.subscription.ts";
import { ticketCauses } from "./ticket-causes.projection.ts";

const at = "2026-03-01T10:00:00.000000Z";

const opened: Extract<SupportSubscriptionEvent, { type: "TicketOpened" }> = {
  type: "TicketOpened",
  data: {
    ticketId: 3,
    accountId: 7,
    title: "The DNS zone of zone-12.com",
    message: "Missing.",
    priority: "emergency",
    serverId: null,
    cause: "zone-12",
    openedAt: at,
  },
};
const replied: Extract<SupportSubscriptionEvent, { type: "TicketReplied" }> = {
  type: "TicketReplied",
  data: {
    ticketId: 3,
    commentId: 8,
    ticketAccountId: 7,
    message: "And?",
    accountId: 7,
    replyId: "r-1",
    repliedAt: at,
  },
};

describe("missing zones", () => {
  const spec = projectionSpec(ticketCauses);
  const missing = { cause: "zone-12", ticket_id: null, is_over: 0 };
  const inStaffsVoice: SupportSubscriptionEvent = {
    type: "TicketReplied",
    data: { ...replied.data, accountId: null, replyId: "zone-12" },
  };

  it("exist from their failure on, with their ticket", () => {
    spec.when(zoneFailed(12, 7)).then({ followed_causes: [missing] });
    spec
      .given(zoneFailed(12, 7))
      .when(opened)
      .then({ followed_causes: [{ ...missing, ticket_id: 3 }] });
    spec.when(opened).then({ followed_causes: [] });
  });

  it("are known to be created, before their ticket is opened or after it", () => {
    const due = { followed_causes: [{ ...missing, ticket_id: 3, is_over: 1 }] };
    spec.given(zoneFailed(12, 7), opened).when(zoneCreated(12)).then(due);
    spec.given(zoneFailed(12, 7), zoneCreated(12)).when(opened).then(due);
  });

  it("are the failed ones: a zone that is created at once sends no notice", () => {
    spec.when(zoneCreated(12)).then({ ticket_causes: [], followed_causes: [] });
    spec
      .given(zoneFailed(12, 7))
      .when(zoneCreated(13))
      .then({ followed_causes: [missing] });
  });

  it("are removed when their ticket is closed for them, but not by a customer's comment or closing", () => {
    const before = spec.given(zoneFailed(12, 7), opened, zoneCreated(12));
    const due = { followed_causes: [{ ...missing, ticket_id: 3, is_over: 1 }] };
    const closed = { ticketId: 3, closeId: "zone-12", closedAt: at };
    before.when(inStaffsVoice).then(due);
    before.when({ type: "TicketClosed", data: { ...closed, by: "staff" } }).then({ followed_causes: [] });
    before.when({ type: "TicketClosed", data: { ...closed, by: "customer" } }).then(due);
    before
      .when({ type: "TicketReplied", data: { ...replied.data, replyId: "zone-12" } })
      .then({ followed_causes: [{ ...missing, ticket_id: 3, is_over: 1 }] });
  });

  it("are followed as differences of books and provider are, each time that these are found", () => {
    const cause = "drift-2-domain-unpaid-a.com";
    const requested: SupportSubscriptionEvent = {
      type: "StaffTicketRequested",
      data: { cause, title: "Differ", message: "They differ.", priority: "emergency", requestedAt: at },
    };
    const mended = { kind: "domain-unpaid", resource: "a.com", cause };
    const changed: SupportSubscriptionEvent = {
      type: "CriticalDifferencesChanged",
      data: { part: "domains", found: [], mended: [mended], changedAt: at },
    };
    const { title, message, priority } = requested.data;
    const open: SupportSubscriptionEvent = {
      type: "StaffTicketOpened",
      data: { ticketId: 4, title, message, priority, cause, openedAt: at },
    };
    spec
      .given(requested, open)
      .when(changed)
      .then({ followed_causes: [{ cause, ticket_id: 4, is_over: 1 }] });
    spec.when(changed).then({ followed_causes: [] });
    const said: SupportSubscriptionEvent = {
      type: "TicketReplied",
      data: { ...replied.data, ticketId: 4, ticketAccountId: null, accountId: null, replyId: cause },
    };
    // Staff close the ticket themselves.
    spec.given(requested, open, changed).when(said).then({ followed_causes: [] });
    const other = { ...requested, data: { ...requested.data, cause: "scrub-1" } };
    spec.when(other).then({ followed_causes: [] });
  });

  it("have their ticket, too, if it was opened for staff in place of the customer", () => {
    const { title, message, priority, cause, openedAt } = opened.data;
    const forStaff = { ticketId: 3, title, message, priority, cause, openedAt };
    spec
      .given(zoneFailed(12, 7), { type: "StaffTicketOpened", data: forStaff })
      .when(zoneCreated(12))
      .then({ followed_causes: [{ ...missing, ticket_id: 3, is_over: 1 }] });
  });
});
