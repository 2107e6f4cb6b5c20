import { support as messages } from "@hostledger/protocol";
import { maximumWebhookUrl, noticeKinds } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { z } from "zod";

import { listed, listQuery, statusText } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import {
  areDistinct,
  done,
  flag,
  id,
  inputExamples,
  line,
  shownText,
  succeeded,
  timestamp,
} from "../../http/values.schema.ts";
import { present, view } from "../../http/view.codec.ts";
import { deliveryOperations, webhookPath } from "./deliveries.resource.ts";

const kindsRule = `must list some of ${noticeKinds.join(", ")}`;

/** A list of notice kinds without duplicates. */
export const listedKinds = z
  .array(z.enum(noticeKinds, { error: `must be one of ${noticeKinds.join(", ")}` }), { error: kindsRule })
  .max(noticeKinds.length, { error: kindsRule })
  .refine(areDistinct, { error: "must not list one twice" });

const urlText = line({ minimum: 1, maximum: maximumWebhookUrl });
const urlMeta = {
  description: "An `http` or `https` URL of a host on the Internet, without a user name.",
  ...inputExamples("https://hooks.example/hostledger"),
};
const eventsText = (description: string) =>
  listedKinds
    .min(1, { error: kindsRule })
    .optional()
    .meta({ description, examples: [["domain.registered", "invoice.issued"]] });

/** Body of `POST /webhooks`. The service validates the URL. */
const createWebhookBody = z.object({
  url: urlText.meta(urlMeta),
  events: eventsText("Kinds of notices to send. Default: all present and future kinds."),
});

/** Body of `PUT /webhooks/{webhook}`; absent fields stay unchanged. */
const changeWebhookBody = z.object({
  url: urlText.optional().meta(urlMeta),
  events: eventsText(
    "Kinds of notices to send. A list of all kinds, as `GET` shows them, includes future kinds too.",
  ),
  enabled: flag.optional().meta({
    description:
      "False pauses the webhook. True enables it, also after the service disabled it; the webhook gets the notices from then on.",
    examples: [true],
  }),
});

const testedWebhook = succeeded({
  delivered: z
    .boolean()
    .meta({ description: "True if the endpoint accepted the test event.", examples: [true] }),
  webhook_id: shownText("evt_3f0d1c3e8a", "The header `webhook-id` of the test event."),
  response_status: z
    .int()
    .nullable()
    .meta({ description: "HTTP status of the endpoint's answer; null without an answer.", examples: [200] }),
  error: z
    .string()
    .nullable()
    .meta({ description: "Reason of the failure; null after success.", examples: [null] }),
});

const webhookFields = {
  id,
  url: shownText("https://hooks.example/hostledger"),
  events: z
    .array(z.string())
    .meta({ description: "Kinds of notices sent.", examples: [["domain.registered", "invoice.issued"]] }),
};

/** Answer of `POST /webhooks` and of a rotation (contract, second part). */
const webhookWithSecret = z
  .object({
    ...webhookFields,
    secret: z
      .string()
      .nullable()
      .meta({
        examples: ["whsec_…"],
        description:
          "Secret that signs the notices (`whsec_…`), shown only in this answer. Null if the answer is repeated for an `Idempotency-Key`: delete the webhook and create another.",
      }),
  })
  .meta({ id: "WebhookWithSecret", description: "A webhook with its secret." });

const webhook = z
  .object({
    ...webhookFields,
    enabled: z.boolean().meta({ description: "True if notices are sent to the webhook.", examples: [true] }),
    created_at: timestamp,
    disabled_at: timestamp.nullable().meta({
      examples: [null],
      description:
        "Time at which the webhook was paused or disabled. The service disables a webhook that answers 410 or fails for three days. `PUT` enables it.",
    }),
  })
  .meta({ id: "Webhook", description: "A webhook without its secret." });

const webhookView = view(messages.WebhookSchema, webhook, {
  id: ({ webhookId }) => Number(webhookId),
  events: ({ kinds }) => kinds,
  enabled: ({ disabledAt }) => disabledAt === undefined,
});

/** A webhook with its secret, which is shown once. */
function webhookWithSecretView({
  webhook: created,
  secret,
}: Pick<messages.CreateWebhookResponse, "webhook" | "secret">): z.output<typeof webhookWithSecret> {
  const { id: webhookId, url, events } = webhookView(present(created, "CreateWebhookResponse.webhook"));
  return { id: webhookId, url, events, secret };
}

