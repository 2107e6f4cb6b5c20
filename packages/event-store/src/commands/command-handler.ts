import type { DomainEvent } from "@hostledger/core";
import type { Tracing } from "@hostledger/runtime";
import { createLru, realTiming, yieldToOthers, type Lru, type Timing } from "@hostledger/runtime/async";

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
import { StreamActor, type ActorEnvironment } from "./stream-actor.ts";
import { traceCommands } from "./traced-commands.ts";

/** What command handling needs. */
export interface CommandHandlerOptions {
  readonly store: EventStore;
  /** The program and version that goes into every event's metadata. */
  readonly recordedBy: string;
  /** Streams whose state stays in memory while nobody uses them; large states count for several. Default: 50,000. */
  readonly cacheLimit?: number;
  /** Commands that may wait on one stream. Default: 10,000. */
  readonly queueLimit?: number;
  /** How often a command is decided again because another process wrote to its stream. Default: `mostLosses`. */
  readonly conflictRetries?: number;
  /** Keeps states of long streams, of aggregates that say how. Whoever opened it closes it. Default: none. */
  readonly snapshots?: SnapshotEnvironment;
  /** Waits before an append of unknown outcome is repeated for the `attempt`th time. Default: one turn. */
  readonly pauseBeforeRetry?: (attempt: number) => Promise<void>;
  /** Where a collector wants to know of every command. */
  readonly tracing?: Tracing;
  /** By what writers of one stream rest for each other. Default: the machine's time. */
  readonly timing?: Timing;
}

/** One actor for each stream in use, over a bounded memory of those in use before. */
export function createCommandHandler(options: CommandHandlerOptions): CommandHandler {
  const handler = new ActorCommandHandler(options);
  return options.tracing === undefined ? handler : traceCommands(handler, options.tracing);
}

/** An actor of some aggregate; which one is checked when it is used. */
interface Resident {
  readonly actor: { readonly aggregate: object; readonly bytes: number };
  users: number;
  /** As how many streams it counts. */
  weight: number;
}

interface ResidentOf<Command, State, Event extends DomainEvent> extends Resident {
  readonly actor: StreamActor<Command, State, Event>;
}

/** What a stream takes in memory whose state does not grow without end, about; measured with domains and runs. */
const bytesOfStream = 2_048;

class ActorCommandHandler implements CommandHandler {
  readonly #environment: ActorEnvironment;
  readonly #residents: Lru<string, Resident>;
  readonly #heaviest: number;
  /** Actors that had to make room while they had a caller; these are never forgotten. */
  readonly #displaced = new Map<string, Resident>();
  readonly #counters = { appends: 0, conflicts: 0, commands: 0 };
  #turnOver: Promise<void> | undefined;

  constructor(options: CommandHandlerOptions) {
    const { cacheLimit = 50_000, queueLimit = 10_000, conflictRetries = mostLosses } = options;
    // The largest state leaves room for others, and is itself kept: it is the dearest to fold again.
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
   * Takes the request's claim before a command that is going to add facts.
   * @returns the outcome of a command that adds none, which needs no claim, or the refusal of the claim.
   */
  async #claimFor<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    id: string,
    command: Command,
    { claim }: CommandContext,
  ): Promise<Executed<State, Event> | undefined> {
    if (claim === undefined || claim.isMade) return undefined;
    // Not by a recent state: a claim that is made for what is refused then is pinned to the refusal.
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

  /** The stream's actor, which is not forgotten before as many `#leave`. */
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
    // What is set again as it is keeps the weight that it had.
    this.#residents.delete(stream);
    resident.weight = weight;
    this.#residents.set(stream, resident);
  }

  /** One promise for all actors that start in this turn. */
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

/** An actor is of the aggregate it was made for, whose type it shares. */
function isResidentOf<Command, State, Event extends DomainEvent>(
  resident: Resident,
  aggregate: Aggregate<Command, State, Event>,
): resident is ResidentOf<Command, State, Event> {
  return resident.actor.aggregate === aggregate;
}
