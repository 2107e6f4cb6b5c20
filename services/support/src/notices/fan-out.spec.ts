import { manualClock } from "@hostledger/runtime";
import { afterThisTurn } from "@hostledger/runtime/async";
import { expect, it } from "vitest";

import type { NoticeRow } from "../reads/notice.queries.ts";
import { createFanOut } from "./fan-out.ts";

const notice = (position: number): NoticeRow => ({
  ...{ notice_id: `notice-${String(position)}`, kind: "domain.registered", account_id: 1 },
  ...{ resource: "domain-1", data: "{}", noticed_at: "2026-03-01T10:00:00.000000Z", position },
});

/** The notices of a store that has so many. */
function fanOutOver(count: number) {
  const none = () => Promise.resolve([]);
  return createFanOut({
    queries: {
      positionBefore: () => Promise.resolve(0),
      noticesAfter: (position, limit) =>
        Promise.resolve(
          Array.from({ length: Math.min(limit, count - position) }, (_, at) => notice(position + at + 1)),
        ),
      ...{ webhooksOf: none, mailboxesOf: none, expiring: none, serverTerms: none },
    },
    deliveries: { add: () => Promise.resolve(0), lastAddedAt: () => Promise.resolve(undefined) },
    nextId: () => Promise.resolve(1),
    clock: manualClock("2026-03-02T10:00:00.000000Z"),
    ...{ terminationDays: 14, isMailSent: false, isTimeTrusted: () => true },
  });
}

// A start with a million notices of a week answered nobody for three seconds.
it("lets others go on between the notices of a long past", async () => {
  const fanOut = fanOutOver(1_000);
  for (let round = 0; round < 5; round += 1) {
    let hasTurned = false;
    afterThisTurn(() => {
      hasTurned = true;
    });
    expect([await fanOut.round(), hasTurned]).toEqual([true, true]);
  }
  expect(await fanOut.round()).toBe(false);
});
