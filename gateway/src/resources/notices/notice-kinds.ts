import { expiryNoticeDays, type NoticeKind, noticeKinds } from "@hostledger/rpc";
import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";

import { euroAmount, id, shownText, timestamp } from "../../http/values.schema.ts";

const headers = z.object({
  "webhook-id": z.string().meta({
    description: "Id of the notice, equal in all attempts and when it is resent.",
  }),
  "webhook-timestamp": z.string().meta({ description: "Time of this attempt, in seconds since 1970." }),
  "webhook-signature": z.string().meta({
    description:
      "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. For a day after a rotation two signatures, separated by a space.",
  }),
});

const testEvent = [
  "webhook.test",
  "The account sent a test event with `POST /webhooks/{webhook}/test`.",
  z.object({ webhook_id: id }),
] as const;

/** Describes every notice as a request to a webhook's receiver. */
export function describeNotices(): ZodOpenApiPathsObject {
  const kinds = [...noticeKinds.map((kind) => [kind, ...noticeSchemas[kind]] as const), testEvent];
  return Object.fromEntries(
    kinds.map(([kind, summary, data]) => {
      const body = z.object({ type: z.literal(kind), timestamp, data });
      const post = {
        operationId: `on${kind
          .split(/[._]/u)
          .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
          .join("")}`,
        tags: ["Webhooks"],
        summary,
        security: [],
        requestParams: { header: headers },
        requestBody: { required: true, content: { "application/json": { schema: body } } },
        responses: {
          "2XX": {
            description:
              "Accepted. After any other status, or none within 20 seconds, the service retries for three days. 410 disables the webhook. The service obeys `Retry-After` of 429 and 503, up to a day.",
          },
        },
      };
      return [kind, { post }] as const;
    }),
  );
}

const domain = { domain_id: id, domain_name: shownText("example.com") };
const domainUntil = { ...domain, expiry_date: timestamp.nullable() };
const server = { server_id: id };

const noticeSchemas: Readonly<Record<NoticeKind, readonly [sentence: string, data: z.ZodObject]>> = {
  "domain.registered": ["A domain was registered.", z.object(domainUntil)],
  "domain.transferred_in": ["A domain was transferred from another registrar.", z.object(domainUntil)],
  "domain.transfer_failed": [
    "A transfer to us failed, and its price was refunded to the balance.",
    z.object({ ...domain, reason: shownText("insufficient_balance") }),
  ],
  "domain.expiring": [
    "A domain expires soon. The notice is sent 30, 7 and 1 days before, once each per expiry date.",
    z.object({
      ...domainUntil,
      days_until_expiry: z.int().nonnegative(),
      notice_days: z.literal([...expiryNoticeDays]),
    }),
  ],
  "domain.renewed": ["A domain was renewed.", z.object(domainUntil)],
  "domain.renewal_failed": [
    "An automatic renewal failed. The notice is sent once per expiry date and reason.",
    z.object({ ...domainUntil, reason: shownText("insufficient_balance") }),
  ],
  "domain.expired": ["A domain expired.", z.object(domainUntil)],
  "domain.transferred_away": ["A domain was transferred to another registrar.", z.object(domain)],
  "domain.deleted": [
    "A domain that was not renewed was deleted. Anyone may register the name.",
    z.object(domainUntil),
  ],
  "server.provisioned": [
    "A server is ready.",
    z.object({ ...server, ip_address: shownText("192.0.2.10"), expiry_date: timestamp }),
  ],
  "server.order_failed": ["The order of a server failed, and its price was refunded.", z.object(server)],
  "server.expiring": [
    "A server's paid term ends soon. The notice is sent 7 days and 1 day before.",
    z.object({ ...server, expiry_date: timestamp, days_until_expiry: z.int(), notice_days: z.int() }),
  ],
  "server.renewed": ["A server was renewed.", z.object({ ...server, expiry_date: timestamp })],
  "server.renewal_failed": [
    "An automatic renewal of a server failed. The notice is sent once per expiry date and reason.",
    z.object({ ...server, expiry_date: timestamp, reason: shownText("insufficient_balance") }),
  ],
  "server.suspended": [
    "A server was suspended. If `held` is true, staff hold it for the reason in `hold_reason`, and it cannot be renewed until they release it.",
    z.object({
      ...server,
      reason: shownText("staff"),
      held: z.boolean(),
      hold_reason: shownText("Abuse report 4711").nullable(),
    }),
  ],
  "server.unsuspended": ["A server was unsuspended.", z.object(server)],
  "server.terminating": [
    "An expired server and its data are destroyed soon. The notice is sent 7 days and 1 day before.",
    z.object({ ...server, terminates_at: timestamp, days_until_termination: z.int(), notice_days: z.int() }),
  ],
  "server.terminated": ["A server and its data were destroyed.", z.object(server)],
  "invoice.issued": [
    "An invoice or a receipt was issued. Read it with `GET /billing/invoices/{invoice}`.",
    z.object({
      invoice_id: id,
      number: shownText("2026-7-000042"),
      action: shownText("purchase"),
      brutto: euroAmount,
    }),
  ],
  "invoice.corrected": [
    "A correction of an invoice was issued, or the cancellation of a receipt (`cancels_receipt`) after its payment was reversed. Read it with `GET /billing/invoices/{invoice}`.",
    z.object({
      invoice_id: id.meta({ description: "Id of the new document." }),
      number: shownText("2026-7-C000001"),
      action: shownText("refund"),
      brutto: euroAmount.meta({ description: "Negative amount.", examples: [-11.9] }),
      corrects_invoice_id: id,
      corrects_number: shownText("2026-7-000042"),
      cancels_receipt: z.boolean().meta({ examples: [false] }),
    }),
  ],
  "balance.low": [
    "The balance fell below the threshold of `PUT /account/notices`. The notice is sent once each time.",
    z.object({ balance: euroAmount, balance_before: euroAmount }),
  ],
  "balance.in_debt": [
    "Reminder that the balance is below zero. It comes after the days of debt that the operator set, each time once, until a payment ends the debt.",
    z.object({
      balance: euroAmount.meta({ description: "Negative amount.", examples: [-9.99] }),
      debt_since: timestamp,
      debt_days: z
        .int()
        .meta({ description: "Days of debt after which this reminder is due.", examples: [10] }),
      reminder: z.int().meta({ description: "Number of the reminder in this debt, from 1.", examples: [2] }),
    }),
  ],
  "topup.settled": [
    "The money of a payment came, and is credited next. The payment may be an automatic top-up. Read it with `GET /billing/topups/{topup}`.",
    z.object({
      topup_id: id,
      paid: euroAmount.meta({ description: "Euros that came.", examples: [50] }),
    }),
  ],
  "topup.failed": [
    "A payment brought no money. After `mandate_revoked` the stored method cannot pay any more, and automatic top-ups on the method stop.",
    z.object({
      topup_id: id,
      failure: z.enum(["declined", "refused", "mandate_revoked", "expired"]).meta({ examples: ["declined"] }),
    }),
  ],
  "ticket.opened": [
    "The customer or the service opened a ticket.",
    z.object({ ticket_id: id, priority: shownText("normal") }),
  ],
  "ticket.answered": ["Staff answered a ticket.", z.object({ ticket_id: id, comment_id: id })],
  "key.created": ["An API key was created.", z.object({ key_id: id, prefix: shownText("hlk_7f3a") })],
};
