import { sequenceAggregate, sequenceNames, type SequenceEnd, type StoreRewindState } from "@hostledger/core";
import {
  lastIdOf,
  type CommandContext,
  type CommandHandler,
  type EventStore,
  type RecordedEvent,
} from "@hostledger/event-store";

/** How many ids of each sequence are left out, beyond those that are known to be reserved: ids of the lost part that nobody knows. */
const skippedIds = 10_000;

/** The last block of each sequence; foreign and damaged events after it are passed over. */
export async function* newestBlocks(
  store: Pick<EventStore, "read">,
): AsyncGenerator<RecordedEvent, void, undefined> {
  for (const name of sequenceNames)
    for await (const event of store.read(`sequence-${name}`, { direction: "backwards" })) {
      if (lastIdOf(event) !== undefined) {
        yield event;
        break;
      }
    }
}

/** Lets every sequence continue above the ids that may have been given out. @returns where they continue. */
export async function skipIds(
  commands: CommandHandler,
  { open }: Pick<StoreRewindState, "open">,
  {
    known,
    above,
    context,
  }: {
    readonly known: ReadonlyMap<string, number>;
    readonly above?: number;
    readonly context: CommandContext;
  },
): Promise<readonly SequenceEnd[]> {
  const ends: SequenceEnd[] = [];
  for (const name of sequenceNames) {
    const reported = open.flatMap(({ sequences }) => sequences).filter(({ sequence }) => sequence === name);
    const { state } = await commands.load(sequenceAggregate, name);
    const reserved = Math.max(state.last, known.get(name) ?? 0, ...reported.map(({ last }) => last));
    const last = above !== undefined && above >= reserved ? above : reserved + skippedIds;
    await commands.execute(
      sequenceAggregate,
      name,
      { type: "SkipIds", data: { last } },
      { ...context, commandId: `${context.commandId}/${name}` },
    );
    ends.push({ sequence: name, last });
  }
  return ends;
}
