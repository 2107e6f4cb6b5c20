import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import type { ServerCommand } from "./server.commands.ts";
import { server } from "./server.decider.ts";
import type { ServerEvent, ServerSuspended } from "./server.events.ts";
import {
  at,
  commands,
  expiresAt,
  samples,
  histories,
  initialRules,
  recordRenewed,
  renewalBegun,
  renewed,
  serverAfter,
} from "./server.fixture.ts";
import { serverLimits, type ServerState } from "./server.state.ts";

const spec = deciderSpec(server);
const { active, suspended } = histories;

function fold(history: readonly ServerEvent[]): ServerState {
  return history.reduce(server.evolve, server.initialState);
}

describe("a renewal", () => {
  it("in time adds its months to the old expiry, on the day the server began", () => {
    spec
      .given(...active)
      .when(commands.RecordServerRenewed)
      .then(samples.ServerRenewed);
  });

  it("month by month falls on 28 February and again on 31 March", () => {
    const expiries: string[] = [];
    let state = fold(active);
    for (let month = 1; month <= 13; month += 1) {
      const decision = server.decide(recordRenewed({ renewalId: `n-${String(month)}` }), state);
      if (!decision.accepted) throw new Error(decision.rejection.message);
      state = decision.events.reduce(server.evolve, state);
      if (state.status === "active") expiries.push(state.server.expiresAt.slice(0, 10));
    }
    expect(expiries.slice(0, 3)).toEqual(["2026-03-31", "2026-04-30", "2026-05-31"]);
    expect(expiries.slice(-3)).toEqual(["2027-01-31", "2027-02-28", "2027-03-31"]);
  });

  it("in a leap year falls on 29 February", () => {
    const start = "2028-01-31T10:00:00.000000Z";
    spec
      .given(samples.ServerOrdered)
      .when({ type: "RecordProvisioned", data: { ...commands.RecordProvisioned.data, at: start } })
      .then(
        {
          type: "ServerProvisioned",
          data: {
            ...samples.ServerProvisioned.data,
            provisionedAt: start,
            expiresAt: "2028-02-29T10:00:00.000000Z",
          },
        },
        ...initialRules.map((initial): ServerEvent => ({
          type: "FirewallRuleAdded",
          data: { serverId: 5, rule: initial, addedAt: start },
        })),
      );
  });

  it("of an expired server counts from now, whose day is the anchor from then on", () => {
    const now = "2026-04-15T08:00:00.000000Z";
    const anew = renewed({ expiresAt: "2026-05-15T08:00:00.000000Z", renewedAt: now });
    spec
      .given(...active)
      .when(recordRenewed({ at: now }))
      .then(anew);
    spec
      .given(...active, anew)
      .when(recordRenewed({ renewalId: "n-2", at: now }))
      .then(
        renewed({
          renewalId: "n-2",
          previousExpiresAt: anew.data.expiresAt,
          expiresAt: "2026-06-15T08:00:00.000000Z",
          renewedAt: now,
        }),
      );
  });

  it.each([
    ["a microsecond before", "2026-02-28T09:59:59.999999Z", "2026-03-31T10:00:00.000000Z"],
    ["exactly at", expiresAt, "2026-03-31T10:00:00.000000Z"],
    ["a microsecond after", "2026-02-28T10:00:00.000001Z", "2026-03-28T10:00:00.000001Z"],
  ])("%s the expiry", (_, now, expected) => {
    spec
      .given(...active)
      .when(recordRenewed({ at: now }))
      .then(renewed({ expiresAt: expected, renewedAt: now }));
  });

  it.each(["staff", "expired"] as const)("makes a server that %s suspended active again", (reason) => {
    const suspension: ServerEvent = {
      type: "ServerSuspended",
      data: { serverId: 5, reason, hold: false, publicReason: null, note: null, suspendedAt: at },
    };
    const event = renewed({ wasSuspended: true });
    spec
      .given(...active, suspension)
      .when(commands.RecordServerRenewed)
      .then(event);
    expect(fold([...active, suspension, event]).status).toBe("active");
  });

  describe("of a server on hold", () => {
    const hold = (publicReason: string | null, note: string | null = null): ServerEvent => ({
      type: "ServerSuspended",
      data: { serverId: 5, reason: "staff", hold: true, publicReason, note, suspendedAt: at },
    });
    const held = hold("Sends unwanted mail", "Ticket 17");

    it("does not begin; the refusal names the reason", () => {
      spec
        .given(...active, held)
        .when(commands.BeginServerRenewal)
        .thenRejected("server-held", { reason: "Sends unwanted mail" });
    });

    it("does not begin for a hold from before public reasons, and the refusal hides that reason", () => {
      const decision = server.decide(commands.BeginServerRenewal, fold([...active, hold(null, "Phishing")]));
      expect(decision).toMatchObject({ accepted: false, rejection: { code: "server-held" } });
      expect(JSON.stringify(decision)).not.toContain("Phishing");
    });

    it("completes if it began before, keeps the hold, and the server runs after its release", () => {
      const event = renewed({ wasSuspended: true, staysSuspended: true });
      const history = [...active, renewalBegun(), held];
      spec
        .given(...history)
        .when(commands.RecordServerRenewed)
        .then(event);
      const hold = { publicReason: "Sends unwanted mail" };
      expect(fold([...history, event])).toMatchObject({ status: "suspended", hold, note: "Ticket 17" });
      expect(fold([...history, event, samples.ServerUnsuspended]).status).toBe("active");
    });

    const suspend = {
      type: "SuspendServer",
      data: { reason: "staff", publicReason: "Phishing", at },
    } as const;

    it.each([
      ["is suspended without a reason", samples.ServerSuspended, null],
      ["is held for another reason", held, "Ticket 17"],
    ])("puts it on hold with a new reason if it %s, and keeps its note", (_, before, note) => {
      spec
        .given(...active, before)
        .when(suspend)
        .then(hold("Phishing", note));
    });

    it("stays unchanged if the reason is equal or missing", () => {
      for (const command of [suspend, commands.SuspendServer])
        spec
          .given(...active, hold("Phishing"))
          .when(command)
          .thenNothing();
    });
  });

  it("that was recorded before adds nothing, and its first result stays", () => {
    const second = renewed({
      renewalId: "n-2",
      previousExpiresAt: samples.ServerRenewed.data.expiresAt,
    });
    spec
      .given(...active, samples.ServerRenewed, second)
      .when(commands.RecordServerRenewed)
      .thenNothing();
    expect(serverAfter(samples.ServerRenewed, second).renewals[0]).toEqual({
      renewalId: "n-1",
      months: 1,
      chargeId: "n-1",
      invoiceId: 102,
      grossCents: "999",
      wasSuspended: false,
      expiresAt: "2026-03-31T10:00:00.000000Z",
    });
  });

  it("is remembered among the last thousand", () => {
    const many = Array.from({ length: serverLimits.rememberedRenewals + 1 }, (_, index) =>
      renewed({ renewalId: `n-${String(index)}` }),
    );
    const { renewals } = serverAfter(...many);
    expect(renewals.length).toBe(1_000);
    expect(renewals[0]?.renewalId).toBe("n-1");
  });

  it("is refused if the server is paid for until the year 9000", () => {
    const far = renewed({ expiresAt: "9000-01-01T00:00:00.000000Z" });
    spec
      .given(...active, far)
      .when(recordRenewed({ renewalId: "n-2" }))
      .thenRejected("validation-failed");
    const near = renewed({ expiresAt: "8999-12-31T23:59:59.999999Z" });
    const decision = server.decide(recordRenewed({ renewalId: "n-2" }), fold([...active, near]));
    expect(decision.accepted).toBe(true);
  });
});

