import type { DomainEvent } from "../kernel/decider.ts";
import { renewalRunEvents } from "./domain-renewal.events.ts";
import { domainRenewal } from "./domain-renewal.process.ts";
import { eventReader } from "./paid-order/paid-order.codec.ts";
import type { PaidOrderDefinition } from "./paid-order/paid-order.definition.ts";
import type { OrderEvent, EventRole, StoredEvent } from "./paid-order/paid-order.events.ts";
import { registrationEvents } from "./registration.events.ts";
import { registration } from "./registration.process.ts";
import { serverOrderEvents } from "./server-order.events.ts";
import { serverOrder } from "./server-order.process.ts";
import { serverRenewalEvents } from "./server-renewal.events.ts";
import { serverRenewal } from "./server-renewal.process.ts";
import { transferRunEvents } from "./transfer.events.ts";
import { transferIn } from "./transfer.process.ts";

export const runEvents = {
  ...registrationEvents,
  ...renewalRunEvents,
  ...serverOrderEvents,
  ...serverRenewalEvents,
  ...transferRunEvents,
};

/** The events by type, for readers such as reports and verification. A new process is included automatically. */
const events: ReadonlyMap<string, StoredEvent<EventRole | object>> = new Map(Object.entries(runEvents));

/**
 * Returns the role of an event in the flow of its paid order; undefined for an event of no run, or if the role depends on
 * the event's data.
 * @param type without its version: `RegistrationCharged`.
 */
export function runRoleOf(type: string): EventRole | undefined {
  const role = events.get(type)?.role;
  return typeof role === "string" ? role : undefined;
}

const readers: ReadonlyMap<string, (event: DomainEvent) => OrderEvent<unknown, unknown>> = new Map([
  ...readersOf(registration),
  ...readersOf(domainRenewal),
  ...readersOf(serverOrder),
  ...readersOf(serverRenewal),
  ...readersOf(transferIn),
]);

function readersOf<Subject, Held, Event extends DomainEvent>({
  events: own,
}: PaidOrderDefinition<Subject, Held, Event>) {
  const read = eventReader(own);
  return Object.keys(own).map((type) => [type, read] as const);
}

/** Converts an event of a run to its form in the flow of all paid orders; undefined for an event of no run. */
export function runEventOf(event: DomainEvent): OrderEvent<unknown, unknown> | undefined {
  return readers.get(event.type)?.(event);
}

/** True for the last event of a run that delivered its order. */
export function endsWithDelivery({ type, data }: DomainEvent): boolean {
  const outcomes = events.get(type)?.outcomes;
  return outcomes !== undefined && "outcome" in data && data.outcome === outcomes.done;
}
