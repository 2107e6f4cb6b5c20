import {
  clockAggregate,
  differenceOf,
  isSameDifference,
  jumpAtStart,
  jumpFromDatabase,
  jumpWhileRunning,
  openJumpOf,
  type ClockJump,
  type ClockState,
  type NewClockJump,
} from "@hostledger/core";
import {
  createCommandHandler,
  type CommandContext,
  type CommandHandler,
  type EventStore,
} from "@hostledger/store";
import type { Clock, Ids, Logger } from "@hostledger/runtime";

import { readably } from "./readably.ts";

export interface ClockWatchOptions {
  readonly store: EventStore;
  /** Time of the newest event before this process adds one; undefined in an empty store. */
  readonly newestEventAt: string | undefined;
  readonly clock: Clock;
  /** True when the clock was moved ahead on purpose. */
  readonly isMovedAhead: boolean;
  /** Returns the time by the clock of the shared database, in milliseconds since 1970; undefined if unknown. */
  readonly expectedMilliseconds: () => number | undefined;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Author of a confirmation, as stored in the event. */
export type Confirmation = Pick<CommandContext, "correlationId" | "actor">;

/** Watches this process's clock: against the events at the start, then against the monotonic clock, and always against the database's. */
export interface ClockWatch {
  /** False from the moment at which the clock cannot be right until staff confirm it. Looks at the clock itself. */
  isTrusted(): boolean;
  /** For `/readyz`: `trusted`, or where the clock is. */
  state(): "trusted" | "behind-not-confirmed" | "ahead-not-confirmed";
  /** Checks the clock, reports a jump, and applies confirmations by this and other processes. */
  look(): Promise<void>;
  /** Looks again and again until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Confirms the present time for every process over the store, on behalf of staff.
   * @returns the jumps that were open, possibly none.
   */
  accept(confirmation: Confirmation): Promise<readonly ClockJump[]>;
}

/** Interval of the checks, in milliseconds. */
const lookEveryMs = 1_000;

const streamId = "all";

/** Starts watching, before the process adds its first event. A jump is an event before this answers. */
export async function openClockWatch(options: ClockWatchOptions): Promise<ClockWatch> {
  const commands = createCommandHandler({ store: options.store, recordedBy: "clock-watch" });
  const { initialState } = clockAggregate.decider;
  const loaded = await readably(options.logger, () => commands.load(clockAggregate, streamId));
  const state = loaded?.state ?? initialState;
  const watch = new StoredClockWatch(options, commands, state);
  const times = timesByDatabase(options);
  const jump =
    (times === undefined ? undefined : jumpFromDatabase(state, times)) ??
    jumpFromEvents(state, options, times);
  if (jump !== undefined) await watch.distrust(jump);
  return watch;
}

/** Times of this process's clock and of the database's. */
type Times = Pick<ClockJump, "expectedAt" | "clockAt">;

function timesByDatabase({ clock, expectedMilliseconds }: ClockWatchOptions): Times | undefined {
  const expectedMs = expectedMilliseconds();
  return expectedMs === undefined ? undefined : { expectedAt: instantOf(expectedMs), clockAt: clock.now() };
}

/** Events that agree with the database's time contradict no clock of which staff have confirmed that it is another one. */
function jumpFromEvents(
  state: ClockState,
  { clock, newestEventAt, isMovedAhead }: ClockWatchOptions,
  times: Times | undefined,
): ClockJump | NewClockJump | undefined {
  const jumpAt = (clockAt: string) => {
    const starting = { clockAt, newestEventAt, isMovedAhead };
    return openJumpOf(state, starting) ?? jumpAtStart(state, starting);
  };
  const jump = jumpAt(clock.now());
  const isAnother = times !== undefined && !isSameDifference(differenceOf(times), 0);
  return jump !== undefined && isAnother ? jumpAt(times.expectedAt) : jump;
}

class StoredClockWatch implements ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #commands: CommandHandler;
  #base: { readonly clockMs: number; readonly monotonicMs: number };
  #known: ClockState;
  #jump: ClockJump | undefined;
  /** The jump is not an event yet. */
  #isUnreported = false;

  constructor(options: ClockWatchOptions, commands: CommandHandler, known: ClockState) {
    this.#options = options;
    this.#commands = commands;
    this.#known = known;
    this.#base = this.#present();
  }

  isTrusted(): boolean {
    if (this.#jump === undefined) {
      const jump = this.#difference() ?? this.#drift();
      if (jump !== undefined) this.#take(jump);
    }
    return this.#jump === undefined;
  }

  state(): ReturnType<ClockWatch["state"]> {
    return this.isTrusted() || this.#jump === undefined ? "trusted" : `${this.#jump.direction}-not-confirmed`;
  }

