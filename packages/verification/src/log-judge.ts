import {
  categoryOf,
  codecOfCategory,
  mendingStreamOf,
  StoredEventError,
  type HostingEvent,
  type MendedEvent,
} from "@hostledger/core";
import type { LogEvent } from "@hostledger/transparency";

import { accountIdOf } from "./account-id.ts";
import { decodeStored } from "./decode.codec.ts";
import { eventPlace, type CheckName } from "./finding.ts";
import type { PassedOver } from "./passed-over.ts";

/** Places of foreign events that are kept; the others are only counted. */
const placesMaximum = 100;

/** Stops that are kept in words, and answers of the staff that are kept. */
const keptMaximum = 1_000;

/** An import keeps original times here: its events are passed over, and no foreign ones. */
const timesStream = "transfer-times";

/** An event that stops its stream: no event behind it counts, in deciders, read models and books alike. */
export interface StreamStop {
  readonly index: number;
  /** The event in words; undefined where too many were found to keep all of them. */
  readonly place: string | undefined;
  /** `decoding` for an event that cannot be read, `streams` for one that contradicts the events before it. */
  readonly check: Extract<CheckName, "decoding" | "streams">;
  /** A clause on why, and on how many events behind it do not count. */
  readonly problem: string;
}

/** Says of each event of a log whether it counts, in log order, as the product's deciders and read models count. */
export interface LogJudge {
  /** Takes the next event, with the index of its leaf. @returns what it says; undefined where it does not count, or is a foreign one. */
  readonly see: (index: number, stored: LogEvent) => HostingEvent | undefined;
  /** After the last event. */
  readonly end: () => { readonly stops: readonly StreamStop[]; readonly passedOver: PassedOver };
  /**
   * After the last event: the judge for reading the log once more, from its beginning. Staff answer behind the event that they have passed
   * over, and the first reading folds only streams of accounts. @returns undefined where this reading's verdicts stand.
   */
  readonly again: () => LogJudge | undefined;
}

/** Starts with nothing known. */
export function logJudge(): LogJudge {
  return new FoldingJudge(new Map());
}

/** A stop while the log is read. */
interface OpenStop extends StreamStop {
  behind: number;
}

/** A reading of the whole log. Its memory grows with accounts and charges, and with the streams that stop. */
class FoldingJudge implements LogJudge {
  readonly #answers: ReadonlyMap<string, MendedEvent>;
  /** Streams that staff mended; they are folded beside those of accounts. None at the first reading. */
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

  /** Why an event that can be read cannot follow the events before it in its stream. */
  #contradictionOf({ stream, type, data }: LogEvent, event: HostingEvent): string | undefined {
    const codec = codecOfCategory(categoryOf(stream));
    try {
      // An event of ours that belongs to other streams cannot be read in this one.
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

  /** Only beside those about its stream is an event an answer. */
  #noteAnswer(stream: string, { type, data }: HostingEvent): void {
    if (type !== "StreamMended" || this.#found.size >= keptMaximum) return;
    if (stream === mendingStreamOf(data.stream)) this.#found.set(data.eventId, data);
  }
}

function isAccount(stream: string): boolean {
  return accountIdOf(stream) !== undefined;
}

function behindClause(stream: string, behind: number): string {
  return behind === 1
    ? `the event behind it in ${stream} does not count`
    : `the ${String(behind)} events behind it in ${stream} do not count`;
}
