import type { ServiceImpl } from "@connectrpc/connect";
import { parsed, parseLine, type Parsed } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { requestContextOf, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { largestSkippedId } from "./skipped-ids.ts";
import type { StoreWatch } from "./store-watch.ts";

const maximumReasonLength = 1_000;

/** Creates the staff's handlers about a store that was restored from an older backup. */
export function storeAdminRpc(
  watch: Pick<StoreWatch, "accept">,
): ServiceImpl<typeof admin.StoreAdminService> {
  return {
    async acceptStore(request, context) {
      const { reason, above } = validated({
        reason: parseLine(request.reason, maximumReasonLength),
        above: parseAbove(request.above),
      });
      const accepted = await watch.accept({
        reason,
        context: requestContextOf(context),
        ...defined({ above }),
      });
      return accepted === undefined ? {} : { series: accepted.series };
    },
  };
}

function parseAbove(above: bigint | undefined): Parsed<number | undefined> {
  if (above === undefined) return parsed(undefined);
  if (above >= 1n && above <= BigInt(largestSkippedId)) return parsed(Number(above));
  return { ok: false, error: `must be from 1 to ${String(largestSkippedId)}` };
}
