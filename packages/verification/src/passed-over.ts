import { counted, type HostingEvent, type MendedEvent, mendingStreamOf, onOneLine } from "@hostledger/core";
import type { LogEvent } from "@hostledger/transparency";
import { eventPlace } from "./finding.ts";

/** Maximum places of foreign events stored; further ones are counted. */
const placesMaximum = 100;

/** Maximum unreadable and skipped events stored. */
const keptMaximum = 1_000;

/** Stream of an import's original times, whose events are ignored without being foreign. */
const timesStream = "transfer-times";

/** Events that the books ignore. */
export interface PassedOver {
  /** Number of events of other software. */
  readonly foreignCount: number;
  /** The first foreign events, such as `account-7@3 (CrmNoteTaken)`. */
  readonly foreign: readonly string[];
  /** Unreadable events that staff skipped, with the staff's reason. */
  readonly mended: readonly string[];
}

/** An unreadable event with the reason as a clause. */
export interface UnreadableEvent {
  readonly index: number;
  readonly stored: LogEvent;
  readonly problem: string;
}

/** Collects ignored events in log order. */
export interface PassedOverEvents {
  /** Adds a foreign event. */
  readonly foreign: (stored: LogEvent) => void;
  /** Adds an unreadable event, which staff may skip later in the log. @returns false if too many are stored */
  readonly unreadable: (event: UnreadableEvent) => boolean;
  /** Adds a readable event with its stream. */
  readonly see: (stream: string, event: HostingEvent) => void;
  /** Ends the collection. @returns stopping events, ignored events, and staff's decisions about readable events */
  readonly end: () => {
    readonly stopping: readonly UnreadableEvent[];
    readonly passedOver: PassedOver;
    readonly others: readonly MendedEvent[];
  };
}

export function passedOverEvents(): PassedOverEvents {
  const places: string[] = [];
  let foreignCount = 0;
  const unreadable: UnreadableEvent[] = [];
  const mended = new Map<string, MendedEvent>();
  return {
    foreign(stored) {
      if (stored.stream === timesStream) return;
      foreignCount += 1;
      if (places.length < placesMaximum) places.push(eventPlace(stored));
    },
    unreadable(event) {
      return unreadable.length < keptMaximum && unreadable.push(event) > 0;
    },
    see(stream, { type, data }) {
      if (type !== "StreamMended" || mended.size >= keptMaximum) return;
      if (stream === mendingStreamOf(data.stream)) mended.set(data.eventId, data);
    },
    end() {
      const answerTo = ({ stored }: UnreadableEvent): MendedEvent | undefined => {
        const answer = mended.get(stored.id);
        return answer?.stream === stored.stream ? answer : undefined;
      };
      const ids = new Set(unreadable.map(({ stored }) => stored.id));
      return {
        others: [...mended.values()].filter(({ eventId }) => !ids.has(eventId)),
        stopping: unreadable.filter((event) => answerTo(event) === undefined),
        passedOver: {
          foreignCount,
          foreign: places,
          mended: unreadable.flatMap((event) => {
            const answer = answerTo(event);
            return answer === undefined ? [] : [`${eventPlace(event.stored)}: ${answer.reason}`];
          }),
        },
      };
    },
  };
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
