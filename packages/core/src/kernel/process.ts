/**
 * A process (saga) as pure values: a long-running piece of work across aggregates and providers. Its run has a stream of
 * its own; what it does next is said as data, the edge does it, and what came of it returns as an input.
 *
 * The edge appends a run's facts before it calls a provider, before it compensates, and before it stops ("a process
 * records its intent before it acts"). Other commands to our own aggregates are safe to repeat and need no record of
 * their own: an owner that takes the run over may give them again, or learn from their refusal that they were given.
 */
export interface Process<State, Input, Event> {
  /** Category of the runs' streams, for example `registration`. */
  readonly category: string;
  readonly initialState: State;
  /** The facts an input adds to the run; none when it comes too late or twice. */
  readonly decide: (input: Input, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}
