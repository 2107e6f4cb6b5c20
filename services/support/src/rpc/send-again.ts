import type { HandlerContext } from "@connectrpc/connect";
import { claimRequest, noSuch, requestContextOf, useQuota } from "@hostledger/rpc";

import type { SupportDependencies } from "../dependencies.ts";

/** Sends a delivery again within the quota, and claims the request. @throws ConnectError `not-found` */
export async function sendAgain(
  { clock, quotas, webhooks: { deliveries } }: SupportDependencies,
  { id, target }: { readonly id: number; readonly target: string },
  context: HandlerContext,
): Promise<void> {
  if ((await deliveries.byId(id))?.target !== target) throw noSuch("delivery");
  await useQuota(quotas, "free_writes_a_day", 1, context);
  await claimRequest(requestContextOf(context));
  if (!(await deliveries.resend(id, clock.now(), target))) throw noSuch("delivery");
}
