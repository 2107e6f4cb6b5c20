import {
  categoryOf,
  codecOfCategory,
  counted,
  type HostingEvent,
  type MendedEvent,
  mendingStreamOf,
  onOneLine,
  StoredEventError,
} from "@hostledger/core";

import type { LogEvent } from "../log/index.ts";
import { decodeStored } from "./decode.codec.ts";
import { type CheckName, eventPlace } from "./finding.ts";

/** Maximum foreign events reported with their place; further ones are only counted. */
const placesMaximum = 100;

/** Maximum stops reported with their place and cause, and maximum stored decisions of staff. */
const keptMaximum = 1_000;

/** Stream in which an import stores original times. Its events do not count as foreign. */
const timesStream = "transfer-times";

/** An event that stops its stream: deciders, read models and books ignore this event and all later ones of the stream. */
export interface StreamStop {
  readonly index: number;
  /** Description of the event; undefined for stops beyond the maximum. */
  readonly place: string | undefined;
  /** `decoding` for an unreadable event, `streams` for an event that contradicts earlier events of its stream. */
  readonly check: Extract<CheckName, "decoding" | "streams">;
  /** Clause on the cause and on the number of later events that do not count. */
  readonly problem: string;
}

/** Decides for each event of a log whether it counts. The product's deciders and read models follow the same rules. */
export interface LogJudge {
  /** Takes the next event and its leaf's index. @returns the event; undefined if it is foreign or does not count */
  readonly see: (index: number, stored: LogEvent) => HostingEvent | undefined;
  /** Returns the result after the last event. */
  readonly end: () => { readonly stops: readonly StreamStop[]; readonly passedOver: PassedOver };
  /**
   * Returns the judge for a second reading of the whole log; undefined if the first reading suffices. Staff's decision
   * to skip an event comes later in the log than this event, and the first reading folds only streams of accounts.
   */
  readonly again: () => LogJudge | undefined;
}

export function logJudge(): LogJudge {
  return new FoldingJudge(new Map());
}

/** A stop whose later events are still being counted. */
interface OpenStop extends StreamStop {
  behind: number;
}

/** One reading of the whole log. Its memory grows with accounts, charges and stopped streams. */
class FoldingJudge implements LogJudge {
  readonly #answers: ReadonlyMap<string, MendedEvent>;
  /** Streams in which staff skipped an event; they are folded like streams of accounts. Empty at the first reading. */
  readonly #answered: ReadonlySet<string>;
  readonly #states = new Map<string, unknown>();
  readonly #stops = new Map<string, OpenStop>();
  readonly #found = new Map<string, MendedEvent>();
  readonly #foreign: string[] = [];
  readonly #mended: string[] = [];
  #foreignCount = 0;

  constructor(answers: ReadonlyMap<string, MendedEvent>) {
    this.#answers = answers;
    this.#answered = new Set([...answers.values()].map(({ stream }) => stream));
  }

  readonly see = (index: number, stored: LogEvent): HostingEvent | undefined => {
    const { stream } = stored;
    const { event, problem } = decodeStored(stored);
    if (event === undefined && problem === undefined) this.#passForeign(stored);
    const stop = this.#stops.get(stream);
    if (stop !== undefined) {
      if (event !== undefined || problem !== undefined) stop.behind += 1;
      return undefined;
    }
    if (event === undefined) {
      if (problem !== undefined) this.#leaveOut(index, stored, "decoding", problem);
      return undefined;
    }
    const contradiction = this.#contradictionOf(stored, event);
    if (contradiction !== undefined) {
      this.#leaveOut(index, stored, "streams", contradiction);
      return undefined;
    }
    this.#noteAnswer(stream, event);
    return event;
  };

