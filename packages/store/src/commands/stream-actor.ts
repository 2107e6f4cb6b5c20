import { rejection, StoreRewoundError, type DomainEvent, type Rejection } from "@hostledger/core";
import type { Timing } from "@hostledger/runtime/async";

import {
  EventStoreOverloadedError,
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventToAppend,
} from "../event-store.port.ts";
import { planBatch, type BatchPlan, type PlannedOutcome, type SentCommand } from "./batch-plan.ts";
import type { Aggregate, Executed, Loaded } from "./command-handler.port.ts";
import type { CommandContext } from "./event-metadata.ts";
import { FoldedStream, type FoldEnvironment } from "./folded-stream.ts";
import { HandOver } from "./hand-over.ts";

/**
 * Maximum commands per decision. Each adds an event or costs almost nothing, so an append has at most about as many
 * events.
 */
const batchLimit = 1_000;

/** Maximum repetitions of an append whose outcome is unknown. */
const unavailableRetries = 5;

export interface ActorEnvironment extends FoldEnvironment {
  readonly recordedBy: string;
  readonly queueLimit: number;
  readonly conflictRetries: number;
  readonly pauseBeforeRetry: (attempt: number) => Promise<void>;
  readonly timing: Timing;
  readonly counters: { appends: number; conflicts: number };
}

/** Commands decided together, and the number that may be answered. */
interface Decided<State, Event> {
  readonly stored: Loaded<State>;
  readonly plan: BatchPlan<State, Event>;
  /** Number of first outcomes that may be answered from the stored state if nothing is appended. */
  readonly answerable: number;
}

