import type { DomainEvent } from "@hostledger/core";
import type { Tracing } from "@hostledger/runtime";
import { createLru, type Lru, realTiming, type Timing, yieldToOthers } from "@hostledger/runtime/async";

import type { EventStore } from "../event-store.port.ts";
import type {
  Aggregate,
  CommandHandler,
  CommandStatistics,
  Executed,
  Loaded,
} from "./command-handler.port.ts";
import type { CommandContext } from "./event-metadata.ts";
import type { SnapshotEnvironment } from "../snapshots/stream-snapshots.ts";
import { mostLosses } from "./hand-over.ts";
import { type ActorEnvironment, StreamActor } from "./stream-actor.ts";
import { commandName } from "./event-origin.ts";

export interface CommandHandlerOptions {
  readonly store: EventStore;
  /** Program and version for the metadata of every event. */
  readonly recordedBy: string;
  /** Maximum cached streams that nobody uses; a large state counts as several. Default: 50,000. */
  readonly cacheLimit?: number;
  /** Maximum commands waiting for one stream. Default: 10,000. */
  readonly queueLimit?: number;
  /** Maximum repeated decisions of a command after conflicts with other processes. Default: `mostLosses`. */
  readonly conflictRetries?: number;
  /** Stores snapshots of long streams, for aggregates with a codec. The caller closes it. Default: none. */
  readonly snapshots?: SnapshotEnvironment;
  /** Waits before the `attempt`th repetition of an append with unknown outcome. Default: one turn of the event loop. */
  readonly pauseBeforeRetry?: (attempt: number) => Promise<void>;
  /** Traces every command; absent without a collector. */
  readonly tracing?: Tracing;
  /** Clock for the pauses between the writers of one stream. Default: the machine's clock. */
  readonly timing?: Timing;
}

/** Makes a command handler with one actor per stream in use, and an LRU cache of other actors. */
export function createCommandHandler(options: CommandHandlerOptions): CommandHandler {
  const handler = new ActorCommandHandler(options);
  return options.tracing === undefined ? handler : traceCommands(handler, options.tracing);
}

/** A cached actor of any aggregate. The aggregate is checked on use. */
interface Resident {
  readonly actor: { readonly aggregate: object; readonly bytes: number };
  users: number;
  /** Number of streams that the actor counts as in the cache. */
  weight: number;
}

interface ResidentOf<Command, State, Event extends DomainEvent> extends Resident {
  readonly actor: StreamActor<Command, State, Event>;
}

/** Approximate memory of a stream with a small state, in bytes, measured with domains and runs. */
const bytesOfStream = 2_048;

class ActorCommandHandler implements CommandHandler {
  readonly #environment: ActorEnvironment;
  readonly #residents: Lru<string, Resident>;
  readonly #heaviest: number;
  /** Actors evicted while a caller used them; they stay until their last caller leaves. */
  readonly #displaced = new Map<string, Resident>();
  readonly #counters = { appends: 0, conflicts: 0, commands: 0 };
  #turnOver: Promise<void> | undefined;

