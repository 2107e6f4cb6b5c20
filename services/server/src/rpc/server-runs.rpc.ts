import type { ServiceImpl } from "@connectrpc/connect";
import { parseLine, rejection } from "@hostledger/core";
import type { StaffWord } from "@hostledger/process-manager";
import type { admin } from "@hostledger/protocol";
import { rejectionError, requireStaff, validated } from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import { runKinds } from "../reads/process-runs.projection.ts";

type RunHandlers = Pick<
  ServiceImpl<typeof admin.ServerAdminService>,
  "listServerRuns" | "retryServerRun" | "abandonServerRun"
>;

const listedRunsLimit = 10_000;

/** What staff may do about unfinished orders and renewals. */
export function runHandlers({ orders, queries, renewals }: ServerDependencies): RunHandlers {
  async function interrupt(run: string, word: StaffWord): Promise<{ run: string }> {
    const row = await queries.runById(run);
    if (row === undefined) throw rejectionError(rejection("run-not-found"));
    const runs = row.process === runKinds.order ? orders : renewals;
    const isTaken = row.status === "parked" && (await runs.interrupt(run, word));
    if (!isTaken) throw rejectionError(rejection("run-not-parked"));
    return { run };
  }

  return {
    async listServerRuns(request, context) {
      requireStaff(context);
      const rows = await queries.unfinishedRuns(listedRunsLimit);
      const listed = request.parkedOnly ? rows.filter((row) => row.status === "parked") : rows;
      return {
        runs: listed.map((row) => ({
          run: row.run,
          process: row.process,
          subject: row.subject,
          status: row.status,
          step: row.step,
          startedAt: row.started_at,
          accountId: BigInt(row.account_id),
          ...(row.reason === null ? {} : { reason: row.reason }),
        })),
      };
    },

    retryServerRun({ run }, context) {
      requireStaff(context);
      return interrupt(run, { type: "retried" });
    },

    abandonServerRun(request, context) {
      requireStaff(context);
      const { reason } = validated({ reason: parseLine(request.reason, 500) });
      return interrupt(request.run, { type: "abandoned", reason });
    },
  };
}
