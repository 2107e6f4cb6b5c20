import { assertNever } from "../kernel/assert-never.ts";
import { type Command, accept, CorruptStreamError, type Decider, type Decision } from "../kernel/decider.ts";
import type { ClockEvent, ClockJump } from "./clock.events.ts";

/** A process found its clock far from where it should be. */
export interface NoticeClockJump {
  readonly type: "NoticeClockJump";
  readonly data: ClockJump;
}

/** Staff confirm the present time. */
export type AcceptClock = Command<"AcceptClock">;

/** What can be said about clocks. */
export type ClockCommand = NoticeClockJump | AcceptClock;

/** Jumps that nobody has confirmed, oldest first, and the latest one that somebody has. */
export interface ClockState {
  readonly open: readonly ClockJump[];
  readonly accepted: ClockJump | undefined;
}

/** More jumps than this are not told one by one: confirming those that were told confirms the time. */
export const openJumpLimit = 100;

/** The rules of clocks (stream `clock-all`): every jump is told once, and one word of staff confirms all that are open. */
export const clock: Decider<ClockCommand, ClockState, ClockEvent> = {
  initialState: { open: [], accepted: undefined },
  decide,
  evolve,
};

function decide(command: ClockCommand, { open }: ClockState): Decision<ClockEvent> {
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
      const accepted = state.open.findLast(({ jumpId }) => jumpIds.includes(jumpId));
      if (accepted === undefined) throw new CorruptStreamError(event.type, "no such jump");
      return { open: state.open.filter(({ jumpId }) => !jumpIds.includes(jumpId)), accepted };
    }
    default:
      return assertNever(event);
  }
}
