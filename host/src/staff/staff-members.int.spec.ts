import { join } from "node:path";

import { createCommandHandler } from "@hostledger/event-store";
import { openTestStore } from "@hostledger/event-store/testing";
import { randomIds, systemClock } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { temporaryData } from "../standalone.fixture.ts";
import { createStaffMembers } from "./staff-members.ts";

it("takes no bootstrap token that can be guessed", async () => {
  const store = await openTestStore(join(temporaryData(), "events.sqlite"));
  const make = (bootstrapToken: string) => () =>
    createStaffMembers({
      commands: createCommandHandler({ store, recordedBy: "spec" }),
      clock: systemClock(),
      ids: randomIds,
      bootstrapToken,
      isRecovering: false,
    });
  expect(make("x".repeat(15))).toThrow(RangeError);
  expect(make("x".repeat(16))).not.toThrow();
  await store.close();
});
