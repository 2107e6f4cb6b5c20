import type { ServiceImpl } from "@connectrpc/connect";
import { rejection, signingSecrets } from "@hostledger/core";
import type { support } from "@hostledger/protocol";
import { claimRequest, rejectionError, requestContextOf, useQuota } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { SupportDependencies } from "../dependencies.ts";
import { noticeId } from "../reads/notice-drafts.ts";
import { ownWebhook } from "./own-webhook.ts";

/** Sends test events, one at a time per account, because a hanging receiver blocks its request until the time limit. */
export function webhookTester(
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
