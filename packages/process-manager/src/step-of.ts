import { assertNever, type Beginning, type Reaction } from "@hostledger/core";

import type { NextStep } from "./runnable-process.ts";

/** What carries out a process's commands and requests. */
export interface Hands<Command, Request, Input> {
  /** Gives a command to one of our own aggregates. Throws on technical failure: it is then given again. */
  send(command: Command): Promise<Input>;
  /** Asks another party, and answers with an input whatever happens. */
  call(request: Request): Promise<Input>;
}

/** A process's reaction, ready to be carried out. */
export function stepOf<Command, Request, Input>(
  reaction: Reaction<Command, Request> | Beginning<Command>,
  hands: Hands<Command, Request, Input>,
): NextStep<Input> {
  switch (reaction.kind) {
    case "begin":
    case "send":
    case "compensate":
      return { kind: reaction.kind, perform: () => hands.send(reaction.command) };
    case "call": {
      const { request, notBefore } = reaction;
      return {
        kind: "call",
        perform: () => hands.call(request),
        ...(notBefore === undefined ? {} : { notBefore }),
      };
    }
    case "park":
    case "complete":
      return { kind: reaction.kind };
    default:
      return assertNever(reaction);
  }
}
