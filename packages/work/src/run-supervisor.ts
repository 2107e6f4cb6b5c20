import type { DomainEvent } from "@hostledger/core";
import { unlessUnreadable } from "@hostledger/store";
import { isAborted } from "@hostledger/runtime";

import type { ProcessManagerOptions, Select } from "./managed-process.ts";
import type { RunContext } from "./process-definition.ts";
import { createProcessManager } from "./process-manager.ts";

/** How often unfinished runs that nobody drives are looked for, in milliseconds. */
const sweepIntervalMs = 5_000;

/** Runs read at a time. */
const pageSize = 1_000;

/** A run younger than this is still with the request that began it, in milliseconds. */
const orphanAgeMs = 10_000;

/** An unfinished run that does not wait for staff, as a read model tells of it. */
export interface UnfinishedRun extends RunPage {
  /** What it works on, for example a domain name. */
  readonly subject: string;
  readonly step: string;
}

/** Where a page of unfinished runs begins: after this one, in the order of their start. */
export interface RunPage {
  /** ISO 8601 UTC. */
  readonly started_at: string;
  readonly run: string;
}

/** Before every run. */
export const fromTheFirstRun: RunPage = { started_at: "", run: "" };

/** What begins a run, and for whom. */
export interface FirstStep<Input> {
  readonly input: Input;
  readonly context: RunContext;
}

/** What a supervisor of runs is made of. */
export interface RunSupervisorOptions<State, Input, Event extends DomainEvent> extends ProcessManagerOptions<
  State,
  Input,
  Event
> {
  /**
   * The unfinished runs of this kind of process that do not wait for staff, oldest first, at most so many: the query picks
   * them, so that runs of another kind, or those that wait for staff, hide none of them.
   */
  unfinished(after: RunPage, limit: number): Promise<readonly UnfinishedRun[]>;
  /**
   * What began a run, for one whose stream has nothing yet; undefined when nothing did. Left out where a run's own stream
   * is the first to tell of it.
   */
  readonly beginning?: (run: Pick<UnfinishedRun, "run" | "subject">) => Promise<FirstStep<Input> | undefined>;
}

/** The runs of one kind of process that are under way in this process, and the rounds that find those without a driver. */
export interface RunSupervisor<State, Input> {
  /** False while this process drives as many runs as it may: a new one would find no driver. */
  readonly hasRoom: boolean;
  /** Begins a run, for a request that waits for its answer. @throws RunOutOfSightError too many runs. */
  start(runId: string, input: Input, context: RunContext): void;
  /** Waits until `select` finds something in the run's state. Rejects when the run stops here without it. */
  until<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer>;
  /**
   * The same for a run that may have been begun, and answered, before: so a repeated request gets its first answer.
   * @param subject what the run works on, where its beginning is looked for there; the run may have no event yet.
   * @returns undefined when there is no such run.
   */
  recall<Answer>(runId: string, select: Select<State, Answer>, subject?: string): Promise<Answer | undefined>;
  /** Staff's word to a suspended run. @returns false when it is not suspended. */
  interrupt(runId: string, input: Input): Promise<boolean>;
  /** Ends the pause before a run's next call to a provider, where it is driven here; elsewhere its schedule holds. */
  hasten(runId: string): void;
  /** Takes over unfinished runs until the signal aborts: all at once first, then whatever is left without a driver. */
  resumeOrphaned(signal: AbortSignal): Promise<void>;
  /** Lets every run finish the step in hand, then stops. */
  stop(): Promise<void>;
}

/** Creates the manager of one kind of process and the rounds that take over what a dead owner left. */
export function createRunSupervisor<State, Input, Event extends DomainEvent>(
  options: RunSupervisorOptions<State, Input, Event>,
): RunSupervisor<State, Input> {
  const { clock, logger, leases } = options;
  const manager = createProcessManager(options);

  /** @returns false when there is no room for more: what finds none now finds some in a later round, here or elsewhere. */
  async function takeOver(run: UnfinishedRun, minimumAgeMs: number): Promise<boolean> {
    const ageMs = clock.epochMilliseconds() - Date.parse(run.started_at);
    // A run that began in the future began under a clock that was ahead: no request waits for it.
    const isYoung = ageMs >= 0 && ageMs < minimumAgeMs;
    // A lease that is free says by itself that nobody drives the run, however young it is.
    if (manager.isActive(run.run) || (isYoung && leases === undefined)) return true;
    if (!manager.hasRoom) return false;
    const isKnown = await manager.takeUp(run.run);
    if (manager.isActive(run.run))
      logger.info({ run: run.run, step: run.step }, "takes over an unfinished run");
    // A young one without events is still with the request that reserved something for it.
    if (isKnown || isYoung) return true;
    const first = await options.beginning?.(run);
    if (first !== undefined) manager.start(run.run, first.input, first.context);
    return true;
  }

  /** A run whose events cannot be read keeps no other run waiting. */
  function takeOverReadable(run: UnfinishedRun, minimumAgeMs: number): Promise<boolean> {
    return unlessUnreadable(
      () => takeOver(run, minimumAgeMs),
      (error) => {
        logger.error({ run: run.run, error }, "a run is held up by an event that cannot be read");
        return true;
      },
    );
  }

  async function sweep(minimumAgeMs: number, signal: AbortSignal): Promise<void> {
    let after: RunPage | undefined = fromTheFirstRun;
    while (after !== undefined && !isAborted(signal)) {
      const page: readonly UnfinishedRun[] = await options.unfinished(after, pageSize);
      for (const run of page) if (isAborted(signal) || !(await takeOverReadable(run, minimumAgeMs))) return;
      after = page.length === pageSize ? page.at(-1) : undefined;
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
    async recall(runId, select, subject) {
      const answer = await manager.recall(runId, select);
      if (answer !== undefined || subject === undefined) return answer;
      const first = await options.beginning?.({ run: runId, subject });
      if (first === undefined) return undefined;
      manager.start(runId, first.input, first.context);
      return manager.until(runId, select);
    },
    interrupt: (runId, input) => manager.interrupt(runId, input),
    hasten: (runId) => {
      manager.hasten(runId);
    },
    async resumeOrphaned(signal) {
      await sweep(0, signal);
      while (!isAborted(signal)) {
        await clock.sleep(sweepIntervalMs, signal);
        await sweep(orphanAgeMs, signal);
      }
    },
    stop: () => manager.stop(),
  };
}
