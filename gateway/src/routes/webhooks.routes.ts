import type { Client } from "@connectrpc/connect";
import type { support as messages } from "@hostledger/protocol";

import { listed } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import { listQuery, statusText } from "../schemas/page.schema.ts";
import { done } from "../schemas/values.schema.ts";
import {
  createWebhookBody,
  deliveryList,
  deliveryPath,
  webhookList,
  webhookPath,
  webhookWithSecret,
} from "../schemas/webhook.schema.ts";
import { deliveryView, webhookView, webhookWithSecretView } from "../views/webhook.view.ts";

type SupportClient = Client<typeof messages.SupportService>;

/** Where the account is notified (contract, second part). Each reads: schema → Connect call → view. */
export function webhookRoutes(support: SupportClient): Operation[] {
  return [...ofWebhooks(support), ...ofDeliveries(support), deletion(support)];
}

function ofWebhooks(support: SupportClient): Operation[] {
  return [
    operation({
      id: "listWebhooks",
      scopes: ["webhooks", "read"],
      tag: "Webhooks",
      method: "get",
      path: "/webhooks",
      summary: "List the webhooks of the account, oldest first",
      request: { query: listQuery.extend({ status: statusText(["enabled", "disabled"]) }) },
      responses: { 200: webhookList },
      refusals: [],
      handle: ({ query }, { call }) =>
        listed("/webhooks", query, async (page) => {
          const { webhooks } = await support.listWebhooks({ page }, call);
          return webhooks.map(webhookView);
        }),
    }),
    operation({
      id: "createWebhook",
      scopes: ["webhooks"],
      tag: "Webhooks",
      method: "post",
      path: "/webhooks",
      summary: "Be notified at a URL; its secret is shown once, in this answer",
      description:
        "Notices are signed as Standard Webhooks 1.0 has it, and sent at least once, those about one resource in order; for three days until they are taken (2xx within 20 seconds). " +
        "The secret is shown this once: a request repeated under its `Idempotency-Key` is answered with `secret` null. If you did not receive it, delete the webhook and make another.",
      request: { body: createWebhookBody },
      responses: { 201: webhookWithSecret },
      secret: "secret",
      refusals: ["url-not-allowed", "too-many-webhooks", "quota-exceeded"],
      async handle({ body: { url, events = [] } }, { call }) {
        const created = await support.createWebhook({ url, kinds: events }, call);
        return { status: 201, body: webhookWithSecretView(created) };
      },
    }),
    operation({
      id: "rotateWebhook",
      scopes: ["webhooks"],
      tag: "Webhooks",
      method: "post",
      path: "/webhooks/{webhook}/rotate",
      summary: "Give a webhook a new secret, shown once; the former one signs, too, for a day",
      description:
        "A request repeated under its `Idempotency-Key` is answered with `secret` null. If you did not receive the secret, rotate again under another key, or delete the webhook and make another.",
      request: { params: webhookPath },
      responses: { 200: webhookWithSecret },
      secret: "secret",
      refusals: ["quota-exceeded"],
      async handle({ params: { webhook: webhookId } }, { call }) {
        const rotated = await support.rotateWebhookSecret({ webhookId }, call);
        return { status: 200, body: webhookWithSecretView(rotated) };
      },
    }),
  ];
}

function ofDeliveries(support: SupportClient): Operation[] {
  return [
    operation({
      id: "listWebhookDeliveries",
      scopes: ["webhooks", "read"],
      tag: "Webhooks",
      method: "get",
      path: "/webhooks/{webhook}/deliveries",
      summary: "List what was sent to a webhook in the last 45 days, or waits for it, oldest first",
      request: {
        params: webhookPath,
        query: listQuery.extend({ status: statusText(["pending", "delivered", "failed"]) }),
      },
      responses: { 200: deliveryList },
      refusals: [],
      handle: ({ params: { webhook: webhookId }, query }, { call }) =>
        listed(`/webhooks/${String(webhookId)}/deliveries`, query, async (page) => {
          const { deliveries } = await support.listWebhookDeliveries({ webhookId, page }, call);
          return deliveries.map(deliveryView);
        }),
    }),
    operation({
      id: "resendWebhookDelivery",
      scopes: ["webhooks"],
      tag: "Webhooks",
      method: "post",
      path: "/webhooks/{webhook}/deliveries/{delivery}/resend",
      summary: "Send a notice once more, whatever became of it",
      request: { params: deliveryPath },
      responses: { 200: done },
      exampleMessage: "The delivery is sent again",
      refusals: ["quota-exceeded"],
      async handle({ params: { webhook: webhookId, delivery: deliveryId } }, { call }) {
        await support.resendWebhookDelivery({ webhookId, deliveryId }, call);
        return { status: 200, body: { status: true, message: "The delivery is sent again" } };
      },
    }),
  ];
}

function deletion(support: SupportClient): Operation {
  return operation({
    id: "deleteWebhook",
    scopes: ["webhooks"],
    tag: "Webhooks",
    method: "delete",
    path: "/webhooks/{webhook}",
    summary: "Delete a webhook",
    request: { params: webhookPath },
    responses: { 200: done },
    exampleMessage: "Webhook deleted",
    refusals: [],
    async handle({ params: { webhook: webhookId } }, { call }) {
      await support.deleteWebhook({ webhookId }, call);
      return { status: 200, body: { status: true, message: "Webhook deleted" } };
    },
  });
}
