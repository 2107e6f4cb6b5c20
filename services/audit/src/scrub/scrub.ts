import { AuditFaultError, onOneLine, placeOf } from "@hostledger/core";
import type { Clock, Logger, Timing } from "@hostledger/runtime";

import type { DamagedEntry, LogReader } from "../log.port.ts";
import type { ScrubMemory, ScrubState } from "./scrub-state.ts";

/** What a scrub works with. */
export interface ScrubOptions {
  readonly log: Pick<LogReader, "checkTiles" | "compareFrom" | "size">;
  /** Events a second; 0 for no scrub. */
  readonly rate: number;
  readonly memory: ScrubMemory;
  readonly clock: Pick<Clock, "now" | "epochMilliseconds">;
  /** What pauses are waited with. */
  readonly timing: Pick<Timing, "sleep">;
  readonly logger: Logger;
  /** Asks staff for a look; the same cause again asks for nothing new. */
  readonly report: (place: string, sentence: string) => Promise<void>;
  /** Tells staff of a file of the log that was lost or changed. */
  readonly reportTile: (sentence: string) => Promise<void>;
  /** Looks at the file of the store: a clause for each thing that is wrong. Undefined where the store is no file of ours. */
  readonly checkFile: (() => Promise<readonly string[]>) | undefined;
}

/** Reads the store against the log round and round, so that what changed in the past is noticed. */
export interface Scrub {
  readonly rate: number;
  state(): ScrubState;
  /** Goes on until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** A start has other things to do first. */
const firstPauseMs = 1_000;
/** Where a run of the store was the engine's own events, nothing was compared. */
const leastPauseMs = 50;
/** A short log is not read again and again without a pause. */
const roundPauseMs = 60_000;
/** How often the state is written while a round is under way. */
const memoryEveryMs = 60_000;
const fileCheckEveryMs = 86_400_000;
/** How long a log that cannot be read now, since its state was lost, is left alone. */
const faultPauseMs = 10_000;

/** A stream's name has up to 500 characters, of which 40 say which it is. */
const sentenceCharacters = 1_000;

/** Begins where the last process stopped. */
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

  /** Compares a run of events. @returns how many, and whether they were the last */
  async function step(): Promise<{ readonly compared: number; readonly isEnd: boolean }> {
    if (state.place.index > log.size) state = { ...state, place: { index: 0, after: "start" } };
    if (state.place.index === 0) state = { ...state, roundStartedAt: clock.now(), differences: 0 };
    const { next, compared, damaged } = await log.compareFrom(state.place);
    const differences = state.differences + damaged.length;
    const [first] = damaged;
    if (first !== undefined) await tell(first);
    if (next !== undefined) await change({ place: next, differences }, damaged.length > 0);
    else {
      const place = { index: 0, after: "start" } as const;
      const known = differences === 0 ? { first: undefined } : {};
      const ended = { place, differences, lastDifferences: differences, roundEndedAt: clock.now(), ...known };
      await change(ended, true);
    }
    return { compared, isEnd: next === undefined };
  }

  /** The first difference is told once: as long as a round finds one, it is the same trouble. */
  async function tell(damaged: DamagedEntry): Promise<void> {
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
        // Between two rounds, so that a start is not burdened with it.
        if (state.roundEndedAt !== undefined) await change(await checkedFile(options, state), true);
        await checkTiles(signal);
      }
      const { compared, isEnd } = await step();
      return isEnd ? roundPauseMs : Math.max(leastPauseMs, (compared / rate) * 1_000);
    } catch (error) {
      if (!(error instanceof AuditFaultError)) throw error;
      // The round may have come to a file that is missing: who reads the log finds no other word of that.
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

/** Looks at the file of the store once a day. @returns what changes of the state */
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

/** A file of the log is told once, until a look finds all of them right again. @param known what was found before */
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

/** What is told of a leaf whose event is another one: which, and what differs. */
export function sentenceOf({ event, index, damage = "differs" }: DamagedEntry): string {
  const place = event.stream === "" ? "" : `, ${placeOf(event)},`;
  // What an event says of itself may be anything, and this becomes a line of a ticket.
  return onOneLine(`Event ${String(index)} of the audit log${place} ${damage}.`)
    .slice(0, sentenceCharacters)
    .toWellFormed();
}

/** Events that are known to be others than the log has: those of a round are not forgotten when the next one begins. */
export function differencesOf({ differences, lastDifferences }: ScrubState): number {
  return Math.max(differences, lastDifferences);
}
