import type { EventStore } from "@hostledger/event-store";
import type { KeyLosses } from "@hostledger/personal-data";
import type { Projector } from "@hostledger/projections";
import { within } from "@hostledger/runtime";

import type { ClockWatch } from "./clock-watch.ts";

/** Whether a process can do its work, each of its parts with a word for its state. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

/** How long the event store is asked for, in milliseconds. */
const probeMs = 2_000;

const troubles = new Set(["catching-up", "unreachable"]);

/** What else of a process is told, where it has that. */
export interface ReadinessContext {
  readonly clockWatch?: Pick<ClockWatch, "state">;
  readonly subjectKeys?: { readonly losses: Pick<KeyLosses, "list"> };
}

/**
 * Ready means: the event store answers, and no read model is on its way to the end of the log. One that is parked at an event
 * that it cannot take makes nobody unready, since it would make everybody so: its answers are marked as stale instead.
 */
export async function readinessOf(
  store: Pick<EventStore, "lastPosition">,
  services: Readonly<
    Record<string, { readonly projector: Pick<Projector, "health">; readonly state?: () => string }>
  >,
  { clockWatch, subjectKeys }: ReadinessContext = {},
): Promise<Readiness> {
  const projections = Object.entries(services).flatMap(([service, { projector }]) =>
    projector.health().map(({ name, state }): [string, string] => [`${service}.${name}`, state]),
  );
  // An audit log that has stopped is told here, and is no reason to take a customer's requests elsewhere.
  const states = Object.entries(services).flatMap(([service, { state }]): [string, string][] =>
    state === undefined ? [] : [[`${service}-log`, state()]],
  );
  // Neither is a clock that staff have to confirm: orders go on, and what time alone would do waits.
  const clock = clockWatch === undefined ? [] : [["clock", clockWatch.state()] as const];
  // Nor a missing key of personal data: it concerns one customer's texts.
  const keys =
    subjectKeys === undefined
      ? []
      : [["personal-data", subjectKeys.losses.list().length === 0 ? "available" : "key-missing"] as const];
  const parts = [
    ["event-store", await storeState(store)] as const,
    ...clock,
    ...keys,
    ...states,
    ...projections,
  ];
  return { ready: parts.every(([, state]) => !troubles.has(state)), parts: Object.fromEntries(parts) };
}

/** The read models of a service that stand still, as `domain.domains`. */
export function parkedIn(service: string, projector: Pick<Projector, "health">): readonly string[] {
  return projector
    .health()
    .filter(({ state }) => state === "parked")
    .map(({ name }) => `${service}.${name}`);
}

async function storeState(store: Pick<EventStore, "lastPosition">): Promise<string> {
  try {
    const answered = store.lastPosition().then(() => "reachable");
    return await within(probeMs, answered, () => "unreachable");
  } catch {
    return "unreachable";
  }
}
