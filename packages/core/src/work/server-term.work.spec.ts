import { describe, expect, it } from "vitest";

import { server as decider } from "../server/server.decider.ts";
import type { ServerEvent } from "../server/server.events.ts";
import { expiresAt, samples, histories, renewalBegun } from "../server/server.fixture.ts";
import { addMilliseconds } from "../calendar/calendar.ts";
import type { Payer } from "./next.ts";
import { asksServerPayer, nextOfServerTerm } from "./server-term.work.ts";

const rich: Payer = { balanceCents: 100_000n, isErased: false };
const days = (count: number): string => addMilliseconds(expiresAt, count * 86_400_000);
const after = (...events: readonly ServerEvent[]) =>
  [...histories.active, ...events].reduce(decider.evolve, decider.initialState);
const next = (state: ReturnType<typeof after>, now: string, payer: Payer = rich) =>
  nextOfServerTerm({ state, terminationDays: 14, payer }, now);
const renewing: ServerEvent = {
  ...samples.ServerAutoRenewalChanged,
  data: { ...samples.ServerAutoRenewalChanged.data, autoRenew: true },
};
const suspended: ServerEvent = {
  ...samples.ServerSuspended,
  data: { ...samples.ServerSuspended.data, hold: false, publicReason: null, suspendedAt: expiresAt },
};

describe("the paid time of a server", () => {
  it("waits for its expiry, and is suspended then", () => {
    expect(next(after(), days(-1))).toEqual({ wait: expiresAt, awaitsFunds: false });
    expect(next(after(), expiresAt)).toEqual({ do: { type: "suspend" } });
  });

  it("is renewed automatically a week before, but not if its account was erased", () => {
    expect(asksServerPayer(after(renewing), days(-8))).toBe(false);
    expect(next(after(renewing), days(-8))).toEqual({ wait: days(-7), awaitsFunds: false });
    expect(asksServerPayer(after(renewing), days(-7))).toBe(true);
    expect(next(after(renewing), days(-7))).toMatchObject({ do: { type: "renew" } });
    expect(next(after(renewing), days(-7), { ...rich, isErased: true })).toMatchObject({
      do: { type: "stop-renewing" },
    });
  });

  it("waits for a renewal in progress", () => {
    expect(next(after(renewalBegun()), days(1))).toBe("done");
  });

  it("ends with the paid time if it was cancelled", () => {
    expect(next(after(samples.ServerCancelled), expiresAt)).toEqual({ do: { type: "end" } });
  });

  it("ends some days after the suspension, but not during a hold by staff", () => {
    expect(next(after(suspended), days(1))).toEqual({ wait: days(14) });
    expect(next(after(suspended), days(14))).toEqual({ do: { type: "end" } });
    const held: ServerEvent = {
      ...samples.ServerSuspended,
      data: { ...samples.ServerSuspended.data, hold: true, publicReason: "Abuse" },
    };
    expect(next(after(held), days(1_000))).toBe("done");
  });

  it("needs nothing during the setup and after its end", () => {
    expect(next(decider.initialState, expiresAt)).toBe("done");
  });
});
