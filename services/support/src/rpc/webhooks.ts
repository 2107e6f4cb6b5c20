import type { ServiceImpl } from "@connectrpc/connect";
import {
  isNoticeKind,
  noticeKinds,
  parsed,
  parseWebhookUrl,
  rejection,
  unparsable,
  webhookAggregate,
  type NoticeKind,
  type Parsed,
  type Webhook,
  type WebhookCommand,
  type WebhookState,
} from "@hostledger/core";
import { refusalOf, unusedId } from "@hostledger/event-store";
import type { support } from "@hostledger/protocol";
import {
  noSuch,
  rejectionError,
  requestContextOf,
  requestedId,
  requestedSelection,
  selectItems,
  requireAccount,
  useQuota,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { SupportDependencies } from "../dependencies.ts";
import { targetOf } from "../notices/receiver.ts";
import { sendAgain } from "./send-again.ts";
import { deliveryMessage } from "./support.message.ts";

type Handlers = Pick<
  ServiceImpl<typeof support.SupportService>,
  | "listWebhooks"
  | "createWebhook"
  | "deleteWebhook"
  | "rotateWebhookSecret"
  | "listWebhookDeliveries"
  | "resendWebhookDelivery"
>;

/** What a webhook counts when it is created: its deletion too, which no quota may keep from a customer. */
const writesOfWebhook = 2;

/** Random bytes of a secret. */
const secretBytes = 32;

/** The webhooks of the calling account. */
export function webhookRpc(dependencies: SupportDependencies): Handlers {
  const { quotas } = dependencies;
  const { deliveries } = dependencies.webhooks;
  return {
    async listWebhooks({ page }, context) {
      const { accountId } = requireAccount(context);
      const own = selectItems(
        (await load(dependencies, accountId)).values(),
        requestedSelection(page),
        ({ webhookId, createdAt, disabledAt }) => ({
          id: webhookId,
          createdAt,
          status: disabledAt === undefined ? "enabled" : "disabled",
        }),
      );
      return { webhooks: own.map(webhookMessage) };
    },

    createWebhook: (request, context) => create(dependencies, request, context),

    async deleteWebhook({ webhookId }, context) {
      const data = await ownWebhook(dependencies, webhookId, context);
      await command(dependencies, { type: "DeleteWebhook", data }, context);
      return {};
    },

    async rotateWebhookSecret({ webhookId }, context) {
      const data = await ownWebhook(dependencies, webhookId, context);
      await useQuota(quotas, "free_writes_a_day", 1, context);
      const { operationId } = requestContextOf(context);
      const rotation = { ...data, secret: newSecret(dependencies), operationId };
      const state = await command(dependencies, { type: "RotateWebhookSecret", data: rotation }, context);
      return shown(state, data.webhookId);
    },

    async listWebhookDeliveries({ webhookId, page }, context) {
      const own = await ownWebhook(dependencies, webhookId, context);
      const rows = await deliveries.of(targetOf("webhook", own.webhookId), requestedSelection(page));
      return { deliveries: rows.map(deliveryMessage) };
    },

    async resendWebhookDelivery({ webhookId, deliveryId }, context) {
      const own = await ownWebhook(dependencies, webhookId, context);
      const id = requestedId("delivery", deliveryId);
      await sendAgain(dependencies, { id, target: targetOf("webhook", own.webhookId) }, context);
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
  const { webhookIds, sender } = dependencies.webhooks;
  const { events: kinds } = validated({ events: parseKinds(request.kinds) });
  const url = parseWebhookUrl(request.url);
  if (!url.ok) throw notAllowed(url.error);
  if (await sender.isForbidden(url.value)) throw notAllowed("must be of a host on the Internet");
  const { operationId } = requestContextOf(context);
  const wanted = { accountId, url: url.value, kinds, operationId, at: dependencies.clock.now() };
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

function notAllowed(rule: string) {
  return rejectionError(
    rejection("url-not-allowed", `The field url ${rule}.`, { fieldErrors: { url: [rule] } }),
  );
}

/** Reads the kinds that somebody asks for, each once; of none at all, null: everything. */
export function parseKinds(texts: readonly string[]): Parsed<readonly NoticeKind[] | null> {
  const kinds = noticeKinds.filter((kind) => texts.includes(kind));
  if (!texts.every(isNoticeKind)) return unparsable(`must be some of ${noticeKinds.join(", ")}`);
  return parsed(kinds.length === 0 ? null : kinds);
}

function newSecret({ webhooks: { ids } }: SupportDependencies): string {
  return `whsec_${Buffer.from(ids.secret(secretBytes), "base64url").toString("base64")}`;
}

/** The state that decides: whose a webhook is, and whether it is there, is never read from a table that may be stale. */
async function load({ commands }: SupportDependencies, accountId: number): Promise<WebhookState> {
  return (await commands.load(webhookAggregate, String(accountId))).state;
}

/** @throws ConnectError `not-found`; `unauthorized` where it is another account's. */
async function ownWebhook(
  dependencies: SupportDependencies,
  requested: bigint,
  context: WithContextValues,
): Promise<{ readonly accountId: number; readonly webhookId: number; readonly at: string }> {
  const { accountId } = requireAccount(context);
  const webhookId = requestedId("webhook", requested);
  if (!(await load(dependencies, accountId)).has(webhookId)) {
    const row = await dependencies.webhooks.notices.webhookById(webhookId);
    // One of its own that is deleted may still be listed.
    if (row === undefined || row.account_id === accountId) throw noSuch("webhook");
    throw rejectionError(rejection("unauthorized"));
  }
  return { accountId, webhookId, at: dependencies.clock.now() };
}

async function command(
  { commands, webhooks }: SupportDependencies,
  wanted: WebhookCommand,
  context: WithContextValues,
): Promise<WebhookState> {
  const { operationId: _, ...origin } = requestContextOf(context);
  const executed = await commands.execute(webhookAggregate, String(wanted.data.accountId), wanted, {
    ...origin,
    // The rules know a request that is run again: its second run is a command of its own.
    commandId: webhooks.ids.uuid(),
  });
  if (!executed.accepted) throw rejectionError(executed.rejection);
  return executed.state;
}

/** A webhook with its secret, which is shown this once. */
function shown(state: WebhookState, webhookId: number) {
  const webhook = state.get(webhookId);
  if (webhook === undefined) throw new Error(`the webhook ${String(webhookId)} is not there`);
  return { webhook: webhookMessage(webhook), secret: webhook.secret };
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