/** Operations on webhooks (contract, second part). */
export const webhookOperations = [
  operation({
    id: "listWebhooks",
    scopes: ["webhooks", "read"],
    route: "GET /webhooks",
    summary: "List the account's webhooks, oldest first",
    request: { query: listQuery.extend({ status: statusText(["enabled", "disabled"]) }) },
    responses: { 200: z.array(webhook) },
    refusals: [],
    answer: ({ query }, { support, call }) =>
      listed("/webhooks", query, async (page) =>
        (await support.listWebhooks({ page }, call)).webhooks.map(webhookView),
      ),
  }),
  operation({
    id: "createWebhook",
    scopes: ["webhooks"],
    route: "POST /webhooks",
    summary: "Create a webhook, whose secret only this answer shows",
    description:
      "Notices are signed per Standard Webhooks 1.0 and sent at least once; notices about one resource arrive in order. " +
      "The service retries for three days until the endpoint answers 2xx within 20 seconds. " +
      "A repeat of the request with its `Idempotency-Key` gets `secret` null. If you did not receive the secret, delete the webhook and create another.",
    request: { body: createWebhookBody },
    responses: { 201: webhookWithSecret },
    secret: "secret",
    refusals: ["url-not-allowed", "too-many-webhooks", "quota-exceeded"],
    body: async ({ body: { url, events: kinds = [] } }, { support, call }) =>
      webhookWithSecretView(await support.createWebhook({ url, kinds }, call)),
  }),
  operation({
    id: "rotateWebhook",
    scopes: ["webhooks"],
    route: "POST /webhooks/{webhook}/rotate",
    summary: "Replace a webhook's secret, which only this answer shows",
    description:
      "For one day notices are signed with both secrets. A repeat of the request with its `Idempotency-Key` gets `secret` null. " +
      "If you did not receive the secret, rotate again with another key, or delete the webhook and create another.",
    request: { params: webhookPath },
    responses: { 200: webhookWithSecret },
    secret: "secret",
    refusals: ["quota-exceeded"],
    body: async ({ params: { webhook: webhookId } }, { support, call }) =>
      webhookWithSecretView(await support.rotateWebhookSecret({ webhookId }, call)),
  }),
  ...deliveryOperations,
  operation({
    id: "testWebhook",
    scopes: ["webhooks"],
    route: "POST /webhooks/{webhook}/test",
    summary: "Send a test event to a webhook and return the endpoint's answer",
    description:
      "The event has the type `webhook.test`, whatever kinds the webhook gets, and is signed like a notice. " +
      "It is sent once, also to a paused or disabled webhook, and changes nothing about the webhook. " +
      "The answer comes within 20 seconds; a second test of the account in that time is refused with 503.",
    request: { params: webhookPath },
    responses: { 200: testedWebhook },
    message: "The endpoint took the test event",
    refusals: ["quota-exceeded"],
    async body({ params: { webhook: webhookId } }, { support, call }) {
      const { noticeId, responseStatus, error } = await support.testWebhook({ webhookId }, call);
      const delivered = error === undefined;
      return {
        message: `The endpoint ${delivered ? "took" : "did not take"} the test event`,
        delivered,
        webhook_id: noticeId,
        response_status: responseStatus ?? null,
        error: error ?? null,
      };
    },
  }),
  operation({
    id: "getWebhook",
    scopes: ["webhooks", "read"],
    route: "GET /webhooks/{webhook}",
    summary: "Read a webhook",
    request: { params: webhookPath },
    responses: { 200: webhook },
    refusals: [],
    async body({ params: { webhook: webhookId } }, { support, call }) {
      const found = await support.getWebhook({ webhookId }, call);
      return webhookView(present(found.webhook, "GetWebhookResponse.webhook"));
    },
  }),
  operation({
    id: "updateWebhook",
    scopes: ["webhooks"],
    route: "PUT /webhooks/{webhook}",
    summary: "Change, pause or enable a webhook; its secret stays",
    description:
      "Absent fields stay unchanged. A paused or disabled webhook gets no notices: waiting notices are dropped and new ones are not stored for it. " +
      "If the URL changes, waiting notices go to the new URL.",
    request: { params: webhookPath, body: changeWebhookBody },
    responses: { 200: webhook },
    refusals: ["url-not-allowed", "quota-exceeded"],
    revisionOf: async ({ params: { webhook: webhookId } }, { support, call }) =>
      (await support.getWebhookRevision({ webhookId }, call)).revision,
    async body({ params, body: { url, events: kinds, enabled } }, { support, call }) {
      const changes = { webhookId: params.webhook, ...defined({ url, kinds, enabled }) };
      const changed = await support.changeWebhook(changes, call);
      return webhookView(present(changed.webhook, "ChangeWebhookResponse.webhook"));
    },
  }),
  operation({
    id: "deleteWebhook",
    scopes: ["webhooks"],
    route: "DELETE /webhooks/{webhook}",
    summary: "Delete a webhook",
    request: { params: webhookPath },
    responses: { 200: done },
    message: "Webhook deleted",
    refusals: [],
    async body({ params: { webhook: webhookId } }, { support, call }) {
      await support.deleteWebhook({ webhookId }, call);
    },
  }),
];
