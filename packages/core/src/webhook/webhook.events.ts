import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, line, secret, text } from "../kernel/fields.ts";

/** Maximum characters of a webhook's URL. */
export const maximumWebhookUrl = 1_000;

/** A secret as in Standard Webhooks: `whsec_` and base64. The program reads it to sign. */
const signingSecret = secret(line(100));

/** A secret, because many receivers authenticate senders by a URL that is not public. */
const url = secret(line(maximumWebhookUrl));

/** Kinds of notices; null for all present and future kinds. */
const kinds = z.array(line(64)).min(1).max(64).nullable();

/** Events of an account's webhooks (stream `webhook-<account>`). */
export const webhookEvents = defineEvents({
  WebhookCreated: event("The account created a webhook and from now on gets notices at its URL.", {
    accountId: id,
    webhookId: id,
    url,
    kinds,
    secret: signingSecret,
    operationId: text,
    createdAt: instant,
  }),
  WebhookSecretRotated: event(
    "The account replaced the secret of the webhook. For one day the old secret signs too, so that the receiver can change over.",
    {
      accountId: id,
      webhookId: id,
      secret: signingSecret,
      formerSecretUntil: instant,
      operationId: text,
      rotatedAt: instant,
    },
  ),
  WebhookChanged: event("The account changed the URL or the kinds of notices of the webhook.", {
    accountId: id,
    webhookId: id,
    url,
    kinds,
    changedAt: instant,
  }),
  WebhookDisabled: event(
    "The service disabled the webhook, because its URL accepted nothing for three days or answered 410. Nothing is sent until the account enables it.",
    {
      accountId: id,
      webhookId: id,
      disabledAt: instant,
      /** Times that the webhook was disabled, this time included. */
      times: z.int().positive(),
    },
    { firstVersion: 2 },
  ),
  WebhookPaused: event("The account paused the webhook. Nothing is sent until the account enables it.", {
    accountId: id,
    webhookId: id,
    pausedAt: instant,
  }),
  WebhookEnabled: event("The account enabled the webhook. Events from now on are sent again.", {
    accountId: id,
    webhookId: id,
    enabledAt: instant,
  }),
  WebhookDeleted: event("The account deleted the webhook and gets no more notices at its URL.", {
    accountId: id,
    webhookId: id,
    deletedAt: instant,
  }),
});

export type WebhookEvent = EventOf<typeof webhookEvents>;

export const webhookCodec = eventCodec(webhookEvents);
