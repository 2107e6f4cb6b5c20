import { join } from "node:path";

import { createCommandHandler } from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { manualClock, randomIds, systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { createStaffMembers } from "./staff-members.ts";

it("finds a person by the name in any case, until the credential's end", async () => {
  const store = await openTestStore(join(directoryOfTest(), "events.sqlite"));
  const clock = manualClock("2026-03-01T10:00:00.000000Z");
  const members = createStaffMembers({
    commands: createCommandHandler({ store, recordedBy: "spec" }),
    clock,
    ids: randomIds,
    bootstrapToken: "x".repeat(16),
    isRecovering: false,
  });
  const ends = "2026-03-01T10:01:00.000000Z";
  await members.add(
    { name: "Anna", role: "support", expiresAt: ends },
    { requestId: "r", correlationId: "r", operationId: "o", isRepeatable: true, actor: "staff:admin" },
  );
  await expect(members.named("aNNa")).resolves.toMatchObject({ caller: { name: "Anna", role: "support" } });
  for (const nobody of ["admin", "", "ann", "anna\n", "__proto__"])
    await expect(members.named(nobody)).rejects.toThrow("You are not a member of staff");
  clock.advance(60_000);
  await expect(members.named("anna")).rejects.toThrow(`The staff token expired at ${ends}.`);
  await store.close();
});

it("refuses a guessable bootstrap token", async () => {
  const store = await openTestStore(join(directoryOfTest(), "events.sqlite"));
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
