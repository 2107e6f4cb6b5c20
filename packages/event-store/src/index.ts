export * from "./event-store.port.ts";
export { validateAppend } from "./validate-append.ts";
export {
  openEmbeddedEventStore,
  type EmbeddedEventStoreOptions,
} from "./embedded/embedded-event-store.adapter.ts";
export type * from "./commands/command-handler.port.ts";
export { createCommandHandler, type CommandHandlerOptions } from "./commands/command-handler.ts";
export { decodeEvent, type DecodedEvent } from "./commands/decode-event.ts";
export { eventId, uuidV5 } from "./commands/event-id.ts";
export {
  readMetadata,
  writeMetadata,
  type CommandContext,
  type EventMetadata,
} from "./commands/event-metadata.ts";
export { createIdSequence, type IdSequence, type IdSequenceOptions } from "./commands/id-sequence.ts";
