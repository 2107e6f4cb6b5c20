import { rejection, type DomainEvent, type Rejection } from "@hostledger/core";

import { appendLimits, InvalidAppendError, type EventToAppend } from "../event-store.port.ts";
import type { Aggregate, Loaded } from "./command-handler.port.ts";
import { eventToAppend } from "./event-to-append.ts";
import { writeMetadata, type CommandContext } from "./event-metadata.ts";

export interface SentCommand<Command> {
  readonly command: Command;
  readonly context: CommandContext;
}

/** The outcome of one command, provided that the batch is stored. */
export type PlannedOutcome<State, Event> =
  | {
      readonly kind: "accepted";
      readonly state: State;
      readonly events: readonly Event[];
      readonly revision: bigint | undefined;
      /** True if the command adds events or was decided on events of this batch. */
      readonly restsOnBatch: boolean;
    }
  | { readonly kind: "refused"; readonly rejection: Rejection; readonly state: State }
  | { readonly kind: "failed"; readonly error: unknown };

/** Decided commands and the append that stores their events. */
export interface BatchPlan<State, Event> {
  /** One outcome for each decided command, in order; commands that did not fit have none. */
  readonly outcomes: readonly PlannedOutcome<State, Event>[];
  readonly events: readonly EventToAppend[];
  readonly state: State;
}

export interface BatchTarget {
  readonly stream: string;
  readonly recordedBy: string;
  /** Bytes of an event in the append. Default: bytes of its data and metadata. */
  readonly bytesOf?: ((event: EventToAppend) => number) | undefined;
}

/**
 * Decides commands in order, each on the state after its predecessors, until their events fill one append. If `decide`,
 * `evolve` or the codec throws, the command fails without an effect on the batch.
 */
export function planBatch<Command, State, Event extends DomainEvent>(
  aggregate: Aggregate<Command, State, Event>,
  target: BatchTarget,
  stored: Loaded<State>,
  commands: readonly SentCommand<Command>[],
): BatchPlan<State, Event> {
  const outcomes: PlannedOutcome<State, Event>[] = [];
  const appended: EventToAppend[] = [];
  let state = stored.state;
  let bytes = 0;
  for (const sent of commands) {
    const before = { state, revision: advance(stored.revision, appended.length) };
    const step = attempt(() => decideOne(aggregate, target, before, sent));
    if (step.kind !== "accepted") {
      outcomes.push(step);
      continue;
    }
    const fits =
      appended.length + step.toAppend.length <= appendLimits.joinedEvents &&
      bytes + step.bytes <= appendLimits.bytes;
    if (!fits && appended.length > 0) break;
    if (!fits) {
      outcomes.push({ kind: "failed", error: tooLarge(target.stream, step) });
      continue;
    }
    bytes += step.bytes;
    appended.push(...step.toAppend);
    state = step.state;
    outcomes.push({
      kind: "accepted",
      state,
      events: step.events,
      revision: advance(stored.revision, appended.length),
      restsOnBatch: appended.length > 0,
    });
  }
  return { outcomes, events: appended, state };
}

interface AcceptedStep<State, Event> {
  readonly kind: "accepted";
  readonly state: State;
  readonly events: readonly Event[];
  readonly toAppend: readonly EventToAppend[];
  readonly bytes: number;
}

type Step<State, Event> =
  | AcceptedStep<State, Event>
  | Exclude<PlannedOutcome<State, Event>, { kind: "accepted" }>;

function attempt<State, Event>(decide: () => Step<State, Event>): Step<State, Event> {
  try {
    return decide();
  } catch (error) {
    return { kind: "failed", error };
  }
}

function decideOne<Command, State, Event extends DomainEvent>(
  { decider, codec }: Aggregate<Command, State, Event>,
  { stream, recordedBy, bytesOf = givenBytes }: BatchTarget,
  before: Pick<Loaded<State>, "state" | "revision">,
  { command, context }: SentCommand<Command>,
): Step<State, Event> {
  const decision = decider.decide(command, before.state);
  if (!decision.accepted) return { kind: "refused", rejection: decision.rejection, state: before.state };
  const { events } = decision;
  if (!isExpected(context, before.revision, events.length))
    return { kind: "refused", rejection: rejection("precondition-failed"), state: before.state };
  const metadata = events.length === 0 ? "" : writeMetadata(context, recordedBy);
  let { state } = before;
  let bytes = 0;
  const toAppend = events.map((event, index) => {
    state = decider.evolve(state, event);
    const given = eventToAppend(codec, event, { stream, commandId: context.commandId, index, metadata });
    bytes += bytesOf(given);
    return given;
  });
  return { kind: "accepted", state, events, toAppend, bytes };
}

function isExpected(
  { expectedRevision: expected }: CommandContext,
  revision: bigint | undefined,
  events: number,
): boolean {
  if (expected === undefined) return true;
  return expected === "repeat" ? events === 0 : expected === (revision ?? -1n);
}

function givenBytes({ data, metadata }: EventToAppend): number {
  return Buffer.byteLength(data) + Buffer.byteLength(metadata);
}

function advance(revision: bigint | undefined, events: number): bigint | undefined {
  return events === 0 ? revision : (revision ?? -1n) + BigInt(events);
}

function tooLarge(
  stream: string,
  { toAppend, bytes }: { toAppend: readonly unknown[]; bytes: number },
): Error {
  const size = `${String(toAppend.length)} events of ${String(bytes)} bytes`;
  return new InvalidAppendError(`stream ${stream}: one command adds ${size}, more than one append may hold`);
}
