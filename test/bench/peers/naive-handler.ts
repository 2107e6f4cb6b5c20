import type { AccountState } from "@hostledger/core";
import {
  eventToAppend,
  WrongExpectedRevisionError,
  writeMetadata,
  type CommandContext,
  type EventStore,
} from "@hostledger/store";

import type { accounts, CommandSink } from "./accounts.ts";

/** Optimistic concurrency without actors. */
export interface NaiveHandler extends CommandSink {
  readonly counters: { readonly commands: number; readonly conflicts: number };
  resetCounters(): void;
}

interface Folded {
  readonly state: AccountState;
  readonly revision: bigint | undefined;
}

/**
 * Handles each command alone: decides on the last known state, appends at its revision, and after a conflict reads
 * new events and decides again. The state is cached as ours is, so that only the coordination differs.
 */
export function createNaiveHandler(store: EventStore): NaiveHandler {
  const seen = new Map<string, Folded>();
  const counters = { commands: 0, conflicts: 0 };

  async function catchUp({ decider, codec }: typeof accounts, stream: string): Promise<Folded> {
    let { state, revision } = seen.get(stream) ?? { state: decider.initialState, revision: undefined };
    for await (const recorded of store.read(stream, { from: (revision ?? -1n) + 1n })) {
      state = decider.evolve(state, codec.decode(recorded.type, recorded.data));
      revision = recorded.revision;
    }
    return keep(stream, { state, revision });
  }

  function keep(stream: string, folded: Folded): Folded {
    if ((folded.revision ?? -1n) > (seen.get(stream)?.revision ?? -1n)) seen.set(stream, folded);
    return folded;
  }

  return {
    counters,
    resetCounters() {
      counters.commands = 0;
      counters.conflicts = 0;
    },
    async execute(aggregate, id, command, context: CommandContext) {
      const { category, decider, codec } = aggregate;
      const stream = `${category}-${id}`;
      const metadata = writeMetadata(context, "bench");
      counters.commands += 1;
      let folded = seen.get(stream) ?? (await catchUp(aggregate, stream));
      for (;;) {
        const decision = decider.decide(command, folded.state);
        if (!decision.accepted) return { accepted: false };
        const events = decision.events.map((event, index) =>
          eventToAppend(codec, event, { stream, commandId: context.commandId, index, metadata }),
        );
        try {
          const { revision } = await store.append(stream, folded.revision ?? "no-stream", events);
          keep(stream, { state: decision.events.reduce(decider.evolve, folded.state), revision });
          return { accepted: true };
        } catch (error) {
          if (!(error instanceof WrongExpectedRevisionError)) throw error;
          counters.conflicts += 1;
          folded = await catchUp(aggregate, stream);
        }
      }
    },
  };
}
