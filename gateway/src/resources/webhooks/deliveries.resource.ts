import { support as messages } from "@hostledger/protocol";
import { z } from "zod";

import { listed, listQuery, statusText } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import { done, id, resourceId, shownText, timestamp } from "../../http/values.schema.ts";
import { view } from "../../http/view.codec.ts";

export const webhookPath = z.object({ webhook: resourceId.meta({ description: "Webhook id." }) });

const statuses = ["pending", "delivered", "failed"] as const;

/** Query of a list of deliveries. */
export const deliveryQuery = listQuery.extend({ status: statusText(statuses) });

/** Delivery of a notice to a webhook. */
export const delivery = z
  .object({
    id,
    webhook_id: shownText("3f0d1c3e8a", "Id of the notice, which the receiver gets as header `webhook-id`."),
    event: shownText("domain.registered"),
    status: z.enum(statuses).meta({ examples: ["delivered"] }),
    attempts: z
      .int()
      .nonnegative()
      .meta({ description: "Attempts since the delivery was created or resent." }),
    response_status: z
      .int()
      .nullable()
      .meta({ description: "HTTP status of the last answer.", examples: [200] }),
    error: z
      .string()
      .nullable()
      .meta({ description: "Reason of the last failure.", examples: [null] }),
    created_at: timestamp,
    last_attempt_at: timestamp.nullable(),
    next_attempt_at: timestamp.nullable().meta({ examples: [null] }),
  })
  .meta({ id: "WebhookDelivery", description: "Delivery of a notice to a webhook." });

/** Properties of a delivery that differ from the service's message. */
export const deliveryMembers = {
  id: ({ deliveryId }: messages.WebhookDelivery) => Number(deliveryId),
  event: ({ kind }: messages.WebhookDelivery) => kind,
  status: ({ status }: messages.WebhookDelivery) => delivery.shape.status.parse(status),
};

const deliveryView = view(messages.WebhookDeliverySchema, delivery, {
  ...deliveryMembers,
  webhook_id: ({ noticeId }) => noticeId,
});

export const deliveryOperations = [
  operation({
    id: "listWebhookDeliveries",
    scopes: ["webhooks", "read"],
    route: "GET /webhooks/{webhook}/deliveries",
    summary: "List a webhook's deliveries of the last 45 days, oldest first",
    request: { params: webhookPath, query: deliveryQuery },
    responses: { 200: z.array(delivery) },
    refusals: [],
    answer: ({ params: { webhook: webhookId }, query }, { support, call }) =>
      listed(`/webhooks/${String(webhookId)}/deliveries`, query, async (page) =>
        (await support.listWebhookDeliveries({ webhookId, page }, call)).deliveries.map(deliveryView),
      ),
  }),
  operation({
    id: "resendWebhookDelivery",
    scopes: ["webhooks"],
    route: "POST /webhooks/{webhook}/deliveries/{delivery}/resend",
    summary: "Send a notice again, whatever its status",
    request: { params: webhookPath.extend({ delivery: resourceId.meta({ description: "Delivery id." }) }) },
    responses: { 200: done },
    message: "The delivery is sent again",
    refusals: ["quota-exceeded"],
    async body({ params: { webhook: webhookId, delivery: deliveryId } }, { support, call }) {
      await support.resendWebhookDelivery({ webhookId, deliveryId }, call);
    },
  }),
];