  async look(): Promise<void> {
    const jump = this.isTrusted() ? undefined : this.#jump;
    if (jump === undefined) return;
    await readably(this.#options.logger, async () => {
      if (this.#isUnreported) await this.#report(jump);
      const { state } = await this.#commands.load(clockAggregate, streamId);
      await this.#apply(state);
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look();
      await this.#options.clock.sleep(lookEveryMs, signal);
    }
  }

  async accept(confirmation: Confirmation): Promise<readonly ClockJump[]> {
    await this.look();
    const { state } = await this.#commands.load(clockAggregate, streamId);
    const executed = await this.#commands.execute(
      clockAggregate,
      streamId,
      { type: "AcceptClock", data: { at: this.#options.clock.now() } },
      { ...confirmation, commandId: `accept-clock/${this.#options.ids.uuid()}` },
    );
    await this.#apply(executed.state);
    return executed.accepted && executed.events.length > 0 ? state.open : [];
  }

  /** Takes the time for wrong from now on, and stores that it does. */
  async distrust(jump: NewClockJump | ClockJump): Promise<void> {
    const named = this.#take(jump);
    if (this.#isUnreported) await readably(this.#options.logger, () => this.#report(named));
  }

  #take(jump: NewClockJump | ClockJump): ClockJump {
    const named = "jumpId" in jump ? jump : { jumpId: this.#options.ids.uuid(), ...jump };
    this.#jump = named;
    this.#isUnreported = !("jumpId" in jump);
    const { direction, expectedAt, clockAt } = named;
    const expectedBy = named.expectedBy === "facts" ? "what the events say" : "PostgreSQL's";
    this.#options.logger.warn(
      { direction, expectedAt, clockAt },
      `the clock is ${direction} of ${expectedBy}: nothing is renewed, suspended or expired until "hostledger admin clock accept"`,
    );
    return named;
  }

  /** Stores the jump once. If too many jumps are open, it is counted with the last of them. */
  async #report(jump: ClockJump): Promise<void> {
    const { jumpId } = jump;
    const { state } = await this.#commands.execute(
      clockAggregate,
      streamId,
      { type: "NoticeClockJump", data: jump },
      { commandId: `${jumpId}/NoticeClockJump`, ...ofTheWatch(jumpId) },
    );
    this.#isUnreported = false;
    if (!state.open.some((open) => open.jumpId === jumpId)) this.#jump = state.open.at(-1);
  }

  async #apply(state: ClockState): Promise<void> {
    const own = this.#jump?.jumpId;
    if (own === undefined || state.open.some(({ jumpId }) => jumpId === own)) return;
    this.#known = await this.#keepDifference(own, state);
    this.#jump = undefined;
    // The time is right now: from here on it must advance as the monotonic clock does.
    this.#base = this.#present();
    this.#options.logger.info({ jump: own }, "the clock was confirmed: time-driven work goes on");
  }

  /**
   * Stores the confirmed difference from the database, so that the next start does not report it again. A difference
   * that was corrected in between will be reported.
   */
  async #keepDifference(jumpId: string, state: ClockState): Promise<ClockState> {
    const times = timesByDatabase(this.#options);
    if (times === undefined || jumpFromDatabase(state, times) === undefined) return state;
    const data = { jumpId, aheadMs: differenceOf(times), at: times.clockAt };
    const kept = await this.#commands.execute(
      clockAggregate,
      streamId,
      { type: "KeepClockDifference", data },
      { commandId: `${jumpId}/KeepClockDifference/${this.#options.ids.uuid()}`, ...ofTheWatch(jumpId) },
    );
    return kept.state;
  }

  #difference(): ClockJump | NewClockJump | undefined {
    const times = timesByDatabase(this.#options);
    return times === undefined ? undefined : jumpFromDatabase(this.#known, times);
  }

  #drift(): NewClockJump | undefined {
    const { clockMs, monotonicMs } = this.#base;
    const expectedMs = clockMs + (this.#options.clock.monotonicMilliseconds() - monotonicMs);
    return jumpWhileRunning(instantOf(expectedMs), instantOf(this.#options.clock.epochMilliseconds()));
  }

  #present(): { readonly clockMs: number; readonly monotonicMs: number } {
    return {
      clockMs: this.#options.clock.epochMilliseconds(),
      monotonicMs: this.#options.clock.monotonicMilliseconds(),
    };
  }
}

function ofTheWatch(jumpId: string): Pick<CommandContext, "correlationId" | "actor"> {
  return { correlationId: jumpId, actor: "process:clock-watch" };
}

function instantOf(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "000Z");
}
