import { sequenceAggregate } from "@hostledger/core";

import type { CommandHandler } from "./command-handler.port.ts";

export interface IdSequence {
  next(): Promise<number>;
}

export interface IdSequenceOptions {
  readonly commands: CommandHandler;
  readonly name: string;
  /** Ids reserved per append. Unused ids of a block remain gaps. */
  readonly blockSize: number;
  readonly newCommandId: () => string;
}

/**
 * Makes a sequence with blocks reserved in the stream `sequence-<name>`: ids are unique over all processes and ascending
 * within one.
 */
export function createIdSequence({ commands, name, blockSize, newCommandId }: IdSequenceOptions): IdSequence {
  let upcoming = 1;
  let last = 0;
  let generation = commands.generation?.();
  let reserving: Promise<void> | undefined;

  async function reserve(): Promise<void> {
    const commandId = newCommandId();
    const command = { type: "ReserveIdBlock", data: { size: blockSize } } as const;
    const context = { commandId, correlationId: commandId, actor: "system" };
    const executed = await commands.execute(sequenceAggregate, name, command, context);
    const block = executed.accepted ? executed.events[0] : undefined;
    if (block === undefined) throw new Error(`no ids could be reserved in the sequence ${name}`);
    upcoming = block.data.first;
    last = block.data.last;
  }

  return {
    async next() {
      // The block came from a replaced copy of the store, so another process may have the same ids.
      if (generation !== commands.generation?.()) {
        generation = commands.generation?.();
        last = 0;
        upcoming = 1;
      }
      // Several callers may wait for one block and find it used up; they reserve the next.
      while (upcoming > last) {
        reserving ??= reserve().finally(() => {
          reserving = undefined;
        });
        await reserving;
      }
      const id = upcoming;
      upcoming += 1;
      return id;
    },
  };
}
