import { expiryNoticeDays, type NoticeKind } from "@hostledger/rpc";
import { z } from "zod";

import { euroAmount, id, timestamp, shownText } from "./values.schema.ts";

const domain = { domain_id: id, domain_name: shownText("example.com") };
const domainUntil = { ...domain, expiry_date: timestamp.nullable() };
const server = { server_id: id };

export const noticeSchemas: Readonly<Record<NoticeKind, readonly [sentence: string, data: z.ZodObject]>> = {
  "domain.registered": ["A domain was registered.", z.object(domainUntil)],
  "domain.transferred_in": ["A domain came over from another registrar.", z.object(domainUntil)],
  "domain.transfer_failed": [
    "A transfer to us came to nothing, and its price is back on the balance.",
    z.object({ ...domain, reason: shownText("insufficient_balance") }),
  ],
  "domain.expiring": [
    `A domain expires soon: 30, 7 and 1 days before, each once for an expiry date.`,
    z.object({
      ...domainUntil,
      days_until_expiry: z.int().nonnegative(),
      notice_days: z.literal([...expiryNoticeDays]),
    }),
  ],
  "domain.renewed": ["A domain was renewed.", z.object(domainUntil)],
  "domain.renewal_failed": [
    "An automatic renewal failed: once for an expiry date and a reason.",
    z.object({ ...domainUntil, reason: shownText("insufficient_balance") }),
  ],
  "domain.expired": ["A domain expired.", z.object(domainUntil)],
  "domain.transferred_away": ["Another registrar holds a domain now.", z.object(domain)],
  "domain.deleted": [
    "A domain that nobody renewed is gone: anyone may register the name.",
    z.object(domainUntil),
  ],
  "server.provisioned": [
    "A server is there.",
    z.object({ ...server, ip_address: shownText("192.0.2.10"), expiry_date: timestamp }),
  ],
  "server.order_failed": ["The order of a server came to nothing; nothing stays charged.", z.object(server)],
  "server.expiring": [
    "A server's paid time ends soon: 7 days and 1 day before.",
    z.object({ ...server, expiry_date: timestamp, days_until_expiry: z.int(), notice_days: z.int() }),
  ],
  "server.renewed": ["A server was renewed.", z.object({ ...server, expiry_date: timestamp })],
  "server.renewal_failed": [
    "An automatic renewal of a server failed: once for an expiry date and a reason.",
    z.object({ ...server, expiry_date: timestamp, reason: shownText("insufficient_balance") }),
  ],
  "server.suspended": [
    "A server does not run any more. `held`: staff hold it, and say why in `hold_reason`; it cannot be renewed until they release it.",
    z.object({
      ...server,
      reason: shownText("staff"),
      held: z.boolean(),
      hold_reason: shownText("Abuse report 4711").nullable(),
    }),
  ],
  "server.unsuspended": ["A server may run again.", z.object(server)],
  "server.terminating": [
    "A server that expired is destroyed soon, with what is on it: 7 days and 1 day before.",
    z.object({ ...server, terminates_at: timestamp, days_until_termination: z.int(), notice_days: z.int() }),
  ],
  "server.terminated": ["A server's machine was destroyed, with what was on it.", z.object(server)],
  "invoice.issued": [
    "An invoice or a receipt was issued: `GET /billing/invoices` has it, and its files.",
    z.object({
      invoice_id: id,
      number: shownText("2026-7-000042"),
      action: shownText("purchase"),
      brutto: euroAmount,
    }),
  ],
  "invoice.corrected": [
    "A correction of an invoice was issued, or the cancellation of the receipt of a payment that was taken back (`cancels_receipt`): `GET /billing/invoices` has it, and its files.",
    z.object({
      invoice_id: id.meta({ description: "Id of the new document." }),
      number: shownText("2026-7-C000001"),
      action: shownText("refund"),
      brutto: euroAmount.meta({ description: "Below zero.", examples: [-11.9] }),
      corrects_invoice_id: id,
      corrects_number: shownText("2026-7-000042"),
      cancels_receipt: z.boolean().meta({ examples: [false] }),
    }),
  ],
  "balance.low": [
    "The balance fell below the threshold that `PUT /account/notices` set: once, until it was above and falls again.",
    z.object({ balance: euroAmount, balance_before: euroAmount }),
  ],
  "ticket.opened": [
    "A ticket was opened, by the customer or by us.",
    z.object({ ticket_id: id, priority: shownText("normal") }),
  ],
  "ticket.answered": ["We answered a ticket.", z.object({ ticket_id: id, comment_id: id })],
  "key.created": ["An API key was made.", z.object({ key_id: id, prefix: shownText("hlk_7f3a") })],
};