  readonly end = (): ReturnType<LogJudge["end"]> => ({
    stops: [...this.#stops].map(([stream, { behind, problem, ...stop }]) => ({
      ...stop,
      problem: behind === 0 ? problem : `${problem}; ${behindClause(stream, behind)}`,
    })),
    passedOver: { foreignCount: this.#foreignCount, foreign: this.#foreign, mended: this.#mended },
  });

  readonly again = (): LogJudge | undefined => {
    const answered = [...this.#found.values()].map(({ stream }) => stream);
    const isOver = this.#answered.size > 0 || answered.every((at) => isAccount(at) && !this.#stops.has(at));
    return isOver ? undefined : new FoldingJudge(this.#found);
  };

  /** Returns the reason why a readable event contradicts earlier events of its stream; undefined if it does not. */
  #contradictionOf({ stream, type, data }: LogEvent, event: HostingEvent): string | undefined {
    const codec = codecOfCategory(categoryOf(stream));
    try {
      // Throws for an event type of ours that belongs to another category of streams.
      if (codec?.knows(type) === false) codec.decode(type, data);
      if (codec?.fold === undefined || !(isAccount(stream) || this.#answered.has(stream))) return undefined;
      const before = this.#states.has(stream) ? this.#states.get(stream) : codec.fold.initialState;
      this.#states.set(stream, codec.fold.evolve(before, event));
      return undefined;
    } catch (error) {
      if (error instanceof StoredEventError) return error.message;
      throw error;
    }
  }

  #leaveOut(index: number, stored: LogEvent, check: OpenStop["check"], problem: string): void {
    const { stream, id } = stored;
    const answer = this.#answers.get(id);
    if (answer?.stream === stream) {
      if (this.#mended.length < keptMaximum) this.#mended.push(`${eventPlace(stored)}: ${answer.reason}`);
      return;
    }
    const place = this.#stops.size < keptMaximum ? eventPlace(stored) : undefined;
    const stop = { index, place, check, problem: place === undefined ? "does not count" : problem };
    this.#stops.set(stream, { ...stop, behind: 0 });
    this.#states.delete(stream);
  }

  #passForeign(stored: LogEvent): void {
    if (stored.stream === timesStream) return;
    this.#foreignCount += 1;
    if (this.#foreign.length < placesMaximum) this.#foreign.push(eventPlace(stored));
  }

  /** Remembers a decision of staff to skip an event. Such events are only valid in the stream reserved for them. */
  #noteAnswer(stream: string, { type, data }: HostingEvent): void {
    if (type !== "StreamMended" || this.#found.size >= keptMaximum) return;
    if (stream === mendingStreamOf(data.stream)) this.#found.set(data.eventId, data);
  }
}

function isAccount(stream: string): boolean {
  return findAccountId(stream) !== undefined;
}

function behindClause(stream: string, behind: number): string {
  return behind === 1
    ? `the event behind it in ${stream} does not count`
    : `the ${String(behind)} events behind it in ${stream} do not count`;
}

/** Returns the account of a stream; undefined for other streams. */
export function findAccountId(stream: string): number | undefined {
  if (!stream.startsWith("account-")) return undefined;
  const digits = /^account-([1-9]\d{0,15})$/u.exec(stream)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Events that the books ignore. */
export interface PassedOver {
  /** Number of events of other software. */
  readonly foreignCount: number;
  /** The first foreign events, such as `account-7@3 (CrmNoteTaken)`. */
  readonly foreign: readonly string[];
  /** Events that staff skipped, with the staff's reason. */
  readonly mended: readonly string[];
}

/** Describes ignored events in sentences; empty if none. */
export function passedOverLines({ foreignCount, foreign, mended }: PassedOver): readonly string[] {
  const left = foreignCount - foreign.length;
  const others = left === 0 ? "" : ` and ${String(left)} more`;
  return [
    ...(foreignCount === 0
      ? []
      : [`${counted(foreignCount, "foreign event")} passed over: ${foreign.join(", ")}${others}.`]),
    ...mended.map((event) => `Passed over by the staff: ${event}`),
  ].map(onOneLine);
}
