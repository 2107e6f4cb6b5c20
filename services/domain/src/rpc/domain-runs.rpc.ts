import type { ServiceImpl } from "@connectrpc/connect";
import { domainRenewal, registration, rejection, transferIn } from "@hostledger/core";
import { staffRuns, type StaffWord } from "@hostledger/work";
import type { admin } from "@hostledger/protocol";
import { rejectionError, type RequestContext } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";

type AdminHandlers = ServiceImpl<typeof admin.DomainAdminService>;

/** Creates the staff's handlers of unfinished runs, deliveries and changes. */
export function staffRunHandlers({
  changes,
  delivery,
  projector,
  queries,
  registrations,
  renewalRuns,
  store,
  transferRuns,
}: DomainDependencies): Pick<AdminHandlers, "listRuns" | "showRun" | "retryRun" | "abandonRun"> {
  /** Interrupts a delivery, or ends a change. A change cannot be retried, because only its provider can continue it. */
  async function interruptWork(run: string, word: StaffWord, request: RequestContext): Promise<void> {
    const work = await queries.openWorkOf(run);
    if (work === undefined) throw rejectionError(rejection("run-not-found"));
    if (work.kind === "domain-delivery") {
      const refusal = await delivery.interrupt(work.key, word, request);
      if (refusal !== undefined) throw rejectionError(refusal);
      return;
    }
    if (word.type === "retried") throw rejectionError(rejection("run-not-parked"));
    const abandoned = await changes.abandon({ name: work.key, changeId: run, reason: word.reason }, request);
    if ("rejection" in abandoned) throw rejectionError(abandoned.rejection);
    await projector.after(abandoned.position);
  }

  const { list, show, retry, abandon } = staffRuns({
    store,
    categories: [registration.category, domainRenewal.category, transferIn.category],
    async unfinished(limit, accountId) {
      await projector.after("end");
      const runs = await queries.unfinishedRuns(limit, accountId);
      return [...runs, ...(await queries.openWork(limit, accountId))]
        .toSorted((one, other) => (one.started_at < other.started_at ? -1 : 1))
        .slice(0, limit);
    },
    async interrupt(run, word, request) {
      const row = await queries.runById(run);
      if (row === undefined) return interruptWork(run, word, request);
      const runs =
        { [domainRenewal.name]: renewalRuns, [transferIn.name]: transferRuns }[row.process] ?? registrations;
      if (row.status !== "parked" || !(await runs.interrupt(run, word)))
        throw rejectionError(rejection("run-not-parked"));
    },
  });
  return { listRuns: list, showRun: show, retryRun: retry, abandonRun: abandon };
}