interface WaitingCommand<Command, State, Event> extends SentCommand<Command> {
  conflicts: number;
  readonly resolve: (outcome: Executed<State, Event>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Serialises all work on one stream in this process. It caches the state, decides all waiting commands, appends their
 * events together, and answers when the append is on disk. Commands stay in the queue until then, so that a conflict
 * decides them again.
 */
export class StreamActor<Command, State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<Command, State, Event>;
  readonly #stream: string;
  readonly #environment: ActorEnvironment;
  readonly #queue: WaitingCommand<Command, State, Event>[] = [];
  readonly #folded: FoldedStream<Command, State, Event>;
  #working = false;
  readonly #handOver: HandOver;

  constructor(aggregate: Aggregate<Command, State, Event>, stream: string, environment: ActorEnvironment) {
    this.aggregate = aggregate;
    this.#stream = stream;
    this.#environment = environment;
    this.#handOver = new HandOver(environment.timing);
    this.#folded = new FoldedStream(aggregate, stream, environment);
  }

  execute(command: Command, context: CommandContext): Promise<Executed<State, Event>> {
    if (this.#queue.length >= this.#environment.queueLimit) return Promise.resolve(this.#overloaded());
    return new Promise((resolve, reject) => {
      this.#queue.push({ command, context, conflicts: 0, resolve, reject });
      if (!this.#working) void this.#work();
    });
  }

  /** Returns the stored state of at most this age, never one that an unfinished append may still change. */
  load(maxAgeMs = 0): Promise<Loaded<State>> {
    return this.#folded.load(maxAgeMs);
  }

  /** Approximate memory of the state in bytes, beyond the fixed size of every stream. */
  get bytes(): number {
    return this.aggregate.bytesOf?.(this.#folded.lastSeen) ?? 0;
  }

  get #isShared(): boolean {
    return this.#environment.store.shared === true;
  }

  /** Never rejects: every error goes to the commands that it concerns. */
  async #work(): Promise<void> {
    this.#working = true;
    do {
      // Callers often send their next command right after an answer, so one turn collects them all.
      await this.#environment.turnOver();
      if (this.#isShared) await this.#rest();
      await this.#workOnce();
    } while (this.#queue.length > 0);
    this.#working = false;
  }

  async #rest(): Promise<void> {
    const milliseconds = this.#handOver.restMs();
    if (milliseconds > 0) await this.#environment.timing.sleep(milliseconds);
  }

  async #workOnce(): Promise<void> {
    let decided: Decided<State, Event>;
    try {
      decided = await this.#decide();
    } catch (error) {
      this.#failFirst(this.#queue.length, error);
      return;
    }
    const { stored, plan, answerable } = decided;
    if (plan.events.length === 0) {
      this.#settle(plan.outcomes.slice(0, answerable), stored, stored);
      return;
    }
    const { timing } = this.#environment;
    const beganMs = timing.monotonicMilliseconds();
    try {
      const { revision, position } = await this.#append(stored.revision ?? "no-stream", plan.events);
      this.#environment.counters.appends += 1;
      if (this.#isShared) this.#handOver.appended(timing.monotonicMilliseconds() - beganMs);
      const after = { state: plan.state, revision, position };
      this.#folded.keep(after, beganMs);
      this.#settle(plan.outcomes, stored, after);
      const eventId = plan.events.at(-1)?.id;
      if (eventId !== undefined)
        this.#folded.considerSnapshot({ state: plan.state, revision, position, eventId });
    } catch (error) {
      this.#recover(plan.outcomes.length, error);
    }
  }

  /**
   * Decides all waiting commands. A successful append confirms the state for every command decided with it. Without an
   * append, on a shared store or before the first read, the commands are decided again on the tail. Only commands that
   * arrived before that read began are answered from it.
   */
  async #decide(): Promise<Decided<State, Event>> {
    const { recordedBy, store } = this.#environment;
    const target = { stream: this.#stream, recordedBy, bytesOf: store.bytesOf?.bind(store) };
    let stored = this.#folded.supposed;
    let answerable = this.#isShared || this.#folded.known === undefined ? 0 : batchLimit;
    for (;;) {
      if (stored === undefined) {
        answerable = this.#isShared ? this.#queue.length : batchLimit;
        stored = await this.load();
      }
      const plan = planBatch(this.aggregate, target, stored, this.#queue.slice(0, batchLimit));
      if (plan.events.length > 0 || answerable > 0) return { stored, plan, answerable };
      stored = undefined;
    }
  }

  /** Appends the events. A repetition is safe: the same ids at the same revision are stored once. */
  async #append(expected: bigint | "no-stream", events: readonly EventToAppend[]): Promise<AppendResult> {
    const { lineage } = this.#environment.store;
    const generation = lineage?.generation;
    for (let attempt = 1; ; attempt += 1) {
      if (lineage?.generation !== generation) throw new StoreRewoundError("the store is another copy now");
      try {
        return await this.#environment.store.append(this.#stream, expected, events);
      } catch (error) {
        if (!(error instanceof EventStoreUnavailableError) || attempt > unavailableRetries) throw error;
        await this.#environment.pauseBeforeRetry(attempt);
      }
    }
  }

  #settle(
    outcomes: readonly PlannedOutcome<State, Event>[],
    before: Loaded<State>,
    after: Loaded<State>,
  ): void {
    const commands = this.#queue.splice(0, outcomes.length);
    outcomes.forEach((outcome, index) => {
      const waiting = commands[index];
      if (outcome.kind === "failed") waiting?.reject(outcome.error);
      else waiting?.resolve(executed(outcome, before, after));
    });
  }

  #recover(count: number, error: unknown): void {
    if (error instanceof WrongExpectedRevisionError) {
      this.#environment.counters.conflicts += 1;
      this.#handOver.lost();
      this.#folded.outgrown();
      this.#giveUpOnConflicts(count);
    } else if (error instanceof EventStoreOverloadedError) {
      for (const waiting of this.#queue.splice(0, count)) waiting.resolve(this.#overloaded());
    } else {
      // Unknown whether the events are stored, so the state is unknown too.
      this.#folded.forget();
      this.#failFirst(count, error);
    }
  }

  #giveUpOnConflicts(count: number): void {
    const again = this.#queue.splice(0, count).filter((waiting) => {
      waiting.conflicts += 1;
      if (waiting.conflicts <= this.#environment.conflictRetries) return true;
      waiting.resolve(this.#overloaded());
      return false;
    });
    this.#queue.unshift(...again);
  }

  #failFirst(count: number, error: unknown): void {
    for (const waiting of this.#queue.splice(0, count)) waiting.reject(error);
  }

  #overloaded(): Executed<State, Event> {
    return {
      accepted: false,
      rejection: overloaded(),
      state: this.#folded.lastSeen,
    };
  }
}

function overloaded(): Rejection {
  return rejection("overloaded", undefined, { retryAfterSeconds: 1 });
}

function executed<State, Event>(
  outcome: Exclude<PlannedOutcome<State, Event>, { kind: "failed" }>,
  before: Loaded<State>,
  after: Loaded<State>,
): Executed<State, Event> {
  const { state } = outcome;
  if (outcome.kind === "refused") return { accepted: false, rejection: outcome.rejection, state };
  const { position } = outcome.restsOnBatch ? after : before;
  return { accepted: true, state, events: outcome.events, revision: outcome.revision, position };
}
