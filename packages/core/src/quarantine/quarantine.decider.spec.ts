import { expect, it } from "vitest";

import { quarantine } from "./quarantine.decider.ts";

const data = {
  projection: "account.invoices",
  version: 3,
  position: "17",
  eventId: "e-1",
  eventType: "SomethingForeign.v1",
  stream: "account-999",
  reason: "Not ours.",
  skippedAt: "2026-03-01T10:00:00.000000Z",
};

it("skips an event once", () => {
  const first = quarantine.decide({ type: "SkipEvent", data }, quarantine.initialState);
  expect(first).toEqual({ accepted: true, events: [{ type: "ProjectionEventSkipped", data }] });
  const state = quarantine.evolve(quarantine.initialState, { type: "ProjectionEventSkipped", data });
  expect(state.skipped).toEqual([data]);
  expect(quarantine.decide({ type: "SkipEvent", data }, state)).toEqual({ accepted: true, events: [] });
});
