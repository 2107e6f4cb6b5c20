import type { DomainEvent } from "../kernel/decider.ts";
import { domainRenewal } from "./domain-renewal.process.ts";
import type { PaidOrderDefinition } from "./paid-order/paid-order.definition.ts";
import type { FactRole } from "./paid-order/paid-order.facts.ts";
import { registration } from "./registration.process.ts";
import { serverOrder } from "./server-order.process.ts";
import { serverRenewal } from "./server-renewal.process.ts";
import { transferIn } from "./transfer.process.ts";

/*
 * What the facts of all paid orders tell to those who only read them: reports, verification. The definitions of the
 * processes are the one place where a fact's role stands; a process that is added is read by everybody.
 */
const roles = new Map<string, FactRole>();
const wordsForDone = new Map<string, string>();

read(registration);
read(domainRenewal);
read(serverOrder);
read(serverRenewal);
read(transferIn);

function read<Subject, Held, Event extends DomainEvent>({
  facts,
  outcomes,
}: PaidOrderDefinition<Subject, Held, Event>): void {
  for (const [type, role] of Object.entries<FactRole | object>(facts)) {
    if (typeof role !== "string") continue;
    roles.set(type, role);
    if (role === "ended") wordsForDone.set(type, outcomes.done);
  }
}

/**
 * The role that a fact plays in the flow of its paid order; undefined for a fact of no run, and for one whose data, not
 * its name, tells the role.
 * @param type without its version: `RegistrationCharged`.
 */
export function runRoleOf(type: string): FactRole | undefined {
  return roles.get(type);
}

/** Whether this is the last fact of a run that brought what was ordered. */
export function endsWithDelivery({ type, data }: DomainEvent): boolean {
  const done = wordsForDone.get(type);
  return done !== undefined && "outcome" in data && data.outcome === done;
}
