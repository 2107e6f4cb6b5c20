import type { ServiceImpl } from "@connectrpc/connect";
import { rejection, serverOrder, serverRenewal } from "@hostledger/core";
import { staffRuns } from "@hostledger/work";
import type { admin } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";

type RunHandlers = Pick<
  ServiceImpl<typeof admin.ServerAdminService>,
  "listServerRuns" | "showServerRun" | "retryServerRun" | "abandonServerRun"
>;

/** Creates the staff's handlers of unfinished orders and renewals. */
export function runHandlers({
  orders,
  projector,
  queries,
  renewals,
  store,
}: ServerDependencies): RunHandlers {
  const { list, show, retry, abandon } = staffRuns({
    store,
    categories: [serverOrder.category, serverRenewal.category],
    async unfinished(limit, accountId) {
      await projector.after("end");
      return queries.unfinishedRuns(limit, accountId);
    },
    async interrupt(run, word) {
      const row = await queries.runById(run);
      if (row === undefined) throw rejectionError(rejection("run-not-found"));
      const runs = row.process === serverOrder.name ? orders : renewals;
      if (row.status !== "parked" || !(await runs.interrupt(run, word)))
        throw rejectionError(rejection("run-not-parked"));
    },
  });
  return { listServerRuns: list, showServerRun: show, retryServerRun: retry, abandonServerRun: abandon };
}
