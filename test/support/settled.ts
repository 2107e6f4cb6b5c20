import { rejectionOf, type StaffClient } from "@hostledger/rpc";
import { realTiming, type Timing } from "@hostledger/runtime";

/**
 * Maximum time after a start until every registration is finished or refunded, as the issue promises, in
 * milliseconds.
 */
export const settlementLimitMs = 60_000;

/**
 * Between two looks, in milliseconds. By a clock by which waiting costs nothing, looking is all that costs: there tenths of a
 * second would be a quarter of the work of a test of many crashes.
 */
const pauseMs = { real: 100, virtual: 1_000 } as const;

/** Waits until all runs have ended, at most for the promised time; the audit reports what is left. */
export async function settled(staff: StaffClient, timing: Timing = realTiming): Promise<void> {
  const pause = timing === realTiming ? pauseMs.real : pauseMs.virtual;
  const until = timing.monotonicMilliseconds() + settlementLimitMs;
  while (timing.monotonicMilliseconds() < until) {
    const unfinished = await unfinishedRuns(staff);
    if (unfinished === 0) return;
    await timing.sleep(pause);
  }
}

/** Returns the number of unfinished runs; undefined to ask again, because PostgreSQL may have just restarted. */
async function unfinishedRuns(staff: StaffClient): Promise<number | undefined> {
  try {
    const lists = await Promise.all([staff.domains.listRuns({}), staff.servers.listServerRuns({})]);
    return lists.reduce((sum, { runs }) => sum + runs.length, 0);
  } catch (error) {
    if (rejectionOf(error).code !== "temporarily-unavailable") throw error;
    return undefined;
  }
}
