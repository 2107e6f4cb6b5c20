import type { RejectionCode } from "./rejection-catalogue.ts";
import { rejection, type Rejection, type RejectionDetail } from "./rejection.ts";
import { StoredEventError } from "./stored-event-error.ts";

/** What happened, named in the past tense; `data` holds JSON primitives only and is stored exactly as it stands. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** A wish, in the imperative, with what it says and the present instant (`at`, ISO 8601 UTC): rules know no clock. */
export interface Command<Type extends string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data & { readonly at: string };
}

/** The answer to a command: the facts it adds, or the refusal. No events means: already so, nothing to add. */
export type Decision<Event> =
  | { readonly accepted: true; readonly events: readonly Event[] }
  | { readonly accepted: false; readonly rejection: Rejection };

/**
 * One aggregate's rules as three pure values. Time and new ids arrive in the command. `decide` returns a refusal for
 * a business "no"; `evolve` throws only when an event cannot follow the state ("corrupt stream"), which is a bug.
 */
export interface Decider<Command, State, Event> {
  readonly initialState: State;
  readonly decide: (command: Command, state: State) => Decision<Event>;
  readonly evolve: (state: State, event: Event) => State;
}

/** Accepts a command with the facts it adds, which may be of several types. */
export function accept<const Events extends readonly DomainEvent[]>(
  ...events: Events
): Decision<Events[number]> {
  return { accepted: true, events };
}

/** Refuses a command with a code of the catalogue. */
export function reject(code: RejectionCode, message?: string, detail?: RejectionDetail): Decision<never> {
  return { accepted: false, rejection: rejection(code, message, detail) };
}

/** Thrown by `evolve` when an event cannot follow the state: the stream was not written by these rules. */
export class CorruptStreamError extends StoredEventError {
  override readonly name = "CorruptStreamError";

  constructor(eventType: string, status: string) {
    super(`corrupt stream: ${eventType} cannot follow the state "${status}"`);
  }
}
