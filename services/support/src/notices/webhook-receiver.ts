import { signingSecrets, webhookAggregate } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";

import { idOfTarget, type Receiver } from "./receiver.ts";
import type { WebhookSender } from "./webhook-sender.ts";

/** The webhooks of customers. */
export function webhookReceiver(commands: CommandHandler, sender: Pick<WebhookSender, "send">): Receiver {
  return {
    async send({ target, account_id: accountId, notice_id: id, body }, at, signal) {
      const { state } = await commands.load(webhookAggregate, String(accountId));
      const webhook = state.get(idOfTarget(target));
      if (webhook === undefined || !URL.canParse(webhook.url)) return { gone: "the webhook was deleted" };
      return sender.send({ url: webhook.url, id, at, body, secrets: signingSecrets(webhook, at) }, signal);
    },

    async tookNothing({ target, account_id: accountId }, at) {
      const webhookId = idOfTarget(target);
      await commands.execute(
        webhookAggregate,
        String(accountId),
        { type: "DisableWebhook", data: { accountId, webhookId, at } },
        {
          commandId: `disable-webhook/${String(webhookId)}`,
          correlationId: target,
          actor: "process:support",
        },
      );
      return "the webhook took nothing for three days";
    },
  };
}
