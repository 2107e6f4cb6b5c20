import type { RejectionCode } from "./rejection-catalogue.ts";
import { rejection, type Rejection, type RejectionDetail } from "./rejection.ts";
import { StoredEventError } from "./stored-event-error.ts";

/** An event: `type` is in the past tense, `data` contains JSON primitives only and is stored unchanged. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** A request to an aggregate, in the imperative. `at` is the present time (ISO 8601 UTC); rules have no clock. */
export interface Command<Type extends string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data & { readonly at: string };
}

/** The answer to a command: the events to append, or a rejection. An empty list means that there is nothing to change. */
export type Decision<Event> =
  | { readonly accepted: true; readonly events: readonly Event[] }
  | { readonly accepted: false; readonly rejection: Rejection };

/**
 * The rules of an aggregate as three pure values. Time and new ids arrive in the command. `decide` returns a rejection for
 * a business "no". `evolve` throws only if an event cannot follow the state ("corrupt stream"), which is a bug.
 */
export interface Decider<Command, State, Event> {
  readonly initialState: State;
  readonly decide: (command: Command, state: State) => Decision<Event>;
  readonly evolve: (state: State, event: Event) => State;
}

export function accept<const Events extends readonly DomainEvent[]>(
  ...events: Events
): Decision<Events[number]> {
  return { accepted: true, events };
}

export function reject(code: RejectionCode, message?: string, detail?: RejectionDetail): Decision<never> {
  return { accepted: false, rejection: rejection(code, message, detail) };
}

/** Thrown by `evolve` if an event cannot follow the state: other rules wrote the stream. */
export class CorruptStreamError extends StoredEventError {
  override readonly name = "CorruptStreamError";

  constructor(eventType: string, status: string) {
    super(`corrupt stream: ${eventType} cannot follow the state "${status}"`);
  }
}
