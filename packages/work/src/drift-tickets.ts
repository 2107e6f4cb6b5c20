import {
  comparisonAggregate,
  followedLimit,
  identityOfDifference,
  staffTickets,
  type ComparedPart,
  type Difference,
  type DifferenceIdentity,
} from "@hostledger/core";
import { requestStaffTicket, unlessUnreadable, type CommandHandler } from "@hostledger/store";
import type { Clock } from "@hostledger/runtime";

import type { DriftReport } from "./drift.ts";

/** Result of a comparison, with a function that checks its differences again. */
export interface FollowedReport {
  readonly part: ComparedPart;
  readonly report: DriftReport;
  /**
   * Returns the present differences of a name or server; undefined while work on the resource is in progress or a
   * provider does not answer.
   */
  readonly lookAgain: (resource: string) => Promise<readonly Difference[] | undefined>;
  /** The only resource that was compared. Default: all of the part. */
  readonly only?: string;
  /** The part of the system that asks, for example `domain-service`. */
  readonly recordedBy: string;
}

/** Differences of a resource whose events cannot be read are unknown. */
const nothing = (): undefined => undefined;

/**
 * Opens one staff ticket for each difference that endangers money or a name. Repeated differences keep their ticket.
 * When a later check finds the difference gone, an event records that; if the difference returns, a new ticket is
 * opened. Above {@link followedLimit} differences, only the first of the report get tickets.
 * @throws Every error of the store.
 */
export async function followDifferences(
  { commands, clock }: { readonly commands: CommandHandler; readonly clock: Pick<Clock, "now"> },
  { part, report, lookAgain, only, recordedBy }: FollowedReport,
): Promise<void> {
  const { state, revision } = await commands.load(comparisonAggregate, part);
  const critical = report.differences
    .filter(({ severity }) => severity === "critical")
    .slice(0, followedLimit);
  const present = new Set(report.differences.map(identityOfDifference));
  const mended: DifferenceIdentity[] = [];
  for (const one of state.open.values()) {
    if (mended.length === followedLimit) break;
    if (present.has(identityOfDifference(one)) || (only ?? one.resource) !== one.resource) continue;
    const now = await unlessUnreadable(() => lookAgain(one.resource), nothing);
    if (now?.some((found) => identityOfDifference(found) === identityOfDifference(one)) === false)
      mended.push(one);
  }
  if (critical.length + mended.length === 0) return;
  const correlationId = `differences-${part}-${String(revision ?? "none")}`;
  const found = critical.map(({ kind, resource }) => ({ kind, resource }));
  const followed = await commands.execute(
    comparisonAggregate,
    part,
    { type: "FollowDifferences", data: { part, found, mended, at: clock.now() } },
    { commandId: `${correlationId}/FollowDifferences`, correlationId, actor: `process:${recordedBy}` },
  );
  for (const one of critical) {
    const cause = followed.state.open.get(identityOfDifference(one))?.cause;
    // Another comparison of the same moment was stored in place of this one: the next one asks.
    if (cause === undefined) continue;
    await requestStaffTicket({ commands, clock }, staffTickets.difference(one, cause), recordedBy);
  }
}
