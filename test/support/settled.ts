import { realTiming, type Timing } from "@hostledger/runtime";

import type { StaffClient } from "./staff-client.ts";

/** What the issue promises: so long after a start every registration is finished or refunded. In milliseconds. */
export const settlementLimitMs = 60_000;

/** Waits until no run is unfinished, at most for the promised time; what is left then is the audit's to report. */
export async function settled(staff: StaffClient, timing: Timing = realTiming): Promise<void> {
  const until = timing.monotonicMilliseconds() + settlementLimitMs;
  while (timing.monotonicMilliseconds() < until) {
    const unfinished = await Promise.all([staff.domains.listRuns({}), staff.servers.listServerRuns({})]);
    if (unfinished.every(({ runs }) => runs.length === 0)) return;
    await timing.sleep(100);
  }
}
