import { onOneLine } from "@hostledger/core";
import type { EventStore } from "@hostledger/store";
import type { KeyLosses } from "@hostledger/store/personal-data";
import type { Projector } from "@hostledger/read";
import { within } from "@hostledger/runtime";

import type { ClockWatch } from "./clock-watch.ts";
import type { StoreWatch } from "./store-watch.ts";
import type { ProviderBreakers } from "./provider-breakers.ts";

/** Readiness of a process, with the state of each part in a word. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

/** Time limit for asking the event store, in milliseconds. */
const probeMs = 2_000;

/**
 * Maximum wait of a start for read models, in milliseconds. A short log is read within it, so the first requests
 * mostly see everything; a long log is not awaited.
 */
const readModelLimitMs = 2_000;

const troubles = new Set(["catching-up", "not-built", "replaced", "rewound", "unreachable"]);

export const opening: Readiness = { ready: false, parts: { "event-store": "opening" } };

/** Further parts of the readiness, if the process has them. */
export interface ReadinessContext {
  readonly clockWatch?: Pick<ClockWatch, "state">;
  readonly storeWatch?: Pick<StoreWatch, "state">;
  readonly breakers?: Pick<ProviderBreakers, "states">;
  readonly subjectKeys?: { readonly losses: Pick<KeyLosses, "list"> };
}

/**
 * Ready means: the event store answers, no read model is on its way to the end of the log, and none is being built for the
 * first time. One that is built anew goes on serving as it was, and rows that stand still before an event that cannot be read make
 * nobody unready, since they would make everybody so: answers about them are marked as stale instead, and their streams are named.
 */
export async function readinessOf(
  store: Pick<EventStore, "lastPosition">,
  services: Readonly<
    Record<
      string,
      {
        readonly projector: Pick<Projector, "health" | "stopped">;
        readonly state?: () => string;
        readonly archiveState?: () => string;
      }
    >
  >,
  { clockWatch, storeWatch, breakers, subjectKeys }: ReadinessContext = {},
): Promise<Readiness> {
  const projections = Object.entries(services).flatMap(([service, { projector }]) =>
    projector.health().map(({ name, state, unbuilt }): [string, string] => {
      const isOnItsWay = state === "rebuilding" && unbuilt === true;
      return [`${service}.${name}`, isOnItsWay ? "not-built" : state];
    }),
  );
  // A stopped audit log is shown, but does not make the process unready for customers.
  const states = Object.entries(services).flatMap(([service, { state }]): [string, string][] =>
    state === undefined ? [] : [[`${service}-log`, state()]],
  );
  // Nor an archive of documents that is full or gone: orders go on, and their documents wait.
  const archives = Object.values(services).flatMap(({ archiveState }): [string, string][] =>
    archiveState === undefined ? [] : [["documents", archiveState()]],
  );
  // An unconfirmed clock does not make the process unready either: orders continue, and only time-driven work
  // waits.
  const clock = clockWatch === undefined ? [] : [["clock", clockWatch.state()] as const];
  // Nor a provider that answers nobody: everything else goes on.
  const providers = (breakers?.states() ?? []).map(
    ([provider, state]) => [`${provider}-breaker`, state] as const,
  );
  // Nor a missing key of personal data: it concerns one customer's texts.
  const keys =
    subjectKeys === undefined
      ? []
      : [["personal-data", subjectKeys.losses.list().length === 0 ? "available" : "key-missing"] as const];
  const parts = [
    ["event-store", await storeState(store, storeWatch)] as const,
    ...clock,
    ...providers,
    ...keys,
    ...states,
    ...archives,
    ...projections,
    ...stoppedPart(services),
  ];
  return { ready: parts.every(([, state]) => !troubles.has(state)), parts: Object.fromEntries(parts) };
}

/** Streams that one answer names. */
const namedStreams = 20;

/** Returns the part for stopped streams, if there are any. */
function stoppedPart(
  services: Readonly<Record<string, { readonly projector: Pick<Projector, "stopped"> }>>,
): readonly (readonly [string, string])[] {
  const stops = Object.values(services).flatMap(({ projector }) => projector.stopped());
  const streams = [...new Set(stops.map(({ stream }) => onOneLine(stream)))];
  if (streams.length === 0) return [];
  const more = streams.length > namedStreams ? [`and ${String(streams.length - namedStreams)} more`] : [];
  return [["stopped-streams", [...streams.slice(0, namedStreams), ...more].join(", ")]];
}

/**
 * The read models of a service that may be out of date, as `domain.domains`: all of them while the store is an older backup, and those
 * in which rows of the account stand still.
 * @param accountId only streams of this account count. Default: of all.
 */
export function staleIn(
  service: string,
  projector: Pick<Projector, "health" | "stale" | "stopped">,
  storeWatch: Pick<StoreWatch, "state">,
  accountId?: number,
): readonly string[] {
  const stopped = projector
    .stopped()
    .filter((stop) => accountId === undefined || stop.accountId === accountId)
    .map(({ projection }) => projection);
  const names =
    storeWatch.state() === "reachable"
      ? [...new Set([...projector.stale(), ...stopped])]
      : projector.health().map(({ name }) => name);
  return names.map((name) => `${service}.${name}`);
}

/** Waits until the read models include the whole log, with a time limit: late read models serve old rows. */
export async function readOrLate(projectors: readonly Pick<Projector, "ready">[]): Promise<void> {
  const ready = Promise.all(projectors.map((projector) => projector.ready()));
  await within(readModelLimitMs, ready, () => undefined);
}

/** A store that was restored from an older backup takes no orders until staff accept it, however well it answers. */
async function storeState(
  store: Pick<EventStore, "lastPosition">,
  storeWatch?: Pick<StoreWatch, "state">,
): Promise<string> {
  try {
    const answered = store.lastPosition().then(() => storeWatch?.state() ?? "reachable");
    return await within(probeMs, answered, () => "unreachable");
  } catch {
    return "unreachable";
  }
}
