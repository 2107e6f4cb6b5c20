import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, line, secret, text } from "../kernel/fields.ts";

/** Characters of a webhook's URL. */
export const maximumWebhookUrl = 1_000;

/** As Standard Webhooks writes a secret: `whsec_` and base64. It is read again to sign with it. */
const signingSecret = secret(line(100));

/** What happens to the webhooks of an account (stream `webhook-<account>`). */
export const webhookEvents = defineEvents({
  WebhookCreated: event("The account is notified at a URL of its own from now on.", {
    accountId: id,
    webhookId: id,
    /** Secret too: many receivers know their senders by a URL that nobody else has. */
    url: secret(line(maximumWebhookUrl)),
    /** What of; null for everything there is and will be. */
    kinds: z.array(line(64)).min(1).max(64).nullable(),
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
  WebhookDisabled: event("The URL took nothing for three days: nothing is sent there any more.", {
    accountId: id,
    webhookId: id,
    disabledAt: instant,
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
