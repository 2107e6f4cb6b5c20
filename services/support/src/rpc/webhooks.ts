import type { ServiceImpl } from "@connectrpc/connect";
import {
  isNoticeKind,
  type NoticeKind,
  noticeKinds,
  parsed,
  type Parsed,
  parseWebhookUrl,
  rejection,
  signingSecrets,
  unparsable,
  type Webhook,
  webhookAggregate,
  type WebhookCommand,
  type WebhookState,
} from "@hostledger/core";
import { type CommandContext, refusalOf, unusedId } from "@hostledger/store";
import type { support } from "@hostledger/protocol";
import {
  claimRequest,
  conditionOf,
  rejectionError,
  requestContextOf,
  requestedId,
  requestedSelection,
  requireAccepted,
  requireAccount,
  selectItems,
  useQuota,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { SupportDependencies } from "../dependencies.ts";
import { targetOf } from "../notices/receiver.ts";
import { pausedReason } from "../notices/webhook-receiver.ts";
import { loadWebhooks, ownWebhook } from "./own-webhook.ts";
import { sendAgain } from "./send-again.ts";
import { deliveryMessage } from "./support.message.ts";
import { noticeId } from "../reads/notice-drafts.ts";

type Handlers = Pick<
  ServiceImpl<typeof support.SupportService>,
  | "listWebhooks"
  | "getWebhook"
  | "getWebhookRevision"
  | "createWebhook"
  | "changeWebhook"
  | "testWebhook"
  | "deleteWebhook"
  | "rotateWebhookSecret"
  | "listWebhookDeliveries"
  | "resendWebhookDelivery"
>;

/** Write quota per created webhook: creation plus deletion, so that no quota prevents a deletion. */
const writesOfWebhook = 2;

const secretBytes = 32;

export function webhookRpc(dependencies: SupportDependencies): Handlers {
  const { quotas } = dependencies;
  const { deliveries } = dependencies.webhooks;
  return {
    async listWebhooks({ page }, context) {
      const { accountId } = requireAccount(context);
      const own = selectItems(
        (await loadWebhooks(dependencies, accountId)).values(),
        requestedSelection(page),
        ({ webhookId, createdAt, disabledAt }) => ({
          id: webhookId,
          createdAt,
          status: disabledAt === undefined ? "enabled" : "disabled",
        }),
      );
      return { webhooks: own.map(webhookMessage) };
    },

    async getWebhook({ webhookId }, context) {
      return { webhook: webhookMessage((await ownWebhook(dependencies, webhookId, context)).webhook) };
    },

    async getWebhookRevision({ webhookId }, context) {
      return { revision: (await ownWebhook(dependencies, webhookId, context)).revision };
    },

    createWebhook: (request, context) => create(dependencies, request, context),

    changeWebhook: (request, context) => change(dependencies, request, context),

    testWebhook: webhookTester(dependencies),

    async deleteWebhook({ webhookId }, context) {
      const { data } = await ownWebhook(dependencies, webhookId, context);
      await command(dependencies, { type: "DeleteWebhook", data }, context);
      return {};
    },

    async rotateWebhookSecret({ webhookId }, context) {
      const { data } = await ownWebhook(dependencies, webhookId, context);
      await useQuota(quotas, "free_writes_a_day", 1, context);
      const { operationId } = requestContextOf(context);
      const rotation = { ...data, secret: newSecret(dependencies), operationId };
      const state = await command(dependencies, { type: "RotateWebhookSecret", data: rotation }, context);
      return shown(state, data.webhookId);
    },

    async listWebhookDeliveries({ webhookId, page }, context) {
      const { data } = await ownWebhook(dependencies, webhookId, context);
      const rows = await deliveries.of(targetOf("webhook", data.webhookId), requestedSelection(page));
      return { deliveries: rows.map(deliveryMessage) };
    },

    async resendWebhookDelivery({ webhookId, deliveryId }, context) {
      const { data } = await ownWebhook(dependencies, webhookId, context);
      const id = requestedId("delivery", deliveryId);
      await sendAgain(dependencies, { id, target: targetOf("webhook", data.webhookId) }, context);
      return {};
    },
  };
}

async function create(
  dependencies: SupportDependencies,
  request: { readonly url: string; readonly kinds: readonly string[] },
  context: WithContextValues,
) {
  const { accountId } = requireAccount(context);
  const { webhookIds } = dependencies.webhooks;
  const { events: kinds } = validated({ events: parseKinds(request.kinds) });
  const url = await allowedUrl(dependencies, request.url);
  const { operationId } = requestContextOf(context);
  const wanted = { accountId, url, kinds, operationId, at: dependencies.clock.now() };
  const unnumbered = { ...wanted, webhookId: unusedId, secret: "" };
  const refusal = await refusalOf(dependencies.commands, webhookAggregate, String(accountId), {
    type: "CreateWebhook",
    data: unnumbered,
  });
  if (refusal !== undefined) throw rejectionError(refusal);
  await useQuota(dependencies.quotas, "free_writes_a_day", writesOfWebhook, context);
  const webhookId = await webhookIds.next();
  const secret = newSecret(dependencies);
  const data = { ...wanted, webhookId, secret };
  return shown(await command(dependencies, { type: "CreateWebhook", data }, context), webhookId);
}

/** Edits, pauses or enables a webhook; the secret stays. Unnecessary changes use no quota. */
async function change(
  dependencies: SupportDependencies,
  { webhookId, url, kinds, enabled }: support.ChangeWebhookRequest,
  context: WithContextValues,
) {
  const own = await ownWebhook(dependencies, webhookId, context);
  const { events } = validated({ events: parseKinds(kinds) });
  const wanted: WebhookCommand = {
    type: "ChangeWebhook",
    data: {
      ...own.data,
      ...defined({
        url: url === undefined ? undefined : await allowedUrl(dependencies, url),
        // The full list of kinds, as shown for an unrestricted webhook, means no restriction.
        kinds: kinds.length === 0 ? undefined : events?.length === noticeKinds.length ? null : events,
        isEnabled: enabled,
      }),
    },
  };
  const decision = webhookAggregate.decider.decide(wanted, own.state);
  const isChange = decision.accepted && decision.events.length > 0;
  if (isChange) await useQuota(dependencies.quotas, "free_writes_a_day", 1, context);
  const state = await command(dependencies, wanted, context, conditionOf(requestContextOf(context)));
  const { disabledAt, isPaused, url: presentUrl } = found(state, own.data.webhookId);
  const { deliveries, endPause } = dependencies.webhooks;
  const target = targetOf("webhook", own.data.webhookId);
  if (disabledAt !== undefined && isPaused) await deliveries.giveUp(target, pausedReason, disabledAt);
  if (presentUrl !== own.webhook.url) await deliveries.hasten(target, own.data.at);
  if (isChange) await endPause("webhook", target);
  return { webhook: webhookMessage(found(state, own.data.webhookId)) };
}

/** Parses and checks a URL. @throws ConnectError `url-not-allowed` */
async function allowedUrl({ webhooks: { sender } }: SupportDependencies, text: string): Promise<string> {
  const url = parseWebhookUrl(text);
  if (!url.ok) throw notAllowed(url.error);
  if (await sender.isForbidden(url.value)) throw notAllowed("must be of a host on the Internet");
  return url.value;
}

function notAllowed(rule: string) {
  return rejectionError(
    rejection("url-not-allowed", `The field url ${rule}.`, { fieldErrors: { url: [rule] } }),
  );
}

/** Parses kinds without duplicates; an empty list becomes null, which means all. */
export function parseKinds(texts: readonly string[]): Parsed<readonly NoticeKind[] | null> {
  const kinds = noticeKinds.filter((kind) => texts.includes(kind));
  if (!texts.every(isNoticeKind)) return unparsable(`must be some of ${noticeKinds.join(", ")}`);
  return parsed(kinds.length === 0 ? null : kinds);
}

function newSecret({ webhooks: { ids } }: SupportDependencies): string {
  return `whsec_${Buffer.from(ids.secret(secretBytes), "base64url").toString("base64")}`;
}

async function command(
  { commands, webhooks }: SupportDependencies,
  wanted: WebhookCommand,
  context: WithContextValues,
  condition: Pick<CommandContext, "expectedRevision"> = {},
): Promise<WebhookState> {
  const { operationId: _, ...origin } = requestContextOf(context);
  const executed = await commands.execute(webhookAggregate, String(wanted.data.accountId), wanted, {
    ...origin,
    // A random id, because the decider itself recognises repeated requests.
    commandId: webhooks.ids.uuid(),
    ...condition,
  });
  requireAccepted(executed);
  return executed.state;
}

/** Returns a webhook with its secret, which is shown once. */
function shown(state: WebhookState, webhookId: number) {
  const webhook = found(state, webhookId);
  return { webhook: webhookMessage(webhook), secret: webhook.secret };
}

function found(state: WebhookState, webhookId: number): Webhook {
  const webhook = state.get(webhookId);
  if (webhook === undefined) throw new Error(`the webhook ${String(webhookId)} is not there`);
  return webhook;
}

function webhookMessage({ webhookId, url, kinds, createdAt, disabledAt }: Webhook) {
  return {
    webhookId: BigInt(webhookId),
    url,
    kinds: [...(kinds ?? noticeKinds)],
    createdAt,
    ...defined({ disabledAt }),
  };
}

/** Sends test events, one at a time per account, because a hanging receiver blocks its request until the time limit. */
function webhookTester(
  dependencies: SupportDependencies,
): Pick<ServiceImpl<typeof support.SupportService>, "testWebhook">["testWebhook"] {
  const { quotas, clock, webhooks } = dependencies;
  const underWay = new Set<number>();
  return async ({ webhookId: requested }, context) => {
    const { webhook, data } = await ownWebhook(dependencies, requested, context);
    const { accountId, webhookId } = data;
    if (underWay.has(accountId))
      throw rejectionError(
        rejection(
          "overloaded",
          "Another test of the account's webhooks is under way: wait until it is answered.",
        ),
      );
    underWay.add(accountId);
    try {
      await useQuota(quotas, "free_writes_a_day", 1, context);
      const request = requestContextOf(context);
      await claimRequest(request);
      const at = clock.now();
      const id = noticeId(`webhook.test/${request.operationId}`);
      const body = JSON.stringify({ type: "webhook.test", timestamp: at, data: { webhook_id: webhookId } });
      const secrets = signingSecrets(webhook, at);
      const sent = await webhooks.sender.send({ url: webhook.url, id, at, body, secrets }, context.signal);
      return {
        noticeId: id,
        ...defined({ responseStatus: sent.status ?? undefined, error: sent.error ?? undefined }),
      };
    } finally {
      underWay.delete(accountId);
    }
  };
}
