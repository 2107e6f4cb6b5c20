import type { DomainEvent, Rejection } from "@hostledger/core";

import type { Aggregate, CommandHandler } from "./command-handler.port.ts";
import { anyAgeMs, lastingRefusal } from "./recent-state.ts";

/** An id that nothing has. It replaces the id that an accepted command will get. */
export const unusedId = Number.MAX_SAFE_INTEGER;

/**
 * Returns the refusal that a command would get, without storing anything; undefined if it would be accepted. Call it
 * before an id or a quota is used for the command, so that a refusal leaves no event.
 */
export function refusalOf<Command, State, Event extends DomainEvent>(
  commands: Pick<CommandHandler, "load">,
  aggregate: Aggregate<Command, State, Event>,
  id: string,
  command: Command,
): Promise<Rejection | undefined> {
  return lastingRefusal(
    (maxAgeMs) => commands.load(aggregate, id, maxAgeMs),
    (state) => {
      const decision = aggregate.decider.decide(command, state);
      return decision.accepted ? undefined : decision.rejection;
    },
    anyAgeMs,
  );
}
