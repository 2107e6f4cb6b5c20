import { expect, it } from "vitest";

import { mending } from "./mending.decider.ts";

const event = {
  stream: "domain-zzz.com",
  revision: 3,
  eventId: "e-1",
  eventType: "DomainRenewed.v1",
  reason: "Written by a script.",
};
const at = "2026-03-01T10:00:00.000000Z";

it("staff skip an event once", () => {
  const stored = { type: "StreamMended", data: { ...event, mendedAt: at } } as const;
  const command = { type: "MendStream", data: { ...event, at } } as const;
  expect(mending.decide(command, mending.initialState)).toEqual({ accepted: true, events: [stored] });
  const state = mending.evolve(mending.initialState, stored);
  expect(state.mended).toEqual([stored.data]);
  expect(mending.decide(command, state)).toEqual({ accepted: true, events: [] });
});
