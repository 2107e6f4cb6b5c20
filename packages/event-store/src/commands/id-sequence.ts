import { sequenceAggregate } from "@hostledger/core";

import type { CommandHandler } from "./command-handler.port.ts";

/** Gives out unique, ascending integer ids. */
export interface IdSequence {
  next(): Promise<number>;
}

/** What a sequence is made of. */
export interface IdSequenceOptions {
  readonly commands: CommandHandler;
  /** Names the stream: `sequence-<name>`. */
  readonly name: string;
  /** Ids taken with one append; those of a block that are not used before the process ends stay gaps. */
  readonly blockSize: number;
  /** A new id for every reservation. */
  readonly newCommandId: () => string;
}

/** Ids from blocks reserved in the stream `sequence-<name>`: unique over all processes, ascending within one. */
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
      // The block belongs to a copy of the store that is gone: another process may have been given the same ids.
      if (generation !== commands.generation?.()) {
        generation = commands.generation?.();
        last = 0;
        upcoming = 1;
      }
      // Several callers may wait for one block and find it used up: they go on to the next one.
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
