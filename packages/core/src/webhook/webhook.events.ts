import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, line, secret, text } from "../kernel/fields.ts";

/** Characters of a webhook's URL. */
export const maximumWebhookUrl = 1_000;

/** As Standard Webhooks writes a secret: `whsec_` and base64. It is read again to sign with it. */
const signingSecret = secret(line(100));

/** Secret too: many receivers know their senders by a URL that nobody else has. */
const url = secret(line(maximumWebhookUrl));

/** What of; null for everything there is and will be. */
const kinds = z.array(line(64)).min(1).max(64).nullable();

/** What happens to the webhooks of an account (stream `webhook-<account>`). */
export const webhookEvents = defineEvents({
  WebhookCreated: event("The account is notified at a URL of its own from now on.", {
    accountId: id,
    webhookId: id,
    url,
    kinds,
    secret: signingSecret,
    /** The request that it was created for. */
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
      /** The request that it was rotated for. */
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
      /** How often the webhook has been disabled, this time included. */
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

/** One of these. */
export type WebhookEvent = EventOf<typeof webhookEvents>;

/** Reads and names the facts about webhooks. */
export const webhookCodec = eventCodec(webhookEvents);
