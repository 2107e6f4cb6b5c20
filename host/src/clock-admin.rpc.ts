import type { ServiceImpl } from "@connectrpc/connect";
import type { admin } from "@hostledger/protocol";
import { requestContextOf, requireStaff } from "@hostledger/rpc";

import type { ClockWatch } from "./clock-watch.ts";

/** What staff may do about the clock. */
export function clockAdminRpc(
  watch: Pick<ClockWatch, "accept">,
): ServiceImpl<typeof admin.ClockAdminService> {
  return {
    async acceptClock(_request, context) {
      requireStaff(context);
      const jumps = await watch.accept(requestContextOf(context));
      return {
        jumps: jumps.map(({ direction, expectedAt, clockAt }) => ({ direction, expectedAt, clockAt })),
      };
    },
  };
}
