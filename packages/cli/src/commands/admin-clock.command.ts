import { admin } from "@hostledger/protocol";

import { call, noun } from "../staff/staff-table.ts";

/** `admin clock …`: after a clock jump, time-driven work stops until staff accept the present time. */
export const addClockCommands = noun("clock", "the clock that renewals, suspensions and expiry follow", [
  call(
    ["accept", "confirm that the present time is right after a clock jump, so that time-driven work goes on"],
    admin.ClockAdminService.method.acceptClock,
    {
      names: { jumps: "accepted" },
      text: ({ jumps }) =>
        jumps
          .map(
            ({ clockAt, direction, expectedAt }) =>
              `Confirmed: the clock said ${clockAt}, ${direction} of ${expectedAt}.\n`,
          )
          .join("") || "There is nothing to confirm: the clock is trusted.\n",
    },
  ),
]);