describe("a suspension", () => {
  const expire = (now: string): ServerCommand => ({
    type: "SuspendServer",
    data: { reason: "expired", at: now },
  });

  it("by staff stops the server, and is lifted again", () => {
    spec
      .given(...active)
      .when(commands.SuspendServer)
      .then(samples.ServerSuspended);
    spec
      .given(...suspended)
      .when(commands.UnsuspendServer)
      .then(samples.ServerUnsuspended);
  });

  it("adds no event if it is already so", () => {
    spec
      .given(...suspended)
      .when(commands.SuspendServer)
      .thenNothing();
    spec
      .given(...suspended)
      .when(expire("2027-01-01T00:00:00.000000Z"))
      .thenNothing();
    spec
      .given(...active)
      .when(commands.UnsuspendServer)
      .thenNothing();
  });

  describe("that staff add a note to", () => {
    const later = "2026-02-10T10:00:00.000000Z";
    const say = (words: { readonly publicReason?: string; readonly note?: string }): ServerCommand => ({
      type: "SuspendServer",
      data: { reason: "staff", ...words, at: later },
    });
    const suspension = (data: Partial<ServerSuspended["data"]>): ServerEvent => ({
      type: "ServerSuspended",
      data: { ...samples.ServerSuspended.data, ...data },
    });
    const noted = (note: string): ServerEvent => ({
      type: "ServerSuspensionNoted",
      data: { serverId: 5, note, notedAt: later },
    });
    const held = suspension({ hold: true, publicReason: "Spam", note: "Ticket 17" });
    const expired = suspension({ reason: "expired" });

    it.each([
      ["a suspension without a note", samples.ServerSuspended],
      ["a server that expired", expired],
      ["a hold", held],
    ])("stores a note alone, for %s, and once", (_, present) => {
      const given = [...active, present];
      spec
        .given(...given)
        .when(say({ note: "Ticket 18" }))
        .then(noted("Ticket 18"));
      spec
        .given(...given, noted("Ticket 18"))
        .when(say({ note: "Ticket 18" }))
        .thenNothing();
      expect(fold([...given, noted("Ticket 18")])).toEqual({ ...fold(given), note: "Ticket 18" });
    });

    it("stores only the note if the public reason is unchanged", () => {
      const given = spec.given(...active, held);
      given.when(say({ publicReason: "Spam", note: "Ticket 18" })).then(noted("Ticket 18"));
      given
        .when(say({ publicReason: "Phishing", note: "Ticket 18" }))
        .then(suspension({ hold: true, publicReason: "Phishing", note: "Ticket 18", suspendedAt: later }));
    });
  });

  it.each([
    [expiresAt, true],
    ["2026-02-28T09:59:59.999999Z", false],
  ])("for its expiry at %s happens: %s", (now, happens) => {
    const given = spec.given(...active).when(expire(now));
    if (!happens) given.thenNothing();
    else
      given.then({
        type: "ServerSuspended",
        data: {
          serverId: 5,
          reason: "expired",
          hold: false,
          publicReason: null,
          note: null,
          suspendedAt: now,
        },
      });
  });

  it("for an expiry that a renewal has moved does not happen", () => {
    spec
      .given(...active, samples.ServerRenewed)
      .when(expire(expiresAt))
      .thenNothing();
  });
});
