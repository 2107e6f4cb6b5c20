import { rejection, webhookAggregate, type Webhook, type WebhookState } from "@hostledger/core";
import { noSuch, rejectionError, requestedId, requireAccount, type WithContextValues } from "@hostledger/rpc";

import type { SupportDependencies } from "../dependencies.ts";

/** Loads webhooks from their stream, because ownership must not depend on an outdated read model. */
export async function loadWebhooks(
  { commands }: SupportDependencies,
  accountId: number,
): Promise<WebhookState> {
  return (await commands.load(webhookAggregate, String(accountId))).state;
}

/** A webhook of the calling account, and the data of every command on it. */
export interface OwnWebhook {
  readonly webhook: Webhook;
  readonly state: WebhookState;
  readonly revision: bigint;
  readonly data: { readonly accountId: number; readonly webhookId: number; readonly at: string };
}

/** @throws ConnectError `not-found`; `unauthorized` for another account's webhook. */
export async function ownWebhook(
  dependencies: SupportDependencies,
  requested: bigint,
  context: WithContextValues,
): Promise<OwnWebhook> {
  const { accountId } = requireAccount(context);
  const webhookId = requestedId("webhook", requested);
  const { state, revision = -1n } = await dependencies.commands.load(webhookAggregate, String(accountId));
  const webhook = state.get(webhookId);
  if (webhook === undefined) {
    const row = await dependencies.webhooks.notices.webhookById(webhookId);
    // A deleted webhook of the account may still be listed.
    if (row === undefined || row.account_id === accountId) throw noSuch("webhook");
    throw rejectionError(rejection("unauthorized"));
  }
  return { webhook, state, revision, data: { accountId, webhookId, at: dependencies.clock.now() } };
}
