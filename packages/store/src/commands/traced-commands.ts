import type { Tracing } from "@hostledger/runtime";

import type { CommandHandler } from "./command-handler.port.ts";
import { commandName } from "./event-origin.ts";

/**
 * Wraps a handler so that every command appears in the trace of its request. One append holds commands of many requests,
 * so a command is identified by its stream and id.
 */
export function traceCommands(handler: CommandHandler, tracing: Tracing): CommandHandler {
  return {
    execute(aggregate, id, command, context) {
      const { category } = aggregate;
      const { correlationId, commandId } = context;
      const name = `command ${nameOf(command) ?? category}`;
      const as = { open: commandName(`${category}-${id}`, commandId) };
      const attributes = { "hostledger.stream.category": category };
      return tracing.within(name, { correlationId, as, attributes }, async (span) => {
        const executed = await handler.execute(aggregate, id, command, context);
        const outcome = executed.accepted ? "accepted" : executed.rejection.code;
        span.describe(name, { "hostledger.outcome": outcome });
        return executed;
      });
    },
    load: (aggregate, id, maxAgeMs) => handler.load(aggregate, id, maxAgeMs),
    generation: () => handler.generation?.() ?? 0,
    statistics: () => handler.statistics(),
  };
}

/** Every decider's commands have a type, but the compiler does not require one. */
function nameOf(command: unknown): string | undefined {
  if (typeof command !== "object" || command === null || !("type" in command)) return undefined;
  return typeof command.type === "string" ? command.type : undefined;
}
