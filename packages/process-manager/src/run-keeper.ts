import type { DomainEvent } from "@hostledger/core";

import type { ProcessManagerOptions, Select } from "./managed-process.ts";
import { createProcessManager } from "./process-manager.ts";
import type { RunContext } from "./runnable-process.ts";

/** How often unfinished runs that nobody drives are looked for, in milliseconds. */
const sweepIntervalMs = 5_000;

/** Runs looked at in one sweep. */
const sweepLimit = 10_000;

/** A run younger than this is still with the request that began it, in milliseconds. */
const adoptionAgeMs = 10_000;

/** An unfinished run as a read model tells of it. */
export interface UnfinishedRun {
  readonly run: string;
  /** What it works on, for example a domain name. */
  readonly subject: string;
  /** `running`, `waiting` or `parked`. */
  readonly status: string;
  readonly step: string;
  /** ISO 8601 UTC. */
  readonly started_at: string;
}

/** What begins a run, and for whom. */
export interface FirstStep<Input> {
  readonly input: Input;
  readonly context: RunContext;
}

/** What a keeper of runs is made of. */
export interface RunKeeperOptions<State, Input, Event extends DomainEvent> extends ProcessManagerOptions<
  State,
  Input,
  Event
> {
  /** The unfinished runs of this kind of process, oldest first, at most so many. */
  unfinished(limit: number): Promise<readonly UnfinishedRun[]>;
  /**
   * What began a run, for one whose stream has nothing yet; undefined when nothing did. Left out where a run's own stream
   * is the first to tell of it.
   */
  readonly beginning?: (run: UnfinishedRun) => Promise<FirstStep<Input> | undefined>;
}

/** The runs of one kind of process that are under way in this process, and the rounds that find those without a driver. */
export interface RunKeeper<State, Input> {
  /** False while this process drives as many runs as it may: a new one would find no driver. */
  readonly hasRoom: boolean;
  /** Begins a run, for a request that waits for its answer. @throws RunSuspendedError too many runs. */
  start(runId: string, input: Input, context: RunContext): void;
  /** Waits until `select` finds something in the run's state. Rejects when the run stops here without it. */
  until<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer>;
  /**
   * The same for a run that may have been begun, and answered, before: so a repeated request gets its first answer.
   * @returns undefined when there is no such run.
   */
  recall<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer | undefined>;
  /** Staff's word to a parked run. @returns false when it is not parked. */
  interrupt(runId: string, input: Input): Promise<boolean>;
  /** Takes over unfinished runs until the signal aborts: all at once first, then whatever is left without a driver. */
  adopt(signal: AbortSignal): Promise<void>;
  /** Lets every run finish the step in hand, then stops. */
  stop(): Promise<void>;
}

/** Creates the manager of one kind of process and the rounds that take over what a dead owner left. */
export function createRunKeeper<State, Input, Event extends DomainEvent>(
  options: RunKeeperOptions<State, Input, Event>,
): RunKeeper<State, Input> {
  const { clock, logger, leases } = options;
  const manager = createProcessManager(options);

  async function sweep(minimumAgeMs: number, signal: AbortSignal): Promise<void> {
    const bound = clock.epochMilliseconds() - minimumAgeMs;
    for (const run of await options.unfinished(sweepLimit)) {
      // What finds no room now finds some in a later round, here or elsewhere.
      if (isAborted(signal) || !manager.hasRoom) return;
      const isYoung = Date.parse(run.started_at) > bound;
      // A lease that is free says by itself that nobody drives the run, however young it is.
      if (run.status === "parked" || manager.isActive(run.run) || (isYoung && leases === undefined)) continue;
      const isKnown = await manager.takeUp(run.run);
      if (manager.isActive(run.run))
        logger.info({ run: run.run, step: run.step }, "takes over an unfinished run");
      // A young one without facts is still with the request that reserved something for it.
      if (isKnown || isYoung) continue;
      const first = await options.beginning?.(run);
      if (first !== undefined) manager.start(run.run, first.input, first.context);
    }
  }

  return {
    get hasRoom() {
      return manager.hasRoom;
    },
    start: (runId, input, context) => {
      manager.start(runId, input, context);
    },
    until: (runId, select) => manager.until(runId, select),
    recall: (runId, select) => manager.recall(runId, select),
    interrupt: (runId, input) => manager.interrupt(runId, input),
    async adopt(signal) {
      await sweep(0, signal);
      while (!isAborted(signal)) {
        await clock.sleep(sweepIntervalMs, signal);
        await sweep(adoptionAgeMs, signal);
      }
    },
    stop: () => manager.stop(),
  };
}

/** A function, since the compiler takes a property that was false before an `await` for false after it. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