  constructor(options: CommandHandlerOptions) {
    const { cacheLimit = 50_000, queueLimit = 10_000, conflictRetries = mostLosses } = options;
    // Half of the limit, so that one large state neither evicts itself nor all others. A large state is the most costly to
    // fold again.
    this.#heaviest = Math.max(1, Math.floor(cacheLimit / 2));
    this.#residents = createLru(
      cacheLimit,
      (resident, stream) => {
        if (resident.users > 0) this.#displaced.set(stream, resident);
      },
      ({ weight }) => weight,
    );
    this.#environment = {
      store: options.store,
      recordedBy: options.recordedBy,
      queueLimit,
      conflictRetries,
      pauseBeforeRetry: options.pauseBeforeRetry ?? (() => yieldToOthers()),
      snapshots: options.snapshots,
      turnOver: () => this.#sharedTurn(),
      timing: options.timing ?? realTiming,
      counters: this.#counters,
    };
  }

  async execute<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    id: string,
    command: Command,
    context: CommandContext,
  ): Promise<Executed<State, Event>> {
    const idle = await this.#claimFor(aggregate, id, command, context);
    if (idle !== undefined) return idle;
    this.#counters.commands += 1;
    const stream = streamOf(aggregate, id);
    const resident = this.#enter(aggregate, stream);
    try {
      return await resident.actor.execute(command, context);
    } finally {
      this.#leave(stream, resident);
    }
  }

  async load<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    id: string,
    maxAgeMs = 0,
  ): Promise<Loaded<State>> {
    const stream = streamOf(aggregate, id);
    const resident = this.#enter(aggregate, stream);
    try {
      return await resident.actor.load(maxAgeMs);
    } finally {
      this.#leave(stream, resident);
    }
  }

  /**
   * Takes the request's claim before a command adds events.
   * @returns the outcome of a command without events, which needs no claim, or the refusal of the claim; undefined if the
   * command may go on.
   */
  async #claimFor<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    id: string,
    command: Command,
    { claim }: CommandContext,
  ): Promise<Executed<State, Event> | undefined> {
    if (claim === undefined || claim.isMade) return undefined;
    // Reads the stored state: a claim for a command that an older state would refuse would store that refusal.
    const { state, ...place } = await this.load(aggregate, id);
    const decision = aggregate.decider.decide(command, state);
    if (!decision.accepted) return { ...decision, state };
    if (decision.events.length === 0) return { accepted: true, state, events: [], ...place };
    const rejection = await claim.make();
    return rejection === undefined ? undefined : { accepted: false, rejection, state };
  }

  generation(): number {
    return this.#environment.store.lineage?.generation ?? 0;
  }

  statistics(): CommandStatistics {
    return { ...this.#counters, cachedStreams: this.#residents.size + this.#displaced.size };
  }

  /** Returns the stream's actor, which is not evicted before as many calls of `#leave`. */
  #enter<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    stream: string,
  ): ResidentOf<Command, State, Event> {
    const resident =
      this.#residents.get(stream) ?? this.#displaced.get(stream) ?? this.#settle(aggregate, stream);
    if (!isResidentOf(resident, aggregate)) {
      throw new Error(`two aggregates use the category ${aggregate.category}`);
    }
    resident.users += 1;
    return resident;
  }

  #settle<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    stream: string,
  ): Resident {
    const resident = { actor: new StreamActor(aggregate, stream, this.#environment), users: 0, weight: 1 };
    this.#residents.set(stream, resident);
    return resident;
  }

  #leave(stream: string, resident: Resident): void {
    resident.users -= 1;
    if (resident.users > 0) return;
    const weight = Math.min(1 + Math.floor(resident.actor.bytes / bytesOfStream), this.#heaviest);
    if (!this.#displaced.delete(stream) && weight === resident.weight) return;
    // The LRU cache keeps the old weight unless the entry is deleted first.
    this.#residents.delete(stream);
    resident.weight = weight;
    this.#residents.set(stream, resident);
  }

  /** One promise for all actors that start in this turn of the event loop. */
  #sharedTurn(): Promise<void> {
    this.#turnOver ??= yieldToOthers().then(() => {
      this.#turnOver = undefined;
    });
    return this.#turnOver;
  }
}

function streamOf({ category }: { readonly category: string }, id: string): string {
  return `${category}-${id}`;
}

/** True if the actor was made for this aggregate and thus has its types. */
function isResidentOf<Command, State, Event extends DomainEvent>(
  resident: Resident,
  aggregate: Aggregate<Command, State, Event>,
): resident is ResidentOf<Command, State, Event> {
  return resident.actor.aggregate === aggregate;
}

/**
 * Wraps a handler so that every command appears in the trace of its request. One append holds commands of many requests,
 * so a command is identified by its stream and id.
 */
function traceCommands(handler: CommandHandler, tracing: Tracing): CommandHandler {
  return {
    execute(aggregate, id, command, context) {
      const { category } = aggregate;
      const { correlationId, commandId } = context;
      const name = `command ${nameOf(command) ?? category}`;
      const as = { open: commandName(`${category}-${id}`, commandId) };
      const attributes = { "hostledger.stream.category": category };
      return tracing.within(name, { correlationId, as, attributes }, async (span) => {
        const executed = await handler.execute(aggregate, id, command, context);
        const outcome = executed.accepted ? "accepted" : executed.rejection.code;
        span.describe(name, { "hostledger.outcome": outcome });
        return executed;
      });
    },
    load: (aggregate, id, maxAgeMs) => handler.load(aggregate, id, maxAgeMs),
    generation: () => handler.generation?.() ?? 0,
    statistics: () => handler.statistics(),
  };
}

/** Every decider's commands have a type, but the compiler does not require one. */
function nameOf(command: unknown): string | undefined {
  if (typeof command !== "object" || command === null || !("type" in command)) return undefined;
  return typeof command.type === "string" ? command.type : undefined;
}
