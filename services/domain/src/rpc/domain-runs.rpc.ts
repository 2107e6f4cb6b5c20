import type { ServiceImpl } from "@connectrpc/connect";
import { domainRenewal, registration, rejection, transferIn } from "@hostledger/core";
import { staffRuns, type RunRow, type StaffWord } from "@hostledger/work";
import type { admin } from "@hostledger/protocol";
import { rejectionError, type RequestContext } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import type { DeliveryRow, OpenChangeRow } from "../reads/domain.queries.ts";

type AdminHandlers = ServiceImpl<typeof admin.DomainAdminService>;

function runOfDelivery({ domain_name: subject, ...row }: DeliveryRow): RunRow {
  const isTransfer = row.run.startsWith(`${transferIn.category}-`);
  return { ...row, process: isTransfer ? transferIn.name : registration.name, subject };
}

/** Converts a change in progress to a run for staff, who may end it. */
function runOfChange({
  change_id: run,
  domain_name: subject,
  account_id,
  started_at,
}: OpenChangeRow): RunRow {
  return {
    run,
    process: "change",
    subject,
    account_id,
    status: "running",
    step: "asked",
    started_at,
    reason: null,
  };
}

/** Creates the staff's handlers of unfinished runs, stopped deliveries and unanswered changes. */
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
  /** Interrupts the delivery of an ended run, or a change. */
  async function interruptDelivery(run: string, word: StaffWord, request: RequestContext): Promise<void> {
    const row = await queries.openDeliveryOf(run);
    if (row === undefined) return interruptChange(run, word, request);
    const refusal = await delivery.interrupt(row.domain_name, word, request);
    if (refusal !== undefined) throw rejectionError(refusal);
  }

  /** Ends a change in progress; a retry is refused, because only its provider can continue it. */
  async function interruptChange(id: string, word: StaffWord, request: RequestContext): Promise<void> {
    const isKnown = (await queries.pendingChange(id)) !== undefined;
    if (word.type === "retried")
      throw rejectionError(rejection(isKnown ? "run-not-parked" : "run-not-found"));
    const abandoned = await changes.abandon(id, word.reason, request);
    if ("rejection" in abandoned) throw rejectionError(abandoned.rejection);
    await projector.after(abandoned.position);
  }

  const { list, show, retry, abandon } = staffRuns({
    store,
    categories: [registration.category, domainRenewal.category, transferIn.category],
    async unfinished(limit, accountId) {
      await projector.after("end");
      const runs = await queries.unfinishedRuns(limit, accountId);
      const delivered = (await queries.openDeliveries(limit, accountId)).map(runOfDelivery);
      const changing = (await queries.openChanges(limit, accountId)).map(runOfChange);
      return [...runs, ...delivered, ...changing]
        .toSorted((one, other) => (one.started_at < other.started_at ? -1 : 1))
        .slice(0, limit);
    },
    async interrupt(run, word, request) {
      const row = await queries.runById(run);
      if (row === undefined) return interruptDelivery(run, word, request);
      const runs =
        { [domainRenewal.name]: renewalRuns, [transferIn.name]: transferRuns }[row.process] ?? registrations;
      if (row.status !== "parked" || !(await runs.interrupt(run, word)))
        throw rejectionError(rejection("run-not-parked"));
    },
  });
  return { listRuns: list, showRun: show, retryRun: retry, abandonRun: abandon };
}
