import type { ServiceImpl } from "@connectrpc/connect";
import type { support } from "@hostledger/protocol";
import { noSuch, ownRow, requestedPage, requireAccount, useQuota } from "@hostledger/rpc";

import type { SupportDependencies } from "../dependencies.ts";
import { channelOf, targetOf } from "../notices/receiver.ts";
import { deliveryMessage } from "./delivery.message.ts";

type Handlers = Pick<ServiceImpl<typeof support.SupportService>, "listMailDeliveries" | "resendMailDelivery">;

/** Mail to the calling account. */
export function mailDeliveryRpc({ clock, quotas, webhooks }: SupportDependencies): Handlers {
  const { deliveries } = webhooks;
  return {
    async listMailDeliveries({ page }, context) {
      const { accountId } = requireAccount(context);
      const rows = await deliveries.of(targetOf("mail", accountId), requestedPage(page));
      return { deliveries: rows.map(deliveryMessage) };
    },

    async resendMailDelivery({ deliveryId }, context) {
      const own = await ownRow("delivery", deliveryId, context, (id) => deliveries.byId(id));
      if (channelOf(own.target) !== "mail") throw noSuch("delivery");
      await useQuota(quotas, "free_writes_a_day", 1, context);
      if (!(await deliveries.resend(own.id, clock.now()))) throw noSuch("delivery");
      return {};
    },
  };
}
