import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { ServerCommand } from "./server.commands.ts";
import { server } from "./server.decider.ts";
import type { ServerEvent } from "./server.events.ts";
import { commands, place, rule } from "./server.fixture.ts";
import type { ServerState } from "./server.state.ts";
import { serverCodec } from "./server.events.ts";

const anyInstant = fc
  .date({ min: new Date("2026-01-01"), max: new Date("2032-12-31"), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, -1)}000Z`);
const anyOrder = fc.constantFrom("o-1", "o-1", "o-1", "o-2");
/** Few ids, so that repeats are common. */
const anyChange = fc.constantFrom("c-1", "c-2", "c-3", "c-4");
const anyRuleId = fc.constantFrom("c-1", "c-2", "c-3", "c-4", "o-1/mail", "o-1/monitoring");
const anyPorts = fc.constantFrom("", "80", "25", "20:30", "80,5000");

const anyCommand: fc.Arbitrary<ServerCommand> = fc.oneof(
  { weight: 2, arbitrary: ordering() },
  { weight: 5, arbitrary: using() },
);

function ordering(): fc.Arbitrary<ServerCommand> {
  return fc.tuple(anyOrder, anyInstant, fc.integer({ min: 1, max: 12 })).chain(([orderId, at, months]) => {
    const own = { orderId, at };
    return fc.constantFrom<ServerCommand>(
      { type: "OrderServer", data: { ...commands.OrderServer.data, ...own, months } },
      { type: "RecordProvisioned", data: { ...place, ...own, chargeId: orderId, invoiceId: 101 } },
      { type: "RecordProvisioned", data: { ...place, ...own, chargeId: null, invoiceId: null } },
      { type: "RecordOrderFailed", data: { ...own, reason: "No node has room" } },
    );
  });
}

function using(): fc.Arbitrary<ServerCommand> {
  const anyRenewal = fc.constantFrom("n-1", "n-2", "n-3", "n-4", "n-5", "n-6");
  const draw = fc.record({
    at: anyInstant,
    changeId: anyChange,
    ruleId: anyRuleId,
    renewalId: anyRenewal,
    months: fc.integer({ min: 1, max: 12 }),
    enabled: fc.boolean(),
    dport: anyPorts,
    hostname: fc.constantFrom(null, "web-1", "web-2"),
    reason: fc.constantFrom("expired" as const, "staff" as const),
  });
  return draw.chain(({ at, changeId, ruleId, renewalId, months, enabled, dport, hostname, reason }) => {
    const charge = { chargeId: renewalId, invoiceId: 102, grossCents: "999" };
    return fc.constantFrom<ServerCommand>(
      { type: "RecordServerRenewed", data: { renewalId, months, ...charge, at } },
      { type: "SuspendServer", data: { reason, at } },
      { type: "UnsuspendServer", data: { at } },
      { type: "CancelServer", data: { changeId, at } },
      { type: "EndServer", data: { changeId, terminationDays: 14, at } },
      { type: "ToggleFirewall", data: { changeId, enabled, at } },
      { type: "AddFirewallRule", data: { rule: { ...rule, ruleId: changeId, dport }, at } },
      { type: "RemoveFirewallRule", data: { changeId, ruleId, at } },
      { type: "ChangeHostname", data: { changeId, hostname, at } },
      { type: "WhitelistServer", data: { at } },
      { type: "RevokeWhitelisting", data: { at } },
    );
  });
}

/** Any commands, often on an existing server. */
const anyCommands = fc
  .tuple(fc.boolean(), fc.array(anyCommand, { maxLength: 40 }))
  .map(([there, given]) => (there ? [commands.OrderServer, commands.RecordProvisioned, ...given] : given));

interface Outcome {
  readonly state: ServerState;
  readonly events: readonly ServerEvent[];
  /** Accepted commands with their events. */
  readonly accepted: readonly { readonly command: ServerCommand; readonly added: readonly ServerEvent[] }[];
}

function tell(given: readonly ServerCommand[]): Outcome {
  const accepted = [];
  const events: ServerEvent[] = [];
  let state = server.initialState;
  for (const command of given) {
    const decision = server.decide(command, state);
    if (!decision.accepted) continue;
    accepted.push({ command, added: decision.events });
    events.push(...decision.events);
    state = decision.events.reduce(server.evolve, state);
  }
  return { state, events, accepted };
}

function check(law: (outcome: Outcome) => void): void {
  fc.assert(
    fc.property(anyCommands, (given) => {
      law(tell(given));
    }),
    { numRuns: 500 },
  );
}

const serverIn = (state: ServerState): Extract<ServerState, { server: object }>["server"] | undefined =>
  "server" in state ? state.server : undefined;

describe("the laws of a server", () => {
  test("a running server never ends by time alone, unless it was cancelled and has expired", () => {
    check(({ events }) => {
      let state = server.initialState;
      for (const event of events) {
        if (event.type === "ServerTerminationBegun") {
          const { cancelled = false, expiresAt = "" } = serverIn(state) ?? {};
          expect(state.status === "suspended" || (cancelled && event.data.begunAt >= expiresAt)).toBe(true);
          expect(event.data.begunAt >= expiresAt).toBe(true);
        }
        state = server.evolve(state, event);
      }
    });
  });

  test("a repeated command adds nothing, despite events in between", () => {
    check(({ state, accepted }) => {
      for (const { command, added } of accepted) {
        // These commands name a state and have no id, so a later command may have changed that state.
        const isStaffCommand = ["SuspendServer", "UnsuspendServer", "WhitelistServer", "RevokeWhitelisting"];
        // A change that added nothing is not stored, so its id may be used again.
        if (isStaffCommand.includes(command.type) || added.length === 0) continue;
        const again = server.decide(command, state);
        expect(again.accepted ? again.events : [], command.type).toEqual([]);
      }
    });
  });

  test("every renewal is recorded once, ends later than the one before, and lasts at least its months", () => {
    check(({ events }) => {
      const renewals = events.filter((event) => event.type === "ServerRenewed");
      expect(new Set(renewals.map(({ data }) => data.renewalId)).size).toBe(renewals.length);
      for (const { data } of renewals) {
        expect(data.expiresAt > data.previousExpiresAt).toBe(true);
        const from = data.renewedAt > data.previousExpiresAt ? data.renewedAt : data.previousExpiresAt;
        const monthsOf = (instant: string): number =>
          Number(instant.slice(0, 4)) * 12 + Number(instant.slice(5, 7));
        expect(monthsOf(data.expiresAt) - monthsOf(from)).toBe(data.months);
        expect(data.expiresAt.slice(10)).toBe(from.slice(10));
      }
    });
  });

  test("the expiry is on the anchor day, or on the last day of a shorter month", () => {
    check(({ state }) => {
      const found = serverIn(state);
      if (found === undefined) return;
      const [year = 0, month = 0, day = 0] = found.expiresAt.slice(0, 10).split("-").map(Number);
      const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
      expect(day).toBe(Math.min(found.anchorDay, lastDay));
    });
  });

  test("the firewall is off only if it was turned off while the server was whitelisted", () => {
    check(({ events, state }) => {
      let whitelisted = false;
      let enabled = true;
      for (const { type, data } of events) {
        if (type === "ServerWhitelisted") whitelisted = true;
        if (type === "ServerWhitelistingRevoked") whitelisted = false;
        if (type !== "FirewallToggled") continue;
        expect(data.enabled || whitelisted).toBe(true);
        expect(data.enabled).not.toBe(enabled);
        enabled = data.enabled;
      }
      expect(serverIn(state)?.firewall.enabled ?? true).toBe(enabled);
    });
  });

  test("the protected rules of a new server are always there, first and second", () => {
    check(({ state }) => {
      const found = serverIn(state);
      if (found === undefined) return;
      const first = found.firewall.rules.slice(0, 2).map(({ ruleId }) => ruleId);
      expect(first).toEqual([`${found.orderId}/mail`, `${found.orderId}/monitoring`]);
    });
  });

  test("decided events can be stored and read back unchanged", () => {
    check(({ events }) => {
      for (const { type, data } of events) {
        expect(serverCodec.decode(serverCodec.storedType(type), JSON.stringify(data))).toEqual({
          type,
          data,
        });
      }
    });
  });
});
