import { rejectionOf, type StaffClient } from "@hostledger/rpc";
import { realTiming, type Timing } from "@hostledger/runtime";

/** What the issue promises: so long after a start every registration is finished or refunded. In milliseconds. */
export const settlementLimitMs = 60_000;

/**
 * Between two looks, in milliseconds. By a clock by which waiting costs nothing, looking is all that costs: there tenths of a
 * second would be a quarter of the work of a test of many crashes.
 */
const pauseMs = { real: 100, virtual: 1_000 } as const;

/** Waits until no run is unfinished, at most for the promised time; what is left then is the audit's to report. */
export async function settled(staff: StaffClient, timing: Timing = realTiming): Promise<void> {
  const pause = timing === realTiming ? pauseMs.real : pauseMs.virtual;
  const until = timing.monotonicMilliseconds() + settlementLimitMs;
  while (timing.monotonicMilliseconds() < until) {
    const unfinished = await unfinishedRuns(staff);
    if (unfinished === 0) return;
    await timing.sleep(pause);
  }
}

/** How many there are; undefined where that is to be asked again: PostgreSQL may just have come back. */
async function unfinishedRuns(staff: StaffClient): Promise<number | undefined> {
  try {
    const lists = await Promise.all([staff.domains.listRuns({}), staff.servers.listServerRuns({})]);
    return lists.reduce((sum, { runs }) => sum + runs.length, 0);
  } catch (error) {
    if (rejectionOf(error).code !== "temporarily-unavailable") throw error;
    return undefined;
  }
}
