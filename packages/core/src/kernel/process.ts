/**
 * A process (saga) as pure values: long-running work across aggregates and providers. Each run has its own stream. The
 * process manager carries out the next step and passes its outcome to `decide` as an input.
 *
 * The process manager appends events before it calls a provider, compensates or stops. Commands to our own aggregates are
 * safe to repeat and need no such event: a new owner of the run gives them again.
 */
export interface Process<State, Input, Event> {
  /** Category of the runs' streams, for example `registration`. */
  readonly category: string;
  readonly initialState: State;
  /** Returns the events that an input adds to the run; none if the input arrives too late or twice. */
  readonly decide: (input: Input, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}
