import type { Client } from "@connectrpc/connect";
import type { support as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { listed } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import { listQuery, statusText } from "../schemas/page.schema.ts";
import { done } from "../schemas/values.schema.ts";
import {
  changeWebhookBody,
  createWebhookBody,
  deliveryList,
  deliveryPath,
  testedWebhook,
  webhook,
  webhookList,
  webhookPath,
  webhookWithSecret,
} from "../schemas/webhook.schema.ts";
import { present } from "../views/view.codec.ts";
import {
  deliveryView,
  testedWebhookView,
  webhookView,
  webhookWithSecretView,
} from "../views/webhook.view.ts";

type SupportClient = Client<typeof messages.SupportService>;

/** Operations on webhooks (contract, second part). */
export function webhookRoutes(support: SupportClient): Operation[] {
  return [...ofWebhooks(support), ...ofDeliveries(support), ...ofOne(support), deletion(support)];
}

function ofOne(support: SupportClient): Operation[] {
  return [
    operation({
      id: "testWebhook",
      scopes: ["webhooks"],
      tag: "Webhooks",
      method: "post",
      path: "/webhooks/{webhook}/test",
      summary: "Send a test event to a webhook now, and say what came back",
      description:
        "The event has the type `webhook.test`, whatever the webhook is notified of, and is signed as notices are. It is sent once, also to a webhook that is paused or disabled, " +
        "and changes nothing about it. The answer comes within 20 seconds; while it is waited for, another test of the account is 503.",
      request: { params: webhookPath },
      responses: { 200: testedWebhook },
      exampleMessage: "The endpoint took the test event",
      refusals: ["quota-exceeded"],
      async handle({ params: { webhook: webhookId } }, { call }) {
        return { status: 200, body: testedWebhookView(await support.testWebhook({ webhookId }, call)) };
      },
    }),
    operation({
      id: "getWebhook",
      scopes: ["webhooks", "read"],
      tag: "Webhooks",
      method: "get",
      path: "/webhooks/{webhook}",
      summary: "Read a webhook",
      request: { params: webhookPath },
      responses: { 200: webhook },
      refusals: [],
      async handle({ params: { webhook: webhookId } }, { call }) {
        const read = await support.getWebhook({ webhookId }, call);
        return { status: 200, body: webhookView(present(read.webhook, "GetWebhookResponse.webhook")) };
      },
    }),
    operation({
      id: "updateWebhook",
      scopes: ["webhooks"],
      tag: "Webhooks",
      method: "put",
      path: "/webhooks/{webhook}",
      summary: "Edit a webhook, pause it, or enable it again; its secret stays",
      description:
        "What is absent stays as it is. While a webhook is paused or disabled, notices are not kept for it; those that wait are given up. " +
        "Notices that wait when the URL changes go to the new one.",
      request: { params: webhookPath, body: changeWebhookBody },
      responses: { 200: webhook },
      refusals: ["url-not-allowed", "quota-exceeded"],
      revisionOf: async ({ params: { webhook: webhookId } }, { call }) =>
        (await support.getWebhookRevision({ webhookId }, call)).revision,
      async handle({ params: { webhook: webhookId }, body: { url, events: kinds, enabled } }, { call }) {
        const changed = await support.changeWebhook({ webhookId, ...defined({ url, kinds, enabled }) }, call);
        return { status: 200, body: webhookView(present(changed.webhook, "ChangeWebhookResponse.webhook")) };
      },
    }),
  ];
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
