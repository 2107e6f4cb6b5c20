import type { DomainEvent } from "../kernel/decider.ts";
import { renewalRunEvents } from "./domain-renewal.events.ts";
import type { FactRole, StoredFact } from "./paid-order/paid-order.facts.ts";
import { registrationEvents } from "./registration.events.ts";
import { serverOrderEvents } from "./server-order.events.ts";
import { serverRenewalEvents } from "./server-renewal.events.ts";
import { transferRunEvents } from "./transfer.events.ts";

/** The facts of the runs of all paid orders. */
export const runEvents = {
  ...registrationEvents,
  ...renewalRunEvents,
  ...serverOrderEvents,
  ...serverRenewalEvents,
  ...transferRunEvents,
};

/** The same by type, for those who only read them: reports, verification. A process that is added is read by everybody. */
const facts: ReadonlyMap<string, StoredFact<FactRole | object>> = new Map(Object.entries(runEvents));

/**
 * The role that a fact plays in the flow of its paid order; undefined for a fact of no run, and for one whose data, not
 * its name, tells the role.
 * @param type without its version: `RegistrationCharged`.
 */
export function runRoleOf(type: string): FactRole | undefined {
  const role = facts.get(type)?.role;
  return typeof role === "string" ? role : undefined;
}

/** Whether this is the last fact of a run that brought what was ordered. */
export function endsWithDelivery({ type, data }: DomainEvent): boolean {
  const outcomes = facts.get(type)?.outcomes;
  return outcomes !== undefined && "outcome" in data && data.outcome === outcomes.done;
}
