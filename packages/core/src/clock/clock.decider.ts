import { assertNever } from "../kernel/assert-never.ts";
import { type Command, accept, CorruptStreamError, type Decider, type Decision } from "../kernel/decider.ts";
import { isSameDifference } from "./clock-tolerance.ts";
import type { ClockEvent, ClockJump } from "./clock.events.ts";

/** A process found its clock far from where it should be. */
export interface NoticeClockJump {
  readonly type: "NoticeClockJump";
  readonly data: ClockJump;
}

/** Staff confirm the present time. */
export type AcceptClock = Command<"AcceptClock">;

/** A process whose clock was confirmed goes on with one that differs from the database's. */
export type KeepClockDifference = Command<
  "KeepClockDifference",
  { readonly jumpId: string; readonly aheadMs: number }
>;

/** What can be said about clocks. */
export type ClockCommand = NoticeClockJump | AcceptClock | KeepClockDifference;

/** Jumps that nobody has confirmed, oldest first, and what somebody has confirmed. */
export interface ClockState {
  readonly open: readonly ClockJump[];
  /** The latest one that contradicted the facts or the monotonic clock. */
  readonly accepted: ClockJump | undefined;
  /** By how much clocks may be ahead of the database's, in milliseconds, below zero behind it; the latest last. */
  readonly keptDifferences: readonly number[];
}

/** More jumps than this are not told one by one: confirming those that were told confirms the time. */
export const openJumpLimit = 100;

/** Differences that are kept: as many as are confirmed with one word. An older one is asked for again. */
export const keptDifferenceLimit = openJumpLimit;

/** The rules of clocks (stream `clock-all`): every jump is told once, and one word of staff confirms all that are open. */
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
