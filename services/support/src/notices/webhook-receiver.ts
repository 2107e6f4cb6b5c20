import { signingSecrets, webhookAggregate } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";

import { idOfTarget, type Receiver } from "./receiver.ts";
import type { WebhookSender } from "./webhook-sender.ts";

/** The webhooks of customers. */
export function webhookReceiver(commands: CommandHandler, sender: Pick<WebhookSender, "send">): Receiver {
  async function disable(target: string, accountId: number, at: string): Promise<void> {
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
  }

  return {
    async send({ target, account_id: accountId, notice_id: id, body }, at, signal) {
      const { state } = await commands.load(webhookAggregate, String(accountId));
      const webhook = state.get(idOfTarget(target));
      if (webhook === undefined || !URL.canParse(webhook.url)) return { gone: "the webhook was deleted" };
      const secrets = signingSecrets(webhook, at);
      const answer = await sender.send({ url: webhook.url, id, at, body, secrets }, signal);
      // Nothing is wanted there any more (RFC 9110 §15.5.11).
      if (answer.status !== 410) return answer;
      await disable(target, accountId, at);
      return { ...answer, disabled: "the webhook answered 410 (gone) and is disabled" };
    },

    async tookNothing({ target, account_id: accountId }, at) {
      await disable(target, accountId, at);
      return "the webhook took nothing for three days";
    },
  };
}
