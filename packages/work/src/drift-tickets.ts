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

/** What a comparison came to, and how its differences are looked at again. */
export interface FollowedReport {
  readonly part: ComparedPart;
  readonly report: DriftReport;
  /**
   * What differs now of a name or a server, whether the books have it or not; undefined where that cannot be said: work on it is
   * in progress, or a provider gave no answer.
   */
  readonly lookAgain: (resource: string) => Promise<readonly Difference[] | undefined>;
  /** The only resource that was compared. Default: all of the part. */
  readonly only?: string;
  /** The part of the system that asks, for example `domain-service`. */
  readonly recordedBy: string;
}

/** Of a resource whose events cannot be read, nothing can be said. */
const nothing = (): undefined => undefined;

/**
 * Keeps the tickets of the differences on which money or a name hangs. One that is found gets a ticket that only staff see, and
 * keeps it however often it is found; of one that is found no more, an event says so when it was looked at again, and a
 * ticket is opened anew when it comes back.
 *
 * Of more differences than {@link followedLimit}, the first in the report's order have tickets: what a provider has lost
 * altogether is told by these.
 * @throws whatever the store throws.
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
