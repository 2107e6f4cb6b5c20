/** A clock that cannot be right, as far as the facts tell. */
export interface ClockJump {
  /** Names the jump. */
  readonly jumpId: string;
  /** Where the clock went: before the time that was expected, or after it. */
  readonly direction: "behind" | "ahead";
  /** What time it was at least, or at most, as far as the facts or the monotonic clock tell. */
  readonly expectedAt: string;
  /** What the clock said. */
  readonly clockAt: string;
}

/** A process found its clock far from where it should be: until staff confirm it, nothing is done because of the time alone. */
export interface ClockJumpNoticed {
  readonly type: "ClockJumpNoticed";
  readonly data: ClockJump;
}

/** Staff confirmed the clock: time-driven work goes on. */
export interface ClockAccepted {
  readonly type: "ClockAccepted";
  readonly data: { readonly jumpIds: readonly string[]; readonly acceptedAt: string };
}

/** Everything that happens to the clocks of the processes over one store (stream `clock-all`). */
export type ClockEvent = ClockJumpNoticed | ClockAccepted;
