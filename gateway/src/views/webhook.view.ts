import { support as messages } from "@hostledger/protocol";
import type { z } from "zod";

import * as schemas from "../schemas/webhook.schema.ts";
import { present, view } from "./view.codec.ts";

export const webhookView = view(messages.WebhookSchema, schemas.webhook, {
  id: ({ webhookId }) => Number(webhookId),
  events: ({ kinds }) => kinds,
  enabled: ({ disabledAt }) => disabledAt === undefined,
});

/** A webhook with its secret, which is shown once. */
export function webhookWithSecretView({
  webhook,
  secret,
}: Pick<messages.CreateWebhookResponse, "webhook" | "secret">): z.infer<typeof schemas.webhookWithSecret> {
  const { id, url, events } = webhookView(present(webhook, "CreateWebhookResponse.webhook"));
  return { id, url, events, secret };
}

/** Result of a test event. */
export function testedWebhookView({
  noticeId,
  responseStatus,
  error,
}: Pick<messages.TestWebhookResponse, "noticeId" | "responseStatus" | "error">): z.infer<
  typeof schemas.testedWebhook
> {
  const delivered = error === undefined;
  return {
    status: true,
    message: `The endpoint ${delivered ? "took" : "did not take"} the test event`,
    delivered,
    webhook_id: noticeId,
    response_status: responseStatus ?? null,
    error: error ?? null,
  };
}

const statuses = schemas.delivery.shape.status;

export const deliveryView = view(messages.WebhookDeliverySchema, schemas.delivery, {
  id: ({ deliveryId }) => Number(deliveryId),
  webhook_id: ({ noticeId }) => noticeId,
  event: ({ kind }) => kind,
  status: ({ status }) => statuses.parse(status),
});
