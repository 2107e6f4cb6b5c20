import { ignoring } from "@hostledger/read";
import { domainExamples } from "@hostledger/core/testing";
import { projectionSpec } from "@hostledger/read/testing";
import { describe, expect, it } from "vitest";

import { accountOpened, renewalFailed, serverOrdered, zoneFailed } from "../support-service.fixture.ts";
import { notices } from "./notices.projection.ts";
import { customers } from "./customers.projection.ts";
import {
  supportSubscriptionCodec,
  unheardIgnored,
  type SupportSubscriptionEvent,
} from "./support.subscription.ts";
import { ticketCauses } from "./ticket-causes.projection.ts";
import { tickets } from "./tickets.projection.ts";

const at = "2026-03-01T10:00:00.000000Z";
const later = "2026-03-02T10:00:00.000000Z";

const opened: Extract<SupportSubscriptionEvent, { type: "TicketOpened" }> = {
  type: "TicketOpened",
  data: {
    ticketId: 3,
    accountId: 7,
    title: "The DNS zone of zone-12.com",
    message: "Missing.",
    priority: "emergency",
    serverId: 5,
    cause: "zone-12",
    openedAt: at,
  },
};
const replied: SupportSubscriptionEvent = {
  type: "TicketReplied",
  data: {
    ticketId: 3,
    commentId: 8,
    ticketAccountId: 7,
    message: "And?",
    accountId: 7,
    replyId: "r-1",
    repliedAt: later,
  },
};
const closed: SupportSubscriptionEvent = {
  type: "TicketClosed",
  data: { ticketId: 3, by: "staff", closeId: "c-1", closedAt: later },
};
const row = {
  id: 3,
  account_id: 7,
  title: "The DNS zone of zone-12.com",
  message: "Missing.",
  status: "open",
  priority: "emergency",
  server_id: 5,
  requested: 0,
  created_at: at,
  updated_at: at,
};
const comment = { id: 8, ticket_id: 3, account_id: 7, message: "And?", created_at: later };

describe("tickets", () => {
  it("have a row from their opening on", () => {
    projectionSpec(tickets)
      .when(opened)
      .then({ tickets: [row], ticket_comments: [] });
  });

  it("are distinguished by whether a request opened them", () => {
    projectionSpec(tickets)
      .when({ type: "TicketOpened", data: { ...opened.data, cause: "request-1" } })
      .then({ tickets: [{ ...row, requested: 1 }] });
  });

  it("keep their comments, and move with them", () => {
    projectionSpec(tickets)
      .given(opened)
      .when(replied)
      .then({ tickets: [{ ...row, updated_at: later }], ticket_comments: [comment] });
  });

  it("have no account if they are for staff alone", () => {
    const { accountId: _, serverId: __, ...forStaff } = opened.data;
    projectionSpec(tickets)
      .when({ type: "StaffTicketOpened", data: forStaff })
      .then({ tickets: [{ ...row, account_id: null, server_id: null }] });
  });

  it("are closed", () => {
    projectionSpec(tickets)
      .given(opened)
      .when(closed)
      .then({ tickets: [{ ...row, status: "closed", updated_at: later }] });
  });
});

describe("customers", () => {
  it("have a name, and servers an owner", () => {
    projectionSpec(customers)
      .given(accountOpened(7, "Ada"))
      .when(serverOrdered(5, 7))
      .then({ customers: [{ id: 7, name: "Ada" }], servers: [{ id: 5, account_id: 7 }] });
  });

  it("have no server of an order that failed", () => {
    projectionSpec(customers)
      .given(serverOrdered(5, 7))
      .when({
        type: "ServerOrderFailed",
        data: { orderId: "serverorder-5", serverId: 5, accountId: 7, reason: "no node", failedAt: at },
      })
      .then({ servers: [] });
  });
});

