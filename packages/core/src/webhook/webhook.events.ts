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
  WebhookCreated: event("The account is notified at a URL of its own from now on.", {
    accountId: id,
    webhookId: id,
    url,
    kinds,
    secret: signingSecret,
    operationId: text,
    createdAt: instant,
  }),
  WebhookSecretRotated: event(
    "The webhook has a new secret; for a day the former one signs beside it, so that its receiver can change over.",
    {
      accountId: id,
      webhookId: id,
      secret: signingSecret,
      formerSecretUntil: instant,
      operationId: text,
      rotatedAt: instant,
    },
  ),
  WebhookChanged: event("The account edited the webhook: its URL and kinds are these from now on.", {
    accountId: id,
    webhookId: id,
    url,
    kinds,
    changedAt: instant,
  }),
  WebhookDisabled: event(
    "The URL took nothing for three days, or answered 410: nothing is sent there until the account enables the webhook.",
    {
      accountId: id,
      webhookId: id,
      disabledAt: instant,
      /** Times that the webhook was disabled, this time included. */
      times: z.int().positive(),
    },
    { firstVersion: 2 },
  ),
  WebhookPaused: event(
    "The account paused the webhook: nothing is sent there until the account enables it.",
    {
      accountId: id,
      webhookId: id,
      pausedAt: instant,
    },
  ),
  WebhookEnabled: event("The account enabled the webhook: what happens from now on is sent there again.", {
    accountId: id,
    webhookId: id,
    enabledAt: instant,
  }),
  WebhookDeleted: event("The account is no longer notified there.", {
    accountId: id,
    webhookId: id,
    deletedAt: instant,
  }),
});

export type WebhookEvent = EventOf<typeof webhookEvents>;

export const webhookCodec = eventCodec(webhookEvents);
