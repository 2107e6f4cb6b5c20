import {
  comparisonAggregate,
  nextComparisonAt,
  type ComparedPart,
  type Comparison,
  type DifferenceSeverity,
} from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";
import { runUnderLease, type Leases } from "@hostledger/leases";
import { isAborted, type Clock, type Logger } from "@hostledger/runtime";

import type { DriftReport } from "./drift.ts";

/** What the daily comparison of a part of the books is made of. */
export interface DriftRoundsOptions {
  readonly part: ComparedPart;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leases?: Leases | undefined;
  /** Hours from the end of one comparison to the next; 0: none. */
  readonly everyHours: number;
  /** Compares, mends nothing, and stops where the signal aborts. */
  readonly compare: (signal: AbortSignal) => Promise<DriftReport>;
  /** False while nothing may be done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: (() => boolean) | undefined;
}

/** Compares a part of the books day by day, in one process at a time; what it came to is a fact. */
export interface DriftRounds {
  /** Compares where that is due. @returns what it came to; undefined where it is not due, or was cut off. */
  runDue(signal?: AbortSignal): Promise<Comparison | undefined>;
  /** The last comparison, wherever it was made. */
  last(): Promise<Comparison | undefined>;
  /** Goes on until the signal aborts; not there where nothing is to be compared. */
  readonly run?: (signal: AbortSignal) => Promise<void>;
}

const hourMs = 3_600_000;

/** A start is not the time for questions about everything. */
const afterStartMs = 600_000;

/** Creates the rounds. */
export function createDriftRounds(options: DriftRoundsOptions): DriftRounds {
  const { clock, commands, compare, everyHours, leases, logger, part } = options;
  const { isTimeTrusted = () => true } = options;

  const last = async () => (await commands.load(comparisonAggregate, part)).state.last;

  async function runDue(signal = new AbortController().signal): Promise<Comparison | undefined> {
    const beganAt = clock.now();
    if (everyHours === 0 || !isTimeTrusted()) return undefined;
    if (nextComparisonAt(await last(), everyHours * hourMs, beganAt) > beganAt) return undefined;
    if (signal.aborted) return undefined;
    const { differences, unanswered } = await compare(signal);
    if (isAborted(signal)) return undefined;
    const count = (severity: DifferenceSeverity) =>
      differences.filter((found) => found.severity === severity).length;
    const found = { critical: count("critical"), major: count("major"), minor: count("minor") };
    const data = { part, ...found, unanswered: unanswered.length, beganAt, at: clock.now() };
    const correlationId = `comparison-${part}-${beganAt}`;
    const { state } = await commands.execute(
      comparisonAggregate,
      part,
      { type: "RecordComparison", data },
      { commandId: `${correlationId}/RecordComparison`, correlationId, actor: "process:comparison" },
    );
    logger.info({ part, ...found, unanswered }, "compared the books with what providers hold");
    return state.last;
  }

  async function goRound(signal: AbortSignal): Promise<void> {
    for (let restMs = afterStartMs; !signal.aborted; restMs = hourMs) {
      await clock.sleep(restMs, signal);
      await runDue(signal);
    }
  }

  const run = (signal: AbortSignal) => runUnderLease(leases, `comparison-${part}`, goRound, signal);
  return { runDue, last, ...(everyHours === 0 ? {} : { run }) };
}
