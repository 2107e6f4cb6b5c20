import { isForeign, StoreRewoundError, type DomainEvent } from "@hostledger/core";
import {
  decodeEvent,
  eventToAppend,
  EventStoreOverloadedError,
  EventStoreUnavailableError,
  passOverMended,
  taking,
  writeMetadata,
  WrongExpectedRevisionError,
  type EventStore,
  type EventToAppend,
} from "@hostledger/store";
import { Backoff, retry, type Timing } from "@hostledger/runtime/async";

import type { RunContext, ProcessDefinition } from "./process-definition.ts";

/** Maximum attempts of an unchanged append with unknown outcome, and the pauses between attempts. */
const appendAttempts = 8;
const appendBackoff = { firstMs: 40, longestMs: 2_560 };

export interface JournalOptions<State, Input, Event extends DomainEvent> {
  readonly store: EventStore;
  readonly definition: ProcessDefinition<State, Input, Event>;
  readonly recordedBy: string;
  readonly clock: Timing;
}

/** A run as read from its stream. */
export interface LoadedRun<State> {
  readonly state: State;
  /** Revision of the last event of ours; undefined where there is none. */
  readonly revision: bigint | undefined;
  readonly context: RunContext | undefined;
  /** The store's generation under which it was read. */
  readonly generation: number;
}

/** First input of a run, and its request. */
export interface FirstStep<Input> {
  readonly input: Input;
  readonly context: RunContext;
}

export interface DrivenRun {
  readonly runId: string;
  /** Revision of the last stored event; undefined before the first. */
  readonly revision: bigint | undefined;
  readonly context: RunContext;
  /** The store's generation under which the run was read or begun. */
  readonly generation: number;
  /**
   * Identifies the driver and its attempt: two drivers may decide different events at one revision, and with equal
   * event ids the store would take the second append for a repeat.
   */
  readonly driver: string;
}

/** Reads and writes the streams of runs. */
export interface RunJournal<State, Event> {
  load(runId: string): Promise<LoadedRun<State>>;
  unstored(): LoadedRun<State>;
  /** Stores events after the revision. @returns the new revision @throws WrongExpectedRevisionError another owner wrote; StoreRewoundError */
  append(run: DrivenRun, events: readonly Event[]): Promise<bigint>;
}

/** The journal of one kind of process. */
export function createRunJournal<State, Input, Event extends DomainEvent>(
  options: JournalOptions<State, Input, Event>,
): RunJournal<State, Event> {
  const { store, definition, recordedBy, clock } = options;

  /** Returns the store's present generation, see `StoreLineage`. */
  function generation(): number {
    return store.lineage?.generation ?? 0;
  }

  async function load(runId: string): Promise<LoadedRun<State>> {
    const readUnder = generation();
    let state = definition.process.initialState;
    let revision: bigint | undefined;
    let context: RunContext | undefined;
    for await (const recorded of store.read(runId)) {
      const before = state;
      try {
        const decoded = decodeEvent(definition.codec, recorded);
        if (decoded === undefined) continue;
        state = taking(recorded, () => definition.process.evolve(before, decoded.event));
        context ??= decoded.metadata;
      } catch (error) {
        await passOverMended(store, recorded, error);
      }
      revision = recorded.revision;
    }
    return { state, revision, context, generation: readUnder };
  }

  async function append(
    { runId, revision, context, driver, generation: begunUnder }: DrivenRun,
    events: readonly Event[],
  ): Promise<bigint> {
    // The store may have lost events of this run (a restore), so an equal revision may follow other events.
    if (begunUnder !== generation())
      throw new StoreRewoundError(`the store is another copy than that of ${runId}`);
    const first = (revision ?? -1n) + 1n;
    const commandId = `${runId}/${String(first)}/${driver}`;
    const metadata = writeMetadata({ ...context, causationId: runId, commandId }, recordedBy);
    const toAppend = events.map((event, index) =>
      eventToAppend(definition.codec, event, { stream: runId, commandId, index, metadata }),
    );
    return appendPastForeign({ store, clock, codec: definition.codec }, runId, revision, toAppend);
  }

  function unstored(): LoadedRun<State> {
    const { initialState } = definition.process;
    return { state: initialState, revision: undefined, context: undefined, generation: generation() };
  }

  return { load, unstored, append };
}

interface Appending {
  readonly store: EventStore;
  readonly clock: Timing;
  readonly codec: { knows(storedType: string): boolean };
}

/** Appends after the revision, or after events that only other software added. @throws WrongExpectedRevisionError */
async function appendPastForeign(
  options: Appending,
  runId: string,
  revision: bigint | undefined,
  events: readonly EventToAppend[],
): Promise<bigint> {
  const { store, clock } = options;
  let last = revision;
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      // Repeating an append unchanged while its outcome is unknown, or the store is busy, is safe; and it is bounded.
      const result = await retry(() => store.append(runId, last ?? "no-stream", events), {
        backoff: new Backoff(appendBackoff, clock),
        attempts: appendAttempts,
        mayPass: isPassing,
      });
      return result.revision;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError) || conflicts === appendAttempts) throw error;
      const foreign = await lastForeign(options, runId, last);
      if (foreign === undefined) throw error;
      last = foreign;
    }
  }
}

/** The end of a run to which only other software added since the revision; undefined where another driver did, or nobody. */
async function lastForeign(
  { store, codec }: Appending,
  runId: string,
  since: bigint | undefined,
): Promise<bigint | undefined> {
  let last: bigint | undefined;
  for await (const recorded of store.read(runId, { from: (since ?? -1n) + 1n })) {
    if (codec.knows(recorded.type) || !isForeign(recorded)) return undefined;
    last = recorded.revision;
  }
  return last;
}

function isPassing(error: unknown): boolean {
  return error instanceof EventStoreUnavailableError || error instanceof EventStoreOverloadedError;
}
