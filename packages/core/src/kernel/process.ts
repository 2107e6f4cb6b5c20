/**
 * A process (saga) as pure values: a long-running piece of work across aggregates and other parties. Its run has a
 * stream of its own; `react` says as data what to do next, the edge does it, and what came of it returns as an input.
 *
 * The edge appends a run's facts before it calls another party, before it compensates, and before it stops ("a process
 * records its intent before it acts"). Other commands to our own aggregates are safe to repeat and need no record of
 * their own: an owner that takes the run over may give them again, or learn from their refusal that they were given.
 * A run that no fact of an aggregate tells of records its start before its first command (`begin`).
 */
export interface Process<State, Input, Event> {
  /** Category of the runs' streams, for example `registration`. */
  readonly category: string;
  readonly initialState: State;
  /** The facts an input adds to the run; none when it comes too late or twice. */
  readonly decide: (input: Input, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}

/**
 * What a run does next.
 *
 * - `send`: give a command to an aggregate; its answer comes back as an input.
 * - `compensate`: the same for a command that undoes, after the run's facts are appended. Another party may answer
 *   differently when it is asked again: once anything is undone, no later owner may go another way.
 * - `call`: ask another party, not before an instant if one is given; its outcome comes back as an input.
 * - `park`: wait for staff.
 * - `complete`: nothing more.
 */
export type Reaction<Command, Request> =
  | { readonly kind: "send"; readonly command: Command }
  | { readonly kind: "compensate"; readonly command: Command }
  | { readonly kind: "call"; readonly request: Request; readonly notBefore?: string }
  | { readonly kind: "park"; readonly reason: string }
  | { readonly kind: "complete" };

/**
 * The first command of a run that nothing but its own stream tells of: like `send`, after the run's facts are appended.
 * Where it was given unrecorded and its owner died, nobody would know of what it did.
 */
export interface Beginning<Command> {
  readonly kind: "begin";
  readonly command: Command;
}
