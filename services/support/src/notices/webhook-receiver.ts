import { signingSecrets, webhookAggregate } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/store";

import type { Delivery } from "./deliveries.ts";
import { idOfTarget, type Receiver } from "./receiver.ts";
import type { WebhookSender } from "./webhook-sender.ts";

/** Why nothing is sent to a webhook that its account paused, in words for the customer. */
export const pausedReason = "the webhook is paused";

export function webhookReceiver(commands: CommandHandler, sender: Pick<WebhookSender, "send">): Receiver {
  /** @returns whether it is disabled then: one that the account edited or enabled since then is not */
  async function disable(
    { target, account_id: accountId }: Delivery,
    { since, at }: { readonly since: string; readonly at: string },
  ): Promise<boolean> {
    const webhookId = idOfTarget(target);
    const executed = await commands.execute(
      webhookAggregate,
      String(accountId),
      { type: "DisableWebhook", data: { accountId, webhookId, since, at } },
      {
        commandId: `disable-webhook/${String(webhookId)}/${at}`,
        correlationId: target,
        actor: "process:support",
      },
    );
    return executed.accepted && executed.state.get(webhookId)?.disabledAt !== undefined;
  }

  return {
    async send(delivery, at, signal) {
      const { target, account_id: accountId, notice_id: id, body, tried_since: triedSince } = delivery;
      const { state } = await commands.load(webhookAggregate, String(accountId));
      const webhook = state.get(idOfTarget(target));
      if (webhook === undefined || !URL.canParse(webhook.url)) return { gone: "the webhook was deleted" };
      const { disabledAt, isPaused } = webhook;
      if (disabledAt !== undefined && triedSince <= disabledAt)
        return { gone: isPaused ? pausedReason : "the webhook is disabled", since: disabledAt };
      const secrets = signingSecrets(webhook, at);
      const answer = await sender.send({ url: webhook.url, id, at, body, secrets }, signal);
      // 410 says that the receiver wants nothing any more (RFC 9110 §15.5.11).
      if (answer.status !== 410 || !(await disable(delivery, { since: at, at }))) return answer;
      return { ...answer, disabled: "the webhook answered 410 (gone) and is disabled" };
    },

    async tookNothing(delivery, at) {
      const isDisabled = await disable(delivery, { since: delivery.tried_since, at });
      return isDisabled ? "the webhook took nothing for three days" : undefined;
    },
  };
}
