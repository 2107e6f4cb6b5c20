import { assertNever } from "../kernel/assert-never.ts";
import { type Command, accept, CorruptStreamError, type Decider, type Decision } from "../kernel/decider.ts";
import { isSameDifference } from "./clock-tolerance.ts";
import type { ClockEvent, ClockJump } from "./clock.events.ts";

export interface NoticeClockJump {
  readonly type: "NoticeClockJump";
  readonly data: ClockJump;
}

export type AcceptClock = Command<"AcceptClock">;

/** Records the confirmed difference between a process's clock and the database's clock. */
export type KeepClockDifference = Command<
  "KeepClockDifference",
  { readonly jumpId: string; readonly aheadMs: number }
>;

export type ClockCommand = NoticeClockJump | AcceptClock | KeepClockDifference;

/** Unconfirmed jumps, oldest first, and confirmed differences. */
export interface ClockState {
  readonly open: readonly ClockJump[];
  /** The latest confirmed jump against the events or the monotonic clock. */
  readonly accepted: ClockJump | undefined;
  /** Confirmed leads over the database's clock in milliseconds, negative for a lag; the latest last. */
  readonly keptDifferences: readonly number[];
}

/** Maximum open jumps. Further jumps are not recorded; staff confirm the time with the recorded jumps. */
export const openJumpLimit = 100;

/** Maximum confirmed differences: as many as staff can confirm at once. Staff must confirm an older difference again. */
export const keptDifferenceLimit = openJumpLimit;

/** Rules of clocks (stream `clock-all`): each jump is recorded once, and staff confirm all open jumps together. */
export const clock: Decider<ClockCommand, ClockState, ClockEvent> = {
  initialState: { open: [], accepted: undefined, keptDifferences: [] },
  decide,
  evolve,
};

function decide(command: ClockCommand, { open, keptDifferences }: ClockState): Decision<ClockEvent> {
  switch (command.type) {
    case "NoticeClockJump": {
      const isKnown = open.some(({ jumpId }) => jumpId === command.data.jumpId);
      if (isKnown || open.length >= openJumpLimit) return accept();
      return accept({ type: "ClockJumpNoticed", data: command.data });
    }
    case "AcceptClock":
      if (open.length === 0) return accept();
      return accept({
        type: "ClockAccepted",
        data: { jumpIds: open.map(({ jumpId }) => jumpId), acceptedAt: command.data.at },
      });
    case "KeepClockDifference": {
      const { jumpId, aheadMs, at } = command.data;
      if (keptDifferences.some((kept) => isSameDifference(kept, aheadMs))) return accept();
      return accept({ type: "ClockDifferenceKept", data: { jumpId, aheadMs, keptAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function evolve(state: ClockState, event: ClockEvent): ClockState {
  switch (event.type) {
    case "ClockJumpNoticed":
      return { ...state, open: [...state.open, event.data] };
    case "ClockAccepted": {
      const { jumpIds } = event.data;
      const confirmed = state.open.filter(({ jumpId }) => jumpIds.includes(jumpId));
      if (confirmed.length === 0) throw new CorruptStreamError(event.type, "no such jump");
      return {
        ...state,
        open: state.open.filter((jump) => !confirmed.includes(jump)),
        accepted: confirmed.findLast(({ expectedBy }) => expectedBy === "facts") ?? state.accepted,
      };
    }
    case "ClockDifferenceKept":
      return {
        ...state,
        keptDifferences: [...state.keptDifferences, event.data.aheadMs].slice(-keptDifferenceLimit),
      };
    default:
      return assertNever(event);
  }
}
