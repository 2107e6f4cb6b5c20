import { projectionSpec } from "@hostledger/read/testing";
import { it } from "vitest";

import { ticketCauses } from "./ticket-causes.projection.ts";

const spec = projectionSpec(ticketCauses, { stream: "server-5" });
const type = "ServerRenewalFailed";
const failed = {
  renewalId: "r",
  serverId: 5,
  accountId: 7,
  reason: "No",
  failedAt: "2027-02-21T10:00:00.000000Z",
  automatic: true,
  expiresAt: "2027-02-28T10:00:00.000000Z",
};
const about = "server 5 expires on 2027-02-28 and renews automatically, but the";

it.each([
  [
    "the balance does not cover",
    {
      cause: "renewal-server-5-2027-02-28",
      title: "The renewal of server 5 is unpaid",
      message: `${about} balance does not cover it. It costs 9.99 EUR. Top up the balance before that day: the renewal is tried again every day until then.`,
      priority: "normal",
    },
    "999",
  ],
  [
    "is refused though it could be paid",
    {
      cause: "failedrenewal-server-5-2027-02-28",
      title: "The renewal of server 5 failed",
      message: `${about} renewal was refused; no charge remains. We try again every day until then, look into the cause and tell you the result here.`,
      priority: "emergency",
    },
    null,
  ],
])("a server's automatic renewal that %s is a ticket, once for its term", (_what, cause, requiredCents) => {
  const event = { type, data: { ...failed, requiredCents } } as const;
  spec.when(event).then({ ticket_causes: [{ ...cause, account_id: 7, run: null }] });
  spec
    .given(event)
    .when(event)
    .then({ ticket_causes: [{ ...cause, account_id: 7, run: null }] });
});

it("a renewal that the customer requested is none, because the customer got an answer", () => {
  spec
    .when({ type, data: { ...failed, automatic: false, expiresAt: null, requiredCents: null } })
    .then({ ticket_causes: [] });
});
