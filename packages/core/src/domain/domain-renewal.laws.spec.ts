import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { addMilliseconds, addYears } from "../calendar/calendar.ts";
import { nextAutomaticRenewal } from "./domain-renewal.ts";
import { automatic, days, expire, outcome, renewing } from "./domain-renewal-scenario.fixture.ts";
import type { DomainRenewalCommand, StartRenewal } from "./domain.commands.ts";
import { domain } from "./domain.decider.ts";
import type { DomainNameEvent } from "./domain.events.ts";

const dayMs = 86_400_000;

/** Simulates a domain over years with slow workers, which act late or twice. Payment and registrar are random. */
describe("the laws of automatic renewal", () => {
  const anyStep = fc.record({
    hours: fc.integer({ min: 0, max: 24 * 40 }),
    worker: fc.nat(2),
    looks: fc.boolean(),
    pays: fc.boolean(),
    forgoes: fc.boolean(),
  });

  test("each expiry date is renewed once, and each try is a day apart but for the one at expiry", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 120, size: "max" }), (steps) => {
        let state = renewing.reduce(domain.evolve, domain.initialState);
        let at = days(-30);
        const events: DomainNameEvent[] = [];
        const seen: (StartRenewal | undefined)[] = [];
        const execute = (command: DomainRenewalCommand): void => {
          const decision = domain.decide(command, state);
          if (!decision.accepted) return;
          events.push(...decision.events);
          state = decision.events.reduce(domain.evolve, state);
        };
        for (const { hours, worker, looks, pays, forgoes } of steps) {
          at = addMilliseconds(at, hours * 3_600_000);
          if (state.status !== "registered") throw new Error(state.status);
          const next = nextAutomaticRenewal(state.domain);
          if (looks && next !== undefined)
            seen[worker] = automatic(at, next.renewalId, { expiresAt: next.expiresAt });
          const command = seen[worker];
          if (command !== undefined && forgoes)
            execute({ type: "ForgoRenewal", data: { renewalId: command.data.renewalId, at } });
          else if (command !== undefined) execute({ ...command, data: { ...command.data, at } });
          execute(expire(at));
          const { renewal } = state.domain;
          if (renewal === null) continue;
          const { renewalId } = renewal;
          if (pays)
            execute({
              type: "RecordRenewed",
              data: { ...outcome, renewalId, expiresAt: addYears(renewal.expiresAt, 1), at },
            });
          else
            execute({
              type: "RecordRenewalFailed",
              data: { renewalId, reason: "charge-refused", requiredCents: null, at },
            });
        }
        const done = events.filter((event) => event.type === "DomainRenewed");
        expect(new Set(done.map(({ data }) => data.previousExpiresAt)).size).toBe(done.length);
        expect(events.filter((event) => event.type === "DomainExpired").length).toBeLessThanOrEqual(1);
        const failures = events.filter((event) => event.type === "DomainRenewalFailed");
        for (const [index, failure] of failures.entries()) {
          const before = failures[index - 1];
          if (before?.data.expiresAt !== failure.data.expiresAt) continue;
          const { failedAt, expiresAt } = failure.data;
          // The last renewal happens at expiry, even soon after the one before (contract, "Life cycle").
          expect(failedAt >= addMilliseconds(before.data.failedAt, dayMs) || failedAt >= expiresAt).toBe(
            true,
          );
        }
      }),
    );
  });
});
