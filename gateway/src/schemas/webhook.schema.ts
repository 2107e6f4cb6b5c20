import { maximumWebhookUrl, noticeKinds } from "@hostledger/rpc";
import { z } from "zod";

import { line } from "./text.schema.ts";
import { flag, id, inputExamples, message, resourceId, timestamp, shownText } from "./values.schema.ts";

export const webhookPath = z.object({ webhook: resourceId.meta({ description: "Webhook id." }) });

export const deliveryPath = webhookPath.extend({
  delivery: resourceId.meta({ description: "Delivery id." }),
});

const kindsRule = `must list some of ${noticeKinds.join(", ")}`;

/** A list of notice kinds without duplicates. */
export const listedKinds = z
  .array(z.enum(noticeKinds, { error: `must be one of ${noticeKinds.join(", ")}` }), { error: kindsRule })
  .max(noticeKinds.length, { error: kindsRule })
  .refine((kinds) => new Set(kinds).size === kinds.length, { error: "must not list one twice" });

const urlText = line({ minimum: 1, maximum: maximumWebhookUrl });
const urlMeta = {
  description: "An `http` or `https` URL of a host on the Internet, without a user.",
  ...inputExamples("https://hooks.example/hostledger"),
};

/** Body of `POST /webhooks`. The service validates the URL. */
export const createWebhookBody = z.object({
  url: urlText.meta(urlMeta),
  events: listedKinds
    .min(1, { error: kindsRule })
    .optional()
    .meta({
      description: "What to be notified of; without them everything there is and will be.",
      examples: [["domain.registered", "invoice.issued"]],
    }),
});

/** Body of `PUT /webhooks/{webhook}`; absent fields stay unchanged. */
export const changeWebhookBody = z.object({
  url: urlText.optional().meta(urlMeta),
  events: listedKinds
    .min(1, { error: kindsRule })
    .optional()
    .meta({
      description:
        "What to be notified of; all kinds, as `GET` shows them, mean everything there is and will be.",
      examples: [["domain.registered", "invoice.issued"]],
    }),
  enabled: flag.optional().meta({
    description:
      "False pauses the webhook: nothing is sent to it. True sends what happens from now on, also after it was disabled.",
    examples: [true],
  }),
});

export const testedWebhook = z.object({
  status: z.literal(true),
  message,
  delivered: z.boolean().meta({ description: "Whether the endpoint took the test event.", examples: [true] }),
  webhook_id: shownText("evt_3f0d1c3e8a", "The header `webhook-id` of the test event."),
  response_status: z
    .int()
    .nullable()
    .meta({ description: "Status of the endpoint's answer; null if there was none.", examples: [200] }),
  error: z
    .string()
    .nullable()
    .meta({ description: "Why the endpoint did not take it; null if it did.", examples: [null] }),
});

const webhookFields = {
  id,
  url: shownText("https://hooks.example/hostledger"),
  events: z
    .array(z.string())
    .meta({ description: "What it is notified of.", examples: [["domain.registered", "invoice.issued"]] }),
};

/** Answer of `POST /webhooks` and of a rotation (contract, second part). */
export const webhookWithSecret = z
  .object({
    ...webhookFields,
    secret: z
      .string()
      .nullable()
      .meta({
        examples: ["whsec_…"],
        description:
          "What notices are signed with (`whsec_…`), shown this once; null in an answer repeated under an `Idempotency-Key`: delete the webhook and make another.",
      }),
  })
  .meta({ id: "WebhookWithSecret", description: "A webhook with its secret." });

export const webhook = z
  .object({
    ...webhookFields,
    enabled: z.boolean().meta({ description: "Whether notices are sent to it.", examples: [true] }),
    created_at: timestamp,
    disabled_at: timestamp.nullable().meta({
      examples: [null],
      description:
        "Since when nothing is sent to it: it was paused, or had taken nothing for three days, or answered 410. `PUT` enables it.",
    }),
  })
  .meta({ id: "Webhook", description: "A webhook, without its secret." });

export const webhookList = z.array(webhook);

/** Delivery of a notice to a webhook. */
export const delivery = z
  .object({
    id,
    webhook_id: shownText("3f0d1c3e8a", "What the receiver knows the notice by: the header `webhook-id`."),
    event: shownText("domain.registered"),
    status: z.enum(["pending", "delivered", "failed"]).meta({ examples: ["delivered"] }),
    attempts: z.int().nonnegative().meta({ description: "Since it was created, or sent again." }),
    response_status: z
      .int()
      .nullable()
      .meta({ description: "Status of the last answer.", examples: [200] }),
    error: z
      .string()
      .nullable()
      .meta({ description: "Why it was not taken.", examples: [null] }),
    created_at: timestamp,
    last_attempt_at: timestamp.nullable(),
    next_attempt_at: timestamp.nullable().meta({ examples: [null] }),
  })
  .meta({ id: "WebhookDelivery", description: "A notice on its way to a webhook." });

export const deliveryList = z.array(delivery);
