import { AuditFaultError, onOneLine, placeOf, staffTickets } from "@hostledger/core";
import {
  backgroundTiming,
  type Clock,
  type Logger,
  supervise,
  type SupervisedTask,
  type Timing,
} from "@hostledger/runtime";
import { type CommandHandler, requestStaffTicket } from "@hostledger/store";

import type { DamagedEntry, LogReader } from "../log.port.ts";
import type { ScrubMemory, ScrubState } from "./scrub-state.ts";

export interface ScrubOptions {
  readonly log: Pick<LogReader, "checkTiles" | "compareFrom" | "size">;
  /** Events per second; 0 for no scrub. */
  readonly rate: number;
  readonly memory: ScrubMemory;
  readonly clock: Pick<Clock, "now" | "epochMilliseconds">;
  readonly timing: Pick<Timing, "sleep">;
  readonly logger: Logger;
  /** Asks staff for help; a repeated cause asks only once. */
  readonly report: (place: string, sentence: string) => Promise<void>;
  /** Reports a lost or changed file of the log to staff. */
  readonly reportTile: (sentence: string) => Promise<void>;
  /** Checks the store's file and returns a clause for each problem. Undefined for a remote store. */
  readonly checkFile: (() => Promise<readonly string[]>) | undefined;
}

/** Compares the whole store with the log in repeated rounds, to detect changes of old events. */
export interface Scrub {
  readonly rate: number;
  state(): ScrubState;
  run(signal: AbortSignal): Promise<void>;
}

/** Pause after a start, which has more urgent work. */
const firstPauseMs = 1_000;
/** Pause after a batch with only the engine's own events, which are not compared. */
const leastPauseMs = 50;
/** Pause between rounds, so that a short log is not read continuously. */
const roundPauseMs = 60_000;
/** Interval at which the state is stored during a round. */
const memoryEveryMs = 60_000;
const fileCheckEveryMs = 86_400_000;
/** Pause if the log cannot be read because its state was lost. */
const faultPauseMs = 10_000;

/** Maximum characters of a sentence about a difference. A stream's name may have 500. */
const sentenceCharacters = 1_000;

/** Makes a scrub that continues where the last process stopped. */
export async function createScrub(options: ScrubOptions): Promise<Scrub> {
  const { log, rate, memory, clock, timing, logger } = options;
  let state = await memory.read();
  let writtenMs = clock.epochMilliseconds();

  async function change(changes: Partial<ScrubState>, isEndOfRound: boolean): Promise<void> {
    state = { ...state, ...changes };
    if (!isEndOfRound && clock.epochMilliseconds() - writtenMs < memoryEveryMs) return;
    writtenMs = clock.epochMilliseconds();
    await memory.write(state);
  }

  /** Compares a batch of events. @returns their number, and whether they were the last */
  async function step(): Promise<{ readonly compared: number; readonly isEnd: boolean }> {
    if (state.place.index > log.size) state = { ...state, place: { index: 0, after: "start" } };
    if (state.place.index === 0) state = { ...state, roundStartedAt: clock.now(), differences: 0 };
    const { next, compared, damaged } = await log.compareFrom(state.place);
    const differences = state.differences + damaged.length;
    const [first] = damaged;
    if (first !== undefined) await report(first);
    if (next !== undefined) await change({ place: next, differences }, damaged.length > 0);
    else {
      const place = { index: 0, after: "start" } as const;
      const known = differences === 0 ? { first: undefined } : {};
      const ended = { place, differences, lastDifferences: differences, roundEndedAt: clock.now(), ...known };
      await change(ended, true);
    }
    return { compared, isEnd: next === undefined };
  }

  /** Reports the first difference once; further rounds with a difference report nothing new. */
  async function report(damaged: DamagedEntry): Promise<void> {
    if (state.first !== undefined) return;
    const sentence = sentenceOf(damaged);
    logger.error({ index: damaged.index, stream: damaged.event.stream }, sentence);
    await options.report(String(damaged.index), sentence);
    state = { ...state, first: sentence };
  }

  async function checkTiles(signal: AbortSignal): Promise<void> {
    const tileFault = await faultOfTiles(options, state.tileFault, signal);
    if (tileFault !== state.tileFault) await change({ tileFault }, true);
  }

  async function nextPauseMs(signal: AbortSignal): Promise<number> {
    try {
      if (state.place.index === 0) {
        // Between two rounds, so that it does not slow down a start.
        if (state.roundEndedAt !== undefined) await change(await checkedFile(options, state), true);
        await checkTiles(signal);
      }
      const { compared, isEnd } = await step();
      return isEnd ? roundPauseMs : Math.max(leastPauseMs, (compared / rate) * 1_000);
    } catch (error) {
      if (!(error instanceof AuditFaultError)) throw error;
      // The round may have stopped at a missing file, which only this check reports.
      await checkTiles(signal);
      return state.tileFault === undefined ? faultPauseMs : roundPauseMs;
    }
  }

  return {
    rate,
    state: () => state,
    async run(signal) {
      let pauseMs = firstPauseMs;
      for (;;) {
        await timing.sleep(pauseMs, signal);
        if (signal.aborted) break;
        pauseMs = await nextPauseMs(signal);
      }
      await memory.write(state);
    },
  };
}

