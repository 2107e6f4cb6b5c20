export * from "./event-store.port.ts";
export { guardLineage, lastIdOf, noteSequence } from "./lineage/guarded-store.ts";
export { Lineage, type LineageOptions, type Remembered } from "./lineage/lineage.ts";
export { withAppend } from "./with-append.ts";
export { validateAppend } from "./validate-append.ts";
export type { Commit } from "./embedded/writer-client.ts";
export {
  openEmbeddedEventStore,
  type EmbeddedEventStoreOptions,
} from "./embedded/embedded-event-store.adapter.ts";
export { checkStoreFile, type FileCheck } from "./embedded/file-check.ts";
export { copyEvents, joinEvents, type EventsMark } from "./embedded/store-copy.ts";
export { ownEvents, timesStream } from "./transfer/own-events.ts";
export { exportStore, type ExportOptions } from "./transfer/export-store.ts";
export { importStore, type ImportOptions, type ImportSummary } from "./transfer/import-store.ts";
export { createFileSink, fileSource, type TransferSink } from "./transfer/file-sink.ts";
export type { TransferSource } from "./transfer/file-lines.ts";
export type { TransferHeader, TransferSummary } from "./transfer/transfer-file.codec.ts";
export { TransferError } from "./transfer/transfer-error.ts";
export type { SnapshotHead, SnapshotStore, StoredSnapshot } from "./snapshots/snapshot-store.port.ts";
export {
  openSqliteSnapshots,
  type SqliteSnapshotOptions,
} from "./snapshots/sqlite-snapshot-store.adapter.ts";
export type { SnapshotEnvironment } from "./snapshots/stream-snapshots.ts";
export type * from "./commands/command-handler.port.ts";
export * from "./commands/recent-state.ts";
export * from "./commands/refusal-of.ts";
export { createCommandHandler, type CommandHandlerOptions } from "./commands/command-handler.ts";
export { decodeEvent, readableEvent, taking, type DecodedEvent } from "./commands/decode-event.ts";
export {
  contradictionsIn,
  judgedEvents,
  type CodecOfCategory,
  type Contradictions,
  type LeftOut,
} from "./commands/contradictions.ts";
export { eventsOf } from "./commands/events-of.ts";
export { unlessUnreadable } from "./commands/unless-unreadable.ts";
export { isMended, mendedEvents, passOverMended } from "./commands/mended-events.ts";
export { uuidV5 } from "./commands/event-id.ts";
export { eventToAppend } from "./commands/event-to-append.ts";
export { readMetadata, type EventMetadata } from "@hostledger/core";
export { writeMetadata, type CommandContext } from "./commands/event-metadata.ts";
export {
  requestStaffTicket,
  ticketCauseAggregate,
  type StaffTicketOptions,
} from "./commands/staff-ticket.ts";
export { originOf, type EventOrigin } from "./commands/event-origin.ts";
export * from "./commands/accounts.ts";
export * from "./commands/credentials.ts";
export * from "./commands/issuing-terms.ts";
export { createAccountQuotas, createQuotaCommands, type AccountQuotas } from "./commands/account-quotas.ts";
export { createIdSequence, type IdSequence, type IdSequenceOptions } from "./commands/id-sequence.ts";
export { createInstallation, recallOrder, type Installation } from "./commands/installation.ts";