describe("causes of tickets", () => {
  const spec = projectionSpec(ticketCauses, { stream: "renewal-1" });

  it("exist until their ticket is opened", () => {
    const text = {
      title: "The DNS zone of zone-12.com",
      message:
        "zone-12.com is registered, but its DNS zone could not be created yet. " +
        "We try again automatically until the domain resolves.",
      priority: "emergency",
    };
    spec
      .when(zoneFailed(12, 7))
      .then({ ticket_causes: [{ cause: "zone-12", account_id: 7, run: null, ...text }] });
    spec.given(zoneFailed(12, 7)).when(opened).then({ ticket_causes: [] });
  });

  it("are deliveries that wait for staff: the customer's registration is not complete without them", () => {
    const event = domainExamples.samples.DomainDeliverySuspended;
    spec.when(event).then({
      ticket_causes: [
        {
          cause: "run-r-1",
          account_id: 7,
          run: "delivery-3",
          title: "The registration of your domain needs our attention",
          message:
            "The registration of your domain could not be completed automatically. " +
            "We look into it and tell you the result here.",
          priority: "emergency",
        },
      ],
    });
  });

  it("are deliveries of names that were transferred to us, in the transfer's words", () => {
    const event = domainExamples.samples.DomainDeliverySuspended;
    spec.when({ ...event, data: { ...event.data, registrationId: "domaintransfer-5" } }).then({
      ticket_causes: [
        {
          cause: "run-domaintransfer-5",
          account_id: 7,
          run: "delivery-3",
          title: "The transfer of your domain needs our attention",
          message:
            "The transfer of your domain could not be completed automatically. " +
            "We look into it and tell you the result here.",
          priority: "emergency",
        },
      ],
    });
  });

  it("are names that another registrar holds now", () => {
    spec.when(domainExamples.samples.DomainTransferredAway).then({
      ticket_causes: [
        {
          cause: "left-3",
          account_id: 7,
          run: null,
          title: "example.com was transferred away",
          message:
            "Another registrar holds example.com now: it is no longer listed here, and we do not renew it any more. " +
            "If you did not ask for this, tell us here at once: a transfer can be disputed for a short while only.",
          priority: "normal",
        },
      ],
    });
  });

  it("are automatic renewals by the registry, for staff alone", () => {
    spec.when(domainExamples.samples.DomainExpiryFollowed).then({
      ticket_causes: [
        {
          cause: "registryrenewal-3-2029-03-01",
          account_id: null,
          run: null,
          title: "The registry renewed example.com by itself",
          message:
            "example.com was paid for until 2028-03-01, and its registry renewed it until 2029-03-01: " +
            "the books have that date now, and nobody was charged. Charge the customer, or cancel the renewal at the registry in time " +
            "(the auto-renew grace period of RFC 3915).",
          priority: "emergency",
        },
      ],
    });
  });

  it("are transfers that failed after their customer was told of their start", () => {
    const event = domainExamples.samples.TransferReleased;
    spec.when(event).then({
      ticket_causes: [
        {
          cause: "failed-t-1",
          account_id: 7,
          run: null,
          title: "The transfer of moved.com failed",
          message:
            "moved.com was not transferred to us: it stays with its present registrar, and its price is back on your balance. " +
            "Ask that registrar for the reason, and order the transfer again when it is settled.",
          priority: "normal",
        },
      ],
    });
    for (const reason of ["charge-refused", "order-refused"] as const)
      spec.when({ ...event, data: { ...event.data, reason } }).then({ ticket_causes: [] });
  });

  it("are refused automatic renewals, for another ticket than unpaid ones", () => {
    for (const reason of ["registrar-failed", "charge-refused"] as const)
      spec.when(renewalFailed(3, { reason })).then({
        ticket_causes: [
          {
            cause: "failedrenewal-3-2026-03-08",
            account_id: 7,
            run: null,
            title: "The renewal of unpaid.com failed",
            message:
              "unpaid.com expires on 2026-03-08 and renews automatically, but the renewal was refused; no charge remains. " +
              "We try again every day until then, look into the cause and tell you the result here.",
            priority: "emergency",
          },
        ],
      });
  });

  it("are renewals that are automatic and unpaid, not those of the customer's own or that staff ended", () => {
    spec.when(renewalFailed(3, { automatic: false })).then({ ticket_causes: [] });
    spec.when(renewalFailed(3, { reason: "abandoned" })).then({ ticket_causes: [] });
    spec.when(renewalFailed(3)).then({
      ticket_causes: [
        {
          cause: "renewal-3-2026-03-08",
          account_id: 7,
          run: null,
          title: "The renewal of unpaid.com is unpaid",
          message:
            "unpaid.com expires on 2026-03-08 and renews automatically, but the balance does not cover it. " +
            "It costs 14.28 EUR. Top up the balance before that day: the renewal is tried again every day until then.",
          priority: "normal",
        },
      ],
    });
  });

  it("are names that mix scripts, for staff alone, registered or transferred in", () => {
    const name = "xn--pypal-4ve.com";
    const registered = domainExamples.samples.DomainRegistered;
    const transferred = domainExamples.samples.DomainTransferredIn;
    for (const event of [registered, transferred]) {
      const { domainId, accountId } = event.data;
      spec.when(event).then({ ticket_causes: [] });
      spec.when({ ...event, data: { ...event.data, name } } as typeof event).then({
        ticket_causes: [
          {
            cause: `scripts-${String(domainId)}`,
            account_id: null,
            run: null,
            title: `${name} mixes scripts: Cyrillic, Latin`,
            message:
              `Account ${String(accountId)} holds ${name}, which people read as "pаypal". ` +
              "No language writes Cyrillic and Latin letters in one word: the name may imitate another one. " +
              "Check its holder and its content; `hostledger admin domain suspend` makes it unreachable.",
            priority: "normal",
          },
        ],
      });
    }
  });

  it("are requests to staff, for staff alone", () => {
    const asked = {
      cause: "key-k7",
      title: "A key is missing",
      message: "Look.",
      priority: "emergency",
    } as const;
    spec
      .given()
      .when({ type: "StaffTicketRequested", data: { ...asked, requestedAt: at } })
      .then({ ticket_causes: [{ ...asked, account_id: null, run: null }] });
    const forStaff = { ticketId: 3, ...asked, openedAt: at };
    spec
      .given({ type: "StaffTicketRequested", data: { ...asked, requestedAt: at } })
      .when({ type: "StaffTicketOpened", data: forStaff })
      .then({ ticket_causes: [] });
  });

  it("are parked runs, whose account is that of their start", () => {
    spec
      .given({
        type: "RenewalRunStarted",
        data: {
          renewalId: "renewal-1",
          domainId: 12,
          accountId: 7,
          name: "parked.com",
          years: 1,
          automatic: false,
          expiresAt: later,
          yearNetCents: "1200",
          restoration: false,
          startedAt: at,
        },
      })
      .when({ type: "RenewalParked", data: { reason: "ours alone", at } })
      .then({
        run_accounts: [{ run: "renewal-1", account_id: 7, resumed_revision: null, is_over: 0 }],
        ticket_causes: [
          {
            cause: "run-renewal-1",
            account_id: null,
            run: "renewal-1",
            title: "The renewal of your domain needs our attention",
            message:
              "The renewal of your domain could not be completed automatically. " +
              "We look into it and tell you the result here.",
            priority: "emergency",
          },
        ],
      });
  });
});

describe("what support does not hear", () => {
  it("is named as ignored by each read model, or handled", () => {
    for (const { name, handlers } of [tickets, customers, ticketCauses, notices]) {
      const unnamed = Object.keys(unheardIgnored).filter((type) => !Object.hasOwn(handlers, type));
      expect([name, unnamed]).toEqual([name, []]);
    }
  });

  it("covers every event that support decodes", () => {
    const decoded = [...supportSubscriptionCodec.versions.keys()].map((type) => type.replace(/\.v\d+$/, ""));
    expect(decoded.filter((type) => !Object.hasOwn(unheardIgnored, type))).toEqual([]);
  });

  it("is made of whole families", () => {
    expect(ignoring({ One: [], Two: [] }, { Three: [] })).toEqual({
      One: "ignored",
      Two: "ignored",
      Three: "ignored",
    });
  });
});