/** Checks the store's file once a day. @returns the changed members of the state */
async function checkedFile(
  { checkFile, clock, logger, report }: ScrubOptions,
  { fileCheckedAt: last = "1970-01-01" }: ScrubState,
): Promise<Partial<ScrubState>> {
  if (checkFile === undefined || clock.epochMilliseconds() - Date.parse(last) < fileCheckEveryMs) return {};
  const fileProblems = await checkFile();
  const fileCheckedAt = clock.now();
  const [first] = fileProblems;
  if (first !== undefined) {
    const sentence = `The file of the event store is damaged: ${first}.`;
    logger.error({ problems: fileProblems }, sentence);
    await report("file", sentence);
  }
  return { fileProblems, fileCheckedAt };
}

/** Reports a damaged file of the log once, until a check finds all files intact. @param known the fault of the last check */
async function faultOfTiles(
  { log, logger, reportTile }: ScrubOptions,
  known: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const fault = await log.checkTiles(signal);
  if (signal.aborted || fault === known) return known;
  if (fault !== undefined) {
    logger.error(fault);
    if (known === undefined) await reportTile(fault);
  }
  return fault;
}

/** Describes a leaf with another event: its place and the difference. */
export function sentenceOf({ event, index, damage = "differs" }: DamagedEntry): string {
  const place = event.stream === "" ? "" : `, ${placeOf(event)},`;
  // An event may contain any text, and this becomes one line of a ticket.
  return onOneLine(`Event ${String(index)} of the audit log${place} ${damage}.`)
    .slice(0, sentenceCharacters)
    .toWellFormed();
}

/** Returns the number of known differing events; those of a full round count until the next round ends. */
export function differencesOf({ differences, lastDifferences }: ScrubState): number {
  return Math.max(differences, lastDifferences);
}

export interface ScrubSettings {
  /** Events per second; 0 for no scrub. */
  readonly rate: number;
  readonly memory: ScrubMemory;
  /** Checks the store's file daily. Undefined for a remote store. */
  readonly checkFile: (() => Promise<readonly string[]>) | undefined;
}

/** Starts the scrub, which asks staff for help at the first difference. */
export async function startScrub(
  settings: ScrubSettings,
  {
    log,
    commands,
    clock,
    logger,
  }: {
    readonly log: LogReader;
    readonly commands: Pick<CommandHandler, "execute">;
    readonly clock: Clock;
    readonly logger: Logger;
  },
): Promise<Scrub & Pick<SupervisedTask, "stop">> {
  const scrub = await createScrub({
    ...settings,
    log,
    clock,
    logger,
    timing: backgroundTiming,
    report: (place, sentence) =>
      requestStaffTicket(
        { commands, clock },
        staffTickets.eventStoreDamaged(sentence, place, clock.now()),
        "audit-service",
      ),
    reportTile: (sentence) =>
      requestStaffTicket(
        { commands, clock },
        staffTickets.auditLogDamaged(sentence, clock.now()),
        "audit-service",
      ),
  });
  if (settings.rate === 0) return { ...scrub, stop: () => Promise.resolve() };
  const scrubbing = supervise("scrub", (signal) => scrub.run(signal), { logger });
  return { ...scrub, stop: () => scrubbing.stop() };
}
