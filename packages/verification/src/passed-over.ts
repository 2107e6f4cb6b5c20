import { counted, type HostingEvent, type MendedEvent, mendingStreamOf, onOneLine } from "@hostledger/core";
import type { LogEvent } from "@hostledger/transparency";
import { eventPlace } from "./finding.ts";

/** Places of foreign events that are kept; the others are only counted. */
const placesMaximum = 100;

/** Events that cannot be read that are kept, and events that staff had passed over. */
const keptMaximum = 1_000;

/** An import keeps original times here: its events are passed over, and no foreign ones. */
const timesStream = "transfer-times";

/** What the books go on without. */
export interface PassedOver {
  /** Events of other software. */
  readonly foreignCount: number;
  /** The first of these in words, `account-7@3 (CrmNoteTaken)`. */
  readonly foreign: readonly string[];
  /** Events that cannot be read and that staff had passed over, in words with the reason of the staff. */
  readonly mended: readonly string[];
}

/** An event that cannot be read, and a clause on why. */
export interface UnreadableEvent {
  readonly index: number;
  readonly stored: LogEvent;
  readonly problem: string;
}

/** Collects what is passed over, in log order. */
export interface PassedOverEvents {
  /** Takes a foreign event. */
  readonly foreign: (stored: LogEvent) => void;
  /**
   * Takes an event that cannot be read: whether staff had it passed over is told later in the log.
   * @returns false where too many cannot be read for this one to be kept.
   */
  readonly unreadable: (event: UnreadableEvent) => boolean;
  /** Takes an event that can be read, and the stream that it is in. */
  readonly see: (stream: string, event: HostingEvent) => void;
  /**
   * After the last event. @returns the events that cannot be read and stop their streams, what is passed over, and the answers of the staff
   * about events that can be read: they may contradict their streams.
   */
  readonly end: () => {
    readonly stopping: readonly UnreadableEvent[];
    readonly passedOver: PassedOver;
    readonly others: readonly MendedEvent[];
  };
}

/** Starts with nothing passed over. */
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

/** What was passed over in sentences; none where nothing was. */
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
